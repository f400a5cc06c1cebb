// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/linear_search.h"
#include "core/advice/model_choice.h"
#include "core/advice/trial_count.h"
#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/train/preparation/linear_start.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::advice {

struct DeepSearchRequest
{
    const StartingExperiment& starting;
    const spec::Experiment& experiment; ///< resolved, of a deep model
    const features::InputLayout& layout;
    const features::EncodedDataset& rows;
    std::span<const std::int64_t> used; ///< rows that positions in the folds mean
    const std::vector<Fold>& folds;
    const LinearTable* linear;                       ///< null if the models have no linear part
    const train::LinearPartProblem* part;            ///< where the linear part's weights belong
    std::span<const train::LinearWeights> solutions; ///< of each fold, to start from; may be empty
    std::vector<ModelChoice> choices;
    std::int64_t allRows; ///< that the experiment trains on
    const std::string& folder;
    kernels::ThreadPool& pool;
    TrialCount& count;
};

/// A deep model, or one with a linear part, and its losses on the folds.
struct DeepTried
{
    ModelChoice choice;
    Scores scores;
};

/// "deep, 64 and 32 units, dropout 0, 300 steps at 0.003: loss 0.45", for the head of an
/// experiment.
std::string noteOf(const DeepTried& tried);

/// Trains every choice on the first fold and the best few on all. The answer is always the same.
/// The best few, best first. Errors: those of reading the rows.
Result<std::vector<DeepTried>> searchDeepModels(const DeepSearchRequest& request);

} // namespace cannery::advice
