// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/evaluation_table_model.h"

#include <QList>
#include <QString>

#include <functional>

class QObject;

namespace cannery::ui {

/// Reads the tables and slices of a run's evaluation at a step, the last one of these, from its
/// folder on another thread, and calls `done` on the GUI thread unless `receiver` has been
/// destroyed. Nothing for a folder without them.
void readEvaluationTables(const QString& folder, qint64 step, QObject* receiver,
                          std::function<void(const QList<EvaluationTable>&)> done);

} // namespace cannery::ui
