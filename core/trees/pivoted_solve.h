// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace cannery::trees {

/// Solves a x = b by Householder reflections of the column with the largest rest, as Eigen's
/// ColPivHouseholderQR does (Golub, Van Loan: Matrix Computations, 5.4.2). `a`: n x n, row by row,
/// overwritten; `b`: n numbers, overwritten by x. Columns that are a combination of the others, up
/// to rounding, get an x of 0; x is 0 where a is.
void solvePivoted(std::span<float> a, std::span<float> b);

} // namespace cannery::trees
