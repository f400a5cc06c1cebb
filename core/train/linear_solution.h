// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::train {

/// Rows of a linear model: row r has the entries [rowBegins[r], rowBegins[r + 1]).
struct LinearRows
{
    std::vector<std::int64_t> rowBegins{0};
    std::vector<std::int32_t> columns; ///< of each entry
    std::vector<float> values;         ///< of each entry
    std::int64_t columnCount = 0;

    std::int64_t rowCount() const { return static_cast<std::int64_t>(rowBegins.size()) - 1; }
};

enum class LinearLoss
{
    Squares,  ///< (z - target)², one for each unit
    Logistic, ///< sigmoid cross entropy, one for each unit
    Softmax,  ///< cross entropy over the units; the target is a class id
};

/// The sum over rows of weight * loss(z, target), z = rows * weights + bias + offsets, plus
/// l2 * (sum of squared weights); the bias is free.
struct LinearProblem
{
    LinearRows rows;
    LinearLoss loss = LinearLoss::Squares;
    std::int64_t units = 1;
    std::vector<float> targets;    ///< [rows, units], of a softmax [rows]
    std::vector<float> rowWeights; ///< [rows], or empty: all 1
    std::vector<float> offsets;    ///< [rows, units], or empty: all 0
};

/// float32 data says no more.
inline constexpr double kGradientLeft = 1e-6;

/// Weights [columnCount, units] with the bias [units] behind them.
using LinearWeights = std::vector<double>;

/// The minimum over the rows named, by Newton's method with conjugate gradients (Steihaug 1983;
/// Jacobi preconditioner): one round for squares, a few for the others. `start` may be empty.
/// Ends when the gradient is `gradientLeft` of the one without weights. Always finite for finite
/// data; a pure function of its arguments.
LinearWeights solveLinear(const LinearProblem& problem, std::span<const std::int64_t> rows,
                          double l2, LinearWeights start = {}, double gradientLeft = kGradientLeft);

/// The sum of losses over the rows named, without the penalty.
double linearLoss(const LinearProblem& problem, std::span<const std::int64_t> rows,
                  const LinearWeights& weights);

/// The gradient of the sum of losses by each weight, and how it bends along it (at least a little).
struct LinearSlopes
{
    std::vector<double> gradient;
    std::vector<double> curvature;
};

/// Of the rows named, without the penalty.
LinearSlopes linearSlopes(const LinearProblem& problem, std::span<const std::int64_t> rows,
                          const LinearWeights& weights);

} // namespace cannery::train
