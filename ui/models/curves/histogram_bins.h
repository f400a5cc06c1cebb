// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"
#include "ui/models/runs/run_summaries.h"

#include <QString>

#include <optional>
#include <vector>

namespace cannery::ui {

/// The values from the smallest to the largest of all steps; nothing if no step has any. Never
/// empty: a single value gets room on both sides.
std::optional<AxisLimits> valueLimits(const StepHistory<HistogramStep>& history);

/// The counts in this number of bins of equal width within the limits. A logged bin that lies in
/// several of them is divided as if its values were evenly spread.
std::vector<double> rebinned(const HistogramStep& step, AxisLimits limits, int bins);

/// "Step 1,200 · 50 values · −2.556 to 1.814 · median −0.3536".
QString describeHistogram(const HistogramStep& step);

/// At most `most` numbers from 0 to count - 1, evenly chosen, always with the last.
std::vector<qsizetype> evenlyChosen(qsizetype count, qsizetype most);

} // namespace cannery::ui
