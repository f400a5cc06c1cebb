// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/series.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace cannery::ui {

/// A line computed from several runs: centre and band by step (a group of seeds).
struct BandCurve
{
    std::vector<double> steps;
    std::vector<float> centre;
    std::vector<float> low;
    std::vector<float> high;
    std::vector<int> counts; ///< number of runs with a value there
};

/// One curve of a card. Exactly one of series and band is set.
struct Curve
{
    const Series* series = nullptr; ///< owned by the SeriesStore
    std::shared_ptr<const BandCurve> band;
    QString label; ///< "run-012"
    QString run;   ///< the run's identity, for hovering and picking
    int colourSlot = 0;
    bool dashed = false; ///< for evaluation only
};

/// A diamond on the x axis, or the star of the best value.
struct ChartMark
{
    enum class Kind
    {
        Checkpoint,
        Best,
    };
    Kind kind = Kind::Checkpoint;
    double step = 0;
    double value = 0; ///< for Best
};

/// One row of the readout at the cursor: the logged value, not a drawn vertex.
struct ReadoutRow
{
    QString run;
    QString label;
    int colourSlot = 0;
    bool dashed = false;
    qint64 step = 0;
    float value = 0;
    std::optional<double> smoothed;
    double wallTime = 0; ///< seconds since 1970
    double sinceStart = 0;
};

} // namespace cannery::ui
