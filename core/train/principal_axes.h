// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/linear_solution.h"

#include <optional>
#include <vector>

namespace cannery::train {

/// Rows turned to their principal axes: dense, with no more columns than there are rows. A ridge
/// solution (its bias free) says the same of each row as that of the rows they were made of, at the
/// same strength, and is found in a few rounds, as the columns stand at right angles.
struct TurnedRows
{
    LinearRows rows;
    std::vector<double> squares; ///< of each column the sum over the rows, falling; its mean is 0
    std::vector<double> axes;    ///< [columns, columns before]
    std::vector<double> means;   ///< of the columns before
};

/// Nothing when rows and columns are both so many that it does not pay.
std::optional<TurnedRows> turnedToAxes(const LinearRows& rows);

/// What a solution on the turned rows is on those they were made of.
LinearWeights turnedBack(const TurnedRows& turned, const LinearWeights& weights,
                         std::int64_t units);

/// Of each row the squared error of the ridge regression learned from all the others, units added
/// up; `targets` [rows, units]. Exact, by what each row weighs in its own prediction.
std::vector<double> leaveOneOutSquares(const TurnedRows& turned, const std::vector<float>& targets,
                                       std::int64_t units, double l2);

} // namespace cannery::train
