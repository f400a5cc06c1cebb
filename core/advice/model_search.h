// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/model_choice.h"
#include "core/advice/trial_count.h"

#include <string>
#include <vector>

namespace cannery::advice {

/// A kind of model that was tried, and the mean loss of its best variant on rows that it did not
/// learn from, in units of the label's scale.
struct TriedModel
{
    ModelFamily family = ModelFamily::Linear;
    double loss = 0;
};

/// The model that did best on rows it did not learn from, and how it was found.
struct ModelSearchResult
{
    ModelChoice choice;
    ModelColumns columns;           ///< the columns of the starting experiment worth keeping
    std::vector<std::string> notes; ///< sentences for the head of the experiment
    std::vector<TriedModel> tried;  ///< one for each kind, the simplest first
    double guess = 0;               ///< the loss of guessing without any column
};

struct ModelSearchRequest
{
    const StartingExperiment& starting; ///< with data.train
    std::string folder;                 ///< its relative paths start here
    int threads = 1;
    bool keepsBestScore = false; ///< even if a simpler model is hardly worse
    TrialReport progress = {};   ///< more models may turn out to be worth trying
};

/// Tries models on the rows that the experiment trains on, never on those held back for evaluation:
/// each is trained on most of the rows and scored on the others, several times if there are few. A
/// simpler model is kept unless a richer one is clearly better. The work is bounded, and the answer
/// always the same. Errors: those of reading the table.
Result<ModelSearchResult> searchModel(const ModelSearchRequest& request);

} // namespace cannery::advice
