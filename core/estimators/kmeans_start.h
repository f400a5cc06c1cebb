// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/nearest_centers.h"

#include <cstdint>

namespace cannery::estimators {

enum class KMeansStart
{
    Random,   ///< at rows drawn with replacement
    PlusPlus, ///< at rows drawn far from each other
    Given,
};

/// Sets centers to rows drawn uniformly, with replacement. A function of the seed and the rows.
void startAtRandom(kernels::ConstMatrixView points, std::uint64_t seed,
                   kernels::MatrixView centers);

/// k-means++ (Arthur, Vassilvitskii: k-means++: the advantages of careful seeding, SODA 2007), as
/// TensorFlow's KmeansPlusPlusInitialization: the first center is a row drawn uniformly; for each
/// other one, 1 + `retries` rows are drawn with a chance in proportion to their squared distance
/// from the nearest center so far, and the one that makes the sum of these smallest is taken. Rows
/// that all lie on centers are drawn uniformly. A function of the seed and the rows.
void startFarApart(kernels::ConstMatrixView points, std::uint64_t seed, std::int64_t retries,
                   kernels::ThreadPool& pool, kernels::MatrixView centers);

} // namespace cannery::estimators
