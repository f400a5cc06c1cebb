// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/run_snapshot.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::ui {

/// What a person means by the name of a field of a run ("auc", "lr", "optimizer", "rows").
/// Every value that answers to it, as text; empty when the run has none.
QStringList fieldTexts(const RunRow& run, const QString& field);
/// The text of a parameter: of the field with this path, else of every field that answers to the
/// name ("learning_rate" of a wide & deep run: "0.1, 0.05"). Null when the run has none.
QString parameterText(const RunRow& run, const QString& pathOrName);
/// Names that people say for parameters of any estimator and optimizer: "learning_rate",
/// "optimizer", "hidden_units" …
const QStringList& commonParameters();
/// The text as a number in the C notation, if it is one.
std::optional<double> numberOf(const QString& text);
/// "train_spec.input.batch_size" as "batch_size": the part of a path that people say.
QString shortParameterName(const QString& path);

} // namespace cannery::ui
