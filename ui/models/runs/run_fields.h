// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::ui {

/// The values of a run's field by its short name ("auc", "lr", "optimizer", "rows"), as text; empty
/// if the run has none.
QStringList fieldTexts(const RunRow& run, const QString& field);
/// The text of a parameter: the field with this path, otherwise all fields that match the name
/// ("learning_rate" in a wide & deep run: "0.1, 0.05"). Null if the run has none.
QString parameterText(const RunRow& run, const QString& pathOrName);
/// Whether a name stands for one value in the run, and not for those of several fields.
bool hasOneValue(const RunRow& run, const QString& pathOrName);
/// Common names for parameters of any estimator and optimizer: "learning_rate", "optimizer",
/// "hidden_units" …
const QStringList& commonParameters();
/// The text as a number in C notation, if it is one.
std::optional<double> numberOf(const QString& text);
/// "train_spec.input.batch_size" as "batch_size": the short name of a path.
QString shortParameterName(const QString& path);

} // namespace cannery::ui
