// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/linear_search.h"
#include "core/advice/model_choice.h"
#include "core/advice/trial_count.h"
#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::advice {

struct TreeSearchRequest
{
    const StartingExperiment& starting;
    const spec::Experiment& experiment; ///< resolved, of trees
    const features::InputLayout& layout;
    const features::EncodedDataset& rows;
    std::span<const std::int64_t> used; ///< rows that positions in the folds mean
    const std::vector<Fold>& folds;
    ModelChoice choice; ///< of trees; what is not tried stays
    const std::string& folder;
    kernels::ThreadPool& pool;
    TrialCount& count;
};

/// Boosted trees of one size, as many as did best on average over the folds: of those numbers whose
/// loss may be the lowest, the one with the best measure.
struct TreesTried
{
    ModelChoice choice;
    Scores scores;
    double measure = 0; ///< TrialScore::measure, on average
    Scores lowest;      ///< of the number with the lowest loss
};

/// The number of kinds of trees that searchTrees() tries.
int treesToTry();

/// "trees of all columns, 8 leaves, 40 trees: loss 0.45", for the head of an experiment.
std::string noteOf(const TreesTried& tried);

/// Grows small and larger trees on every fold and scores them as they become more. The work is
/// bounded, and the answer always the same. Best first. Errors: those of reading the rows.
Result<std::vector<TreesTried>> searchTrees(const TreeSearchRequest& request);

} // namespace cannery::advice
