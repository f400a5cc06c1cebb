#pragma once

#include "ui/models/run_snapshot.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::ui {

/// What a person means by the name of a field of a run ("auc", "lr", "optimizer", "rows").
/// Every value that answers to it, as text; empty when the run has none.
QStringList fieldTexts(const RunRow& run, const QString& field);
/// The text as a number in the C notation, if it is one.
std::optional<double> numberOf(const QString& text);
/// "train_spec.input.batch_size" as "batch_size": the part of a path that people say.
QString shortParameterName(const QString& path);

} // namespace cannery::ui
