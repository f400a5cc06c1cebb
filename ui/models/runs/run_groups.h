// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace cannery::ui {

class Series;

/// Runs with the same value of a parameter: the seeds of one setting.
struct RunGroup
{
    QString value; ///< the parameter's text; null if the runs do not have it
    QString label; ///< "lr 0.05 · 5 runs"
    QStringList runs;
    int colourSlot = 0; ///< of its oldest run

    bool operator==(const RunGroup&) const = default;
};

/// Groups in the order of the values (numbers by size), runs without the parameter last.
QList<RunGroup> groupRuns(const QList<const RunRow*>& runs, const QString& parameter);

enum class GroupCentre
{
    Mean,
    Median,
};

enum class GroupSpread
{
    MinMax,
    StandardDeviation, ///< one sample standard deviation to either side
    Quartiles,
};

/// Centre and spread of several series over all their steps. A series without a value at a step is
/// interpolated linearly between its neighbours, and left out before its first and after its last
/// step; `counts` has the number of series at each step.
struct GroupBand
{
    std::vector<double> steps;
    std::vector<float> centre;
    std::vector<float> low;
    std::vector<float> high;
    std::vector<int> counts;
};

/// Points of one series by ascending step, without NaN and infinities; if a resumed run logged a
/// step again, the later value.
struct StepPoints
{
    std::vector<std::int64_t> steps;
    std::vector<float> values;
};

StepPoints stepPoints(const Series& series);
/// Any thread.
GroupBand groupBand(const std::vector<StepPoints>& series, GroupCentre centre, GroupSpread spread);

/// "0.909 ± 0.004" for a metric over a group; empty if no run has it.
QString meanAndDeviation(const QList<double>& values);

} // namespace cannery::ui
