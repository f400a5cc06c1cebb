// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace cannery::kernels {

/// The eigendecomposition of a symmetric matrix: the sum over i of values[i] * v v', v = row i of
/// `vectors`.
struct SymmetricEigen
{
    std::vector<double> values;  ///< descending
    std::vector<double> vectors; ///< [size, size], orthonormal rows
};

/// For a symmetric matrix [size, size] of finite numbers, of which only the lower triangle is read;
/// on the calling thread, in about 9 size³ operations. Throws std::bad_alloc.
SymmetricEigen eigenOf(const std::vector<double>& matrix, std::size_t size);

} // namespace cannery::kernels
