// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace cannery::plan {

/// A matrix [rows, cols], row by row, whose columns have length 1 and are at right angles (its rows
/// if those are fewer): the Q of the QR decomposition of a tall matrix of random numbers, with a
/// positive diagonal of R, as Keras's Orthogonal (Saxe et al. 2014). `draw` gives element i of the
/// tall matrix, from a standard normal distribution.
std::vector<float> orthogonalValues(std::int64_t rows, std::int64_t cols,
                                    const std::function<double(std::int64_t)>& draw);

} // namespace cannery::plan
