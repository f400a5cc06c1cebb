// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/preparation/linear_solution.h"

#include <optional>
#include <vector>

namespace cannery::train {

/// Rows rotated to their principal axes: dense, with no more columns than rows. A ridge solution
/// (with a free bias) gives the same predictions on them as on the original rows, at the same
/// strength, and is found in a few rounds since the columns are orthogonal.
struct TurnedRows
{
    LinearRows rows;
    std::vector<double>
        squares;              ///< for each column, the sum over the rows, descending; its mean is 0
    std::vector<double> axes; ///< [columns, original columns]
    std::vector<double> means; ///< of the original columns
};

/// Nothing if rows and columns are both too many for it to pay off.
std::optional<TurnedRows> turnedToAxes(const LinearRows& rows);

/// A solution on the rotated rows, in terms of the original ones.
LinearWeights turnedBack(const TurnedRows& turned, const LinearWeights& weights,
                         std::int64_t units);

/// For each row the squared error of the ridge regression trained on all other rows, summed over
/// units; `targets` [rows, units]. Exact, from each row's leverage.
std::vector<double> leaveOneOutSquares(const TurnedRows& turned, const std::vector<float>& targets,
                                       std::int64_t units, double l2);

} // namespace cannery::train
