// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/sweep_runner.h"
#include "core/spec/sweep.pb.h"

#include <string>
#include <vector>

namespace cannery::app {

/// The results of a sweep as lines for the terminal and as a JSON object: the trials, the best
/// first, each by its last stage; of a cross-validation also mean and deviation of every metric for
/// each combination of values.
std::vector<std::string> sweepLines(const launch::SweepOutcome& outcome,
                                    const launch::SweepRequest& request);
std::string sweepJson(const launch::SweepOutcome& outcome, const launch::SweepRequest& request);

/// The jobs that a search has decided, before any has run.
std::vector<std::string> plannedLines(const sweep::Search& search);
std::string plannedJson(const sweep::Search& search);

/// "trial 3: loss 0.31 (batch_size=16)".
std::string trialLine(const launch::TrialResult& result, const spec::Sweep& sweep);

} // namespace cannery::app
