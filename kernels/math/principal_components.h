// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cannery::kernels {

/// The directions in which rows differ most, one after the other at right angles (Pearson 1901;
/// Jolliffe 2002, chapter 3).
struct PrincipalComponents
{
    std::vector<double> means;     ///< of the columns
    std::vector<double> variances; ///< of the rows along each component, descending; over the rows
    double totalVariance = 0;      ///< of all columns
    /// [components, columns], orthonormal rows; of the longest entries of each the first one is
    /// positive, so that pictures are never mirrored.
    std::vector<double> axes;
};

/// Of `rows` [any, columns], finite and with finite squares; no more than `most`, and none along
/// which the rows do not differ beyond rounding. By the smaller one of the products of columns and
/// of rows, in about rows * columns * side + 9 side³ operations for its side, on the calling
/// thread. The same bits in every call. Throws std::bad_alloc.
PrincipalComponents principalComponents(std::span<const double> rows, std::size_t columns,
                                        std::size_t most);

/// Rows [any, columns] along the components: [rows, components].
std::vector<double> projected(const PrincipalComponents& components, std::span<const double> rows);

} // namespace cannery::kernels
