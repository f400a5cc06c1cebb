// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/model_choice.h"

#include <string>
#include <vector>

namespace cannery::app {

/// The model that did best on rows it was not shown, and how it was found.
struct ModelSearchResult
{
    ModelChoice choice;
    ModelColumns columns;           ///< those of the starting experiment that are worth keeping
    std::vector<std::string> notes; ///< sentences for the head of the experiment
};

struct ModelSearchRequest
{
    const StartingExperiment& starting; ///< with data.train
    std::string folder;                 ///< what its paths are relative to
    int threads = 1;
};

/// Tries models on the rows that the experiment trains on, never on those it holds back for
/// evaluation: each is trained on most of them and judged on the others, several times where there
/// are few rows. A simpler model stands unless a richer one is clearly better. Bounded work, the
/// same answer every time. Errors: of reading the table.
Result<ModelSearchResult> searchModel(const ModelSearchRequest& request);

} // namespace cannery::app
