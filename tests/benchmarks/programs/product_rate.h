// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/matmul.h"

#include <string>
#include <vector>

namespace cannery::benchmarks {

/// Microseconds of processor time that one implementation takes for a dense layer's products.
struct ProductTime
{
    std::string implementation;
    double forward = 0; ///< with bias and ReLU
    double srcGradient = 0;
    double weightsGradient = 0;

    double all() const { return forward + srcGradient + weightsGradient; }
};

/// All fast implementations of the list that accept the level and can be planned for the shapes,
/// whether they are chosen for them or not, on one thread. They take turns for at least `seconds`,
/// and the best turn of each counts.
std::vector<ProductTime> productTimes(const kernels::MatmulProblem& problem, double seconds);

} // namespace cannery::benchmarks
