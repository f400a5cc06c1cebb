// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QString>

#include <optional>

namespace cannery::ui {

/// How far a sweep's runs are, and which is the best of them.
struct SweepSummary
{
    QString name; ///< "sweep-001"
    int runs = 0; ///< that have begun
    int ended = 0;
    QString best;   ///< the name of a run; empty if none was evaluated
    QString metric; ///< by which it is
    double value = 0;
    QString settings; ///< what it has of the values that vary: "learning_rate 0.05"
};

/// Of the sweep that a run belongs to that began last; empty if there is none. Which way is better
/// is what the metric says, and not the sweep.
std::optional<SweepSummary> newestSweep(const ProjectSnapshot& snapshot);

} // namespace cannery::ui
