// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/preparation/linear_solution.h"
#include "kernels/math/positive_solver.h"

#include <optional>
#include <span>
#include <vector>

namespace cannery::train {

/// The second derivatives of a linear problem of squares (Hoerl & Kennard 1970), factored: 2 (X' W
/// X + l2) for centred columns X and row weights W, and 2 sum(W) for the bias, which centring makes
/// independent of them. Exact steps for any number of units. Immutable.
class NormalEquations
{
public:
    /// Nothing for other losses; with so many columns that conjugate gradients take less time or
    /// memory; if the rows weigh nothing; or if columns are combinations of others and `l2` is 0.
    static std::optional<NormalEquations> of(const LinearProblem& problem,
                                             std::span<const std::int64_t> rows, double l2);

    /// Minus the inverse second derivatives times a gradient, as LinearWeights.
    std::vector<double> stepFrom(std::span<const double> gradient) const;

private:
    NormalEquations(kernels::PositiveSolver solver, std::vector<double> means, double weight);

    kernels::PositiveSolver m_solver;
    std::vector<double> m_means; ///< of the columns
    double m_weight;             ///< of all rows
};

} // namespace cannery::train
