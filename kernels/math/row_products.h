// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace cannery::kernels {

/// sums += the sum over the rows of row' * row, for `rows` [any, columns] and `sums` [columns,
/// columns], of which only the lower triangle is written; on the calling thread, in about
/// rows * columns² operations. Throws std::bad_alloc.
void addRowProducts(std::span<const double> rows, std::size_t columns, std::span<double> sums);

} // namespace cannery::kernels
