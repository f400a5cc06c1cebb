// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/model_search.h"

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

/// A JSON object: `chosen` (a family), `kinds` (each with its estimator, and the loss of those that
/// were tried), `steps`, `guess_loss`, and `estimated_seconds` of the training, measured if models
/// were tried. `folder`: where the experiment's relative paths start.
std::string firstModelJson(const advice::StartingExperiment& starting, const FirstModel& model,
                           const std::string& folder);

} // namespace cannery::app
