// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/host_device.h"

#include <cstdint>

namespace cannery::kernels {

/// Of some rows of a column: their number, their mean, and the sum of the squares of their
/// distances to it; all 0 of no rows.
struct PartialMoments
{
    double rows = 0;
    double mean = 0;
    double squares = 0;

    /// Becomes that of the rows of both, without the loss of digits that sums of squares have
    /// (Chan, Golub and LeVeque 1979, "Updating Formulae and a Pairwise Algorithm").
    CANNERY_HOST_DEVICE constexpr void add(const PartialMoments& right)
    {
        const double all = rows + right.rows;
        if (all <= 0) {
            return;
        }
        const double share = right.rows / all;
        const double distance = right.mean - mean;
        mean += distance * share;
        squares += right.squares + distance * distance * (rows * share);
        rows = all;
    }
};

/// The moments of all columns: { number of rows, mean of each column, squares of each column }.
CANNERY_HOST_DEVICE constexpr std::int64_t partialMomentsSize(std::int64_t cols)
{
    return 1 + 2 * cols;
}

/// Those of one column.
CANNERY_HOST_DEVICE constexpr PartialMoments partialMomentsOf(const double* moments,
                                                              std::int64_t cols, std::int64_t col)
{
    return {.rows = moments[0], .mean = moments[1 + col], .squares = moments[1 + cols + col]};
}

} // namespace cannery::kernels
