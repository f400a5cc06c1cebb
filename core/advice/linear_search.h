// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/preparation/column_selection.h"
#include "core/train/preparation/linear_solution.h"
#include "core/train/preparation/principal_axes.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cannery::advice {

/// Rows to learn from and rows to score on.
struct Fold
{
    std::vector<std::int64_t> learned;
    std::vector<std::int64_t> heldOut;
};

/// Row positions in random order, cut into `parts`, of which the first `count` are held out in
/// turn.
std::vector<Fold> makeFolds(std::int64_t rows, std::int64_t parts, std::int64_t count);

/// The rows at positions of a fold, where `used` holds the row of each position.
std::vector<std::int64_t> rowsAt(std::span<const std::int64_t> used,
                                 std::span<const std::int64_t> positions);

/// The mean loss on each fold's held-out rows.
using Scores = std::vector<double>;

double mean(const Scores& scores);

/// Whether the first wins by more than `clearly` standard errors of the difference, and visibly.
bool isClearlyBetter(const Scores& first, const Scores& second, double clearly);

/// A linear problem, and the simpler one that is solved instead if its rows could be rotated to
/// their principal axes.
class LinearTable
{
public:
    explicit LinearTable(train::LinearProblem problem);

    const train::LinearProblem& problem() const { return m_problem; }
    /// The one to solve: same losses, other weights.
    const train::LinearProblem& simpler() const { return m_simpler; }
    const std::optional<train::TurnedRows>& turned() const { return m_turned; }
    /// The problem's weights for those of the simpler one.
    train::LinearWeights weightsOf(const train::LinearWeights& simpler) const;

private:
    train::LinearProblem m_problem;
    train::LinearProblem m_simpler;
    std::optional<train::TurnedRows> m_turned;
};

/// Judges linear models on rows that they did not learn from. The work depends only on the size of
/// the problem, so the same table always gets the same answer.
class LinearSearch
{
public:
    /// `work`: entries times units of the largest problem to come.
    LinearSearch(std::int64_t rows, double work, kernels::ThreadPool& pool);

    struct Found
    {
        double l2 = 1;
        Scores scores;
        std::vector<train::LinearWeights> weights; ///< of each fold, for the simpler problem
    };

    /// The best strength of regularization: for squared errors by leaving out each row, exactly,
    /// like RidgeCV; otherwise on the folds, where scikit-learn's usual strength is kept unless
    /// another one is better by more than chance.
    Found bestStrength(const LinearTable& table) const;

    /// The mean loss of the best model without columns.
    double guess(const train::LinearProblem& problem) const;

    const std::vector<Fold>& folds() const { return m_folds; }

    struct Selected
    {
        std::vector<std::size_t> groups; ///< in the order of selection
        Scores scores;
    };

    /// First the number of groups that is best when each fold selects its own, with the groups
    /// selected on all rows; then some with more groups, for a model that makes more of each. Empty
    /// if that would be too much work.
    std::vector<Selected> select(const train::LinearProblem& problem,
                                 const train::ColumnGroups& groups) const;

private:
    std::vector<Scores> selectionScores(const train::LinearProblem& problem,
                                        const train::ColumnGroups& groups, double l2) const;
    Found alongThePath(const train::LinearProblem& problem) const;
    Found solved(const train::LinearProblem& problem, double l2,
                 std::vector<train::LinearWeights> start) const;

    std::int64_t m_rows;
    std::vector<Fold> m_folds;
    kernels::ThreadPool& m_pool;
};

} // namespace cannery::advice
