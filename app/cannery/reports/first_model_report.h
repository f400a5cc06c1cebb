// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/model_search.h"
#include "core/reports/new.pb.h"

#include <string>
#include <vector>

namespace cannery::app {

/// How the model of a starting experiment was chosen.
struct FirstModel
{
    advice::ModelChoice choice;
    std::vector<advice::TriedModel> tried; ///< empty if none was tried
    double guessLoss = 0;                  ///< of guessing without any column
};

/// A starting experiment and its model for programs; the seconds of the training are measured if
/// models were tried. `folder`: where the experiment's relative paths start.
reports::StartingFacts startingReport(const advice::StartingExperiment& starting,
                                      const FirstModel& model, const std::string& folder);

} // namespace cannery::app
