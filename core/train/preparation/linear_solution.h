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
    std::vector<std::int32_t> columns; ///< one per entry
    std::vector<float> values;         ///< one per entry
    std::int64_t columnCount = 0;

    std::int64_t rowCount() const { return static_cast<std::int64_t>(rowBegins.size()) - 1; }
};

enum class LinearLoss
{
    Squares,  ///< (z - target)², summed over units
    Logistic, ///< sigmoid cross entropy, summed over units
    Softmax,  ///< cross entropy over the units; the target is a class id
};

/// The sum over rows of weight * loss(z, target), z = rows * weights + bias + offsets, plus
/// l2 * (sum of squared weights); the bias is free.
struct LinearProblem
{
    LinearRows rows;
    LinearLoss loss = LinearLoss::Squares;
    std::int64_t units = 1;
    std::vector<float> targets;    ///< [rows, units]; for a softmax [rows]
    std::vector<float> rowWeights; ///< [rows], or empty: all 1
    std::vector<float> offsets;    ///< [rows, units], or empty: all 0
};

/// The precision of float32 data.
inline constexpr double kGradientLeft = 1e-6;

/// Weights [columnCount, units] followed by the bias [units].
using LinearWeights = std::vector<double>;

/// The minimum over the given rows, by Newton's method: squares in one round, by the normal
/// equations if columns are few and independent (normal_equations.h), otherwise, as for the other
/// losses, with conjugate gradients (Steihaug 1983; Jacobi preconditioner). `start` may be empty.
/// Ends when the gradient is `gradientLeft` times that at zero weights. Always finite for finite
/// data; a pure function of its arguments.
LinearWeights solveLinear(const LinearProblem& problem, std::span<const std::int64_t> rows,
                          double l2, LinearWeights start = {}, double gradientLeft = kGradientLeft);

/// The sum of losses over the given rows, without the penalty.
double linearLoss(const LinearProblem& problem, std::span<const std::int64_t> rows,
                  const LinearWeights& weights);

/// The gradient of the sum of losses by each weight, and the curvature along it (bounded below).
struct LinearSlopes
{
    std::vector<double> gradient;
    std::vector<double> curvature;
};

/// Over the given rows, without the penalty.
LinearSlopes linearSlopes(const LinearProblem& problem, std::span<const std::int64_t> rows,
                          const LinearWeights& weights);

} // namespace cannery::train
