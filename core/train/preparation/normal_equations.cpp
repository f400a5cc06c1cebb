// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/normal_equations.h"

#include "kernels/math/row_products.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cannery::train {

namespace {

constexpr std::int64_t kMostColumns = 512;
/// Multiplications for the product: about a second.
constexpr double kMostProducts = 4e9;
constexpr std::size_t kRowsOfBlock = 256;
/// What rounding leaves of the squares of a column without variance, relative to its own.
constexpr double kVarianceLeft = 1e-24;

double weightOf(const LinearProblem& problem, std::size_t row)
{
    return problem.rowWeights.empty() ? 1.0 : static_cast<double>(problem.rowWeights[row]);
}

template <typename Use>
void forEachEntry(const LinearRows& rows, std::size_t row, Use use)
{
    const auto end = static_cast<std::size_t>(rows.rowBegins[row + 1]);
    for (auto i = static_cast<std::size_t>(rows.rowBegins[row]); i < end; ++i) {
        use(static_cast<std::size_t>(rows.columns[i]), static_cast<double>(rows.values[i]));
    }
}

/// Sums over the rows, by weight.
struct Sums
{
    double weight = 0;
    std::vector<double> means;
    std::vector<double> squares;

    Sums(const LinearProblem& problem, std::span<const std::int64_t> rows)
        : means(static_cast<std::size_t>(problem.rows.columnCount), 0.0), squares(means)
    {
        for (const std::int64_t at : rows) {
            const auto row = static_cast<std::size_t>(at);
            const double own = weightOf(problem, row);
            // Columns are weighed like the loss of their row.
            weight += own;
            forEachEntry(problem.rows, row, [&](std::size_t column, double value) {
                means[column] += own * value;
                squares[column] += own * value * value;
            });
        }
        for (double& mean : means) {
            // Rows that all weigh 0 leave nothing to solve.
            mean = weight > 0 ? mean / weight : 0.0;
        }
    }
};

/// X' W X of the centred columns, the lower triangle: centred before they are multiplied, since
/// little is left of the difference of large products.
std::vector<double> centredProducts(const LinearProblem& problem,
                                    std::span<const std::int64_t> rows,
                                    const std::vector<double>& means)
{
    const std::size_t columns = means.size();
    std::vector<double> products(columns * columns, 0.0);
    std::vector<double> block;
    block.reserve(kRowsOfBlock * columns);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = static_cast<std::size_t>(rows[i]);
        // The root, as each product has it twice.
        const double root = std::sqrt(weightOf(problem, row));
        const std::size_t begin = block.size();
        for (const double mean : means) {
            // A cell of 0 is minus the mean once centred, so the block is dense.
            block.push_back(-root * mean);
        }
        forEachEntry(problem.rows, row, [&](std::size_t column, double value) {
            block[begin + column] += root * value;
        });
        // Blocks keep the rows in the cache while their products are added.
        if (block.size() == kRowsOfBlock * columns || i + 1 == rows.size()) {
            kernels::addRowProducts(block, columns, products);
            block.clear();
        }
    }
    return products;
}

} // namespace

NormalEquations::NormalEquations(kernels::PositiveSolver solver, std::vector<double> means,
                                 double weight)
    : m_solver(std::move(solver)), m_means(std::move(means)), m_weight(weight)
{}

std::optional<NormalEquations> NormalEquations::of(const LinearProblem& problem,
                                                   std::span<const std::int64_t> rows, double l2)
{
    const auto columns = static_cast<double>(problem.rows.columnCount);
    // Other losses have no normal equations; many columns are solved in rounds instead.
    if (problem.loss != LinearLoss::Squares || problem.rows.columnCount > kMostColumns ||
        static_cast<double>(rows.size()) * columns * columns > kMostProducts) {
        return std::nullopt;
    }
    Sums sums(problem, rows);
    // NaN weights fail this comparison as well.
    if (!(sums.weight > 0) || !std::isfinite(sums.weight)) {
        return std::nullopt;
    }
    std::vector<double> matrix = centredProducts(problem, rows, sums.means);
    for (std::size_t i = 0; i < sums.means.size(); ++i) {
        double& own = matrix[i * sums.means.size() + i];
        // The bias takes the part of a column without variance: its weight stays.
        own = own > kVarianceLeft * sums.squares[i] ? own + l2 : l2 > 0 ? l2 : 1.0;
    }
    std::optional<kernels::PositiveSolver> solver =
        kernels::PositiveSolver::of(matrix, sums.means.size());
    if (!solver) {
        return std::nullopt;
    }
    return NormalEquations(std::move(*solver), std::move(sums.means), sums.weight);
}

std::vector<double> NormalEquations::stepFrom(std::span<const double> gradient) const
{
    const std::size_t columns = m_means.size();
    const std::size_t units = gradient.size() / (columns + 1);
    std::vector<double> step(gradient.size());
    std::vector<double> right(columns);
    for (std::size_t unit = 0; unit < units; ++unit) {
        const double ofBias = gradient[columns * units + unit];
        for (std::size_t column = 0; column < columns; ++column) {
            // The slope of the bias is taken out of each column's: columns are centred, the
            // gradient is not.
            right[column] = -(gradient[column * units + unit] - m_means[column] * ofBias) / 2;
        }
        const std::vector<double> solved = m_solver.solve(right);
        double bias = -ofBias / (2 * m_weight);
        for (std::size_t column = 0; column < columns; ++column) {
            step[column * units + unit] = solved[column];
            bias -= m_means[column] * solved[column];
        }
        step[columns * units + unit] = bias;
    }
    return step;
}

} // namespace cannery::train
