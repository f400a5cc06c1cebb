// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace cannery::kernels {

/// What a symmetric matrix is made of: the sum over i of values[i] * v v', v = row i of `vectors`.
struct SymmetricEigen
{
    std::vector<double> values;  ///< falling
    std::vector<double> vectors; ///< [size, size], rows of length 1 at right angles
};

/// Of a symmetric matrix [size, size] of finite numbers, of which the lower triangle is read; on
/// the calling thread, in about 9 size³ operations. Throws std::bad_alloc.
SymmetricEigen eigenOf(const std::vector<double>& matrix, std::size_t size);

} // namespace cannery::kernels
