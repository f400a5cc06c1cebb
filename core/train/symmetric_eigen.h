#pragma once

#include <cstddef>
#include <vector>

namespace cannery::train {

/// What a symmetric matrix is made of: the sum over i of values[i] * v v', v = row i of `vectors`.
struct SymmetricEigen
{
    std::vector<double> values;  ///< falling
    std::vector<double> vectors; ///< [size, size], rows of length 1 at right angles
};

/// Of a symmetric matrix [size, size] of finite numbers, in about 6 size³ operations: Householder's
/// tridiagonal form and implicit QL steps (Dubrulle, Martin and Wilkinson 1968).
SymmetricEigen eigenOf(std::vector<double> matrix, std::size_t size);

} // namespace cannery::train
