// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_summaries.h"
#include "ui/pages/runs/run_inspect.h"

#include <QString>

#include <optional>

namespace cannery::ui {

/// What a run has logged besides curves: "8 histograms, 3 PR curves and a graph"; empty if there is
/// nothing.
QString summariesInWords(const RunSummaries& summaries);
/// The view of Inspect that shows the first of them.
std::optional<RunInspect::View> viewOf(const RunSummaries& summaries);

} // namespace cannery::ui
