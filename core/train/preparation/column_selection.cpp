// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/column_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace cannery::train {
namespace {

/// Solutions are only compared by the residual that they leave.
constexpr double kSelectedNearEnough = 1e-4;

class ForwardSelection
{
public:
    ForwardSelection(const LinearProblem& problem, std::span<const std::int64_t> rows,
                     const ColumnGroups& groups, double l2)
        : m_problem(problem), m_rows(rows), m_groups(groups), m_l2(l2),
          m_units(static_cast<std::size_t>(problem.units)), m_isTaken(groups.count, false),
          m_weights(static_cast<std::size_t>((problem.rows.columnCount + 1) * problem.units), 0.0)
    {}

    std::vector<SelectedGroup> run(std::size_t most)
    {
        std::vector<SelectedGroup> selected;
        // The bias alone is the start: slopes are compared with its residual.
        fit();
        while (selected.size() < most) {
            const std::optional<std::size_t> next = strongest();
            if (!next) {
                break;
            }
            // Fitted again with each group, as related columns lose their slope by that.
            m_isTaken[*next] = true;
            fit();
            selected.push_back({*next, m_weights});
        }
        return selected;
    }

private:
    bool isTaken(std::size_t column) const { return m_isTaken[m_groups.ofColumn[column]]; }

    /// The expected size of a squared slope, relative to its curvature, by chance.
    double chance() const
    {
        // Squares grow with the residual's variance, other losses' slopes do not.
        if (m_problem.loss != LinearLoss::Squares) {
            return 1;
        }
        const auto count = static_cast<double>(m_rows.size() * m_units);
        return 2 * std::max(linearLoss(m_problem, m_rows, m_weights) / count,
                            std::numeric_limits<double>::min());
    }

    /// The group whose slopes exceed chance the most, in standard deviations.
    std::optional<std::size_t> strongest() const
    {
        const LinearSlopes slopes = linearSlopes(m_problem, m_rows, m_weights);
        const double byChance = chance();
        std::vector<double> sums(m_groups.count, 0.0);
        std::vector<double> widths(m_groups.count, 0.0);
        for (std::size_t i = 0; i < m_groups.ofColumn.size() * m_units; ++i) {
            const std::size_t group = m_groups.ofColumn[i / m_units];
            const double slope = slopes.gradient[i];
            // A column that is 0 in all rows has no slope and counts for nothing.
            if (slope != 0) {
                sums[group] += slope * slope / slopes.curvature[i] / byChance;
                widths[group] += 1;
            }
        }
        std::optional<std::size_t> best;
        double most = 0;
        for (std::size_t group = 0; group < m_groups.count; ++group) {
            // A sum of n squares varies by the root of n: wide groups do not win by their width.
            const double above =
                widths[group] > 0 ? (sums[group] - widths[group]) / std::sqrt(widths[group]) : 0;
            if (!m_isTaken[group] && widths[group] > 0 && (!best || above > most)) {
                best = group;
                most = above;
            }
        }
        return best;
    }

    /// m_weights: the solution on the columns taken so far.
    void fit()
    {
        std::vector<std::int32_t> places(m_groups.ofColumn.size(), -1);
        LinearProblem some{.loss = m_problem.loss, .units = m_problem.units};
        for (std::size_t column = 0; column < places.size(); ++column) {
            if (isTaken(column)) {
                places[column] = static_cast<std::int32_t>(some.rows.columnCount++);
            }
        }
        takeRows(places, some);
        std::vector<std::int64_t> all(m_rows.size());
        std::iota(all.begin(), all.end(), 0);
        // The last solution is near the next: only one group is new.
        const LinearWeights solved =
            solveLinear(some, all, m_l2, startFrom(places, some), kSelectedNearEnough);
        copyBetween(places,
                    [&](std::size_t whole, std::size_t part) { m_weights[whole] = solved[part]; });
    }

    LinearWeights startFrom(const std::vector<std::int32_t>& places,
                            const LinearProblem& some) const
    {
        LinearWeights start(static_cast<std::size_t>(some.rows.columnCount + 1) * m_units, 0.0);
        copyBetween(places,
                    [&](std::size_t whole, std::size_t part) { start[part] = m_weights[whole]; });
        return start;
    }

    /// For each weight of the columns taken, and the bias: its index among all columns and among
    /// these.
    template <typename Copy>
    void copyBetween(const std::vector<std::int32_t>& places, Copy copy) const
    {
        std::size_t part = 0;
        // The bias comes after the columns, in both orders.
        for (std::size_t column = 0; column <= places.size(); ++column) {
            if (column == places.size() || places[column] >= 0) {
                for (std::size_t unit = 0; unit < m_units; ++unit) {
                    copy(column * m_units + unit, part++);
                }
            }
        }
    }

    void takeRows(const std::vector<std::int32_t>& places, LinearProblem& some) const
    {
        const LinearRows& rows = m_problem.rows;
        // A softmax has one target per row, the number of its class.
        const std::size_t targets = m_problem.loss == LinearLoss::Softmax ? 1 : m_units;
        for (const std::int64_t row : m_rows) {
            const auto at = static_cast<std::size_t>(row);
            for (auto i = static_cast<std::size_t>(rows.rowBegins[at]);
                 i < static_cast<std::size_t>(rows.rowBegins[at + 1]); ++i) {
                const std::int32_t place = places[static_cast<std::size_t>(rows.columns[i])];
                if (place >= 0) {
                    some.rows.columns.push_back(place);
                    some.rows.values.push_back(rows.values[i]);
                }
            }
            some.rows.rowBegins.push_back(static_cast<std::int64_t>(some.rows.columns.size()));
            for (std::size_t unit = 0; unit < targets; ++unit) {
                some.targets.push_back(m_problem.targets[at * targets + unit]);
            }
            if (!m_problem.rowWeights.empty()) {
                some.rowWeights.push_back(m_problem.rowWeights[at]);
            }
        }
    }

    const LinearProblem& m_problem;
    std::span<const std::int64_t> m_rows;
    const ColumnGroups& m_groups;
    double m_l2;
    std::size_t m_units;
    std::vector<bool> m_isTaken;
    LinearWeights m_weights;
};

} // namespace

std::vector<SelectedGroup> selectForward(const LinearProblem& problem,
                                         std::span<const std::int64_t> rows,
                                         const ColumnGroups& groups, std::size_t most, double l2)
{
    return ForwardSelection(problem, rows, groups, l2).run(most);
}

} // namespace cannery::train
