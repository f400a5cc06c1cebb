// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/principal_axes.h"

#include "kernels/math/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cannery::train {
namespace {

constexpr std::int64_t kMostAxes = 512;
/// Upper bound on multiplications for the products of rows and columns.
constexpr double kMostWork = 4e9;
/// Axes along which the rows vary by less than this, relative to the longest, are rounding errors.
constexpr double kShortest = 1e-12;
/// A row whose leverage is 1 says nothing about the others.
constexpr double kLeastOfOthers = 1e-8;

struct Entry
{
    std::size_t place;
    double value;
};

std::vector<double> columnMeans(const LinearRows& rows)
{
    std::vector<double> means(static_cast<std::size_t>(rows.columnCount), 0.0);
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
        means[static_cast<std::size_t>(rows.columns[i])] += static_cast<double>(rows.values[i]);
    }
    for (double& mean : means) {
        mean /= static_cast<double>(rows.rowCount());
    }
    return means;
}

std::vector<std::vector<Entry>> entriesOfRows(const LinearRows& rows)
{
    std::vector<std::vector<Entry>> all(static_cast<std::size_t>(rows.rowCount()));
    for (std::size_t row = 0; row < all.size(); ++row) {
        for (auto i = static_cast<std::size_t>(rows.rowBegins[row]);
             i < static_cast<std::size_t>(rows.rowBegins[row + 1]); ++i) {
            all[row].push_back(
                {static_cast<std::size_t>(rows.columns[i]), static_cast<double>(rows.values[i])});
        }
    }
    return all;
}

std::vector<std::vector<Entry>> entriesOfColumns(const LinearRows& rows)
{
    std::vector<std::vector<Entry>> all(static_cast<std::size_t>(rows.columnCount));
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.rowCount()); ++row) {
        for (auto i = static_cast<std::size_t>(rows.rowBegins[row]);
             i < static_cast<std::size_t>(rows.rowBegins[row + 1]); ++i) {
            all[static_cast<std::size_t>(rows.columns[i])].push_back(
                {row, static_cast<double>(rows.values[i])});
        }
    }
    return all;
}

double pairsOf(const std::vector<std::vector<Entry>>& lists)
{
    // Each list is multiplied with itself, so squares of the lengths are the work.
    return std::accumulate(lists.begin(), lists.end(), 0.0, [](double sum, const auto& list) {
        return sum + static_cast<double>(list.size() * list.size());
    });
}

/// The sum over lists of list * list', [size, size].
std::vector<double> productOf(const std::vector<std::vector<Entry>>& lists, std::size_t size)
{
    std::vector<double> product(size * size, 0.0);
    for (const std::vector<Entry>& list : lists) {
        for (const Entry& a : list) {
            double* out = product.data() + a.place * size;
            for (const Entry& b : list) {
                out[b.place] += a.value * b.value;
            }
        }
    }
    return product;
}

/// Subtracting the means in the rows themselves would make sparse rows dense.
/// Of rows * rows', as if each column's mean had been subtracted.
void centerBothWays(std::vector<double>& product, std::size_t size)
{
    std::vector<double> means(size, 0.0);
    double all = 0;
    for (std::size_t i = 0; i < size; ++i) {
        means[i] =
            std::accumulate(product.begin() + static_cast<std::ptrdiff_t>(i * size),
                            product.begin() + static_cast<std::ptrdiff_t>((i + 1) * size), 0.0) /
            static_cast<double>(size);
        all += means[i] / static_cast<double>(size);
    }
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            product[i * size + j] += all - means[i] - means[j];
        }
    }
}

std::size_t axesWorthKeeping(const std::vector<double>& values)
{
    // Values descend, so all after the first short one are short.
    const auto end = std::find_if(values.begin(), values.end(), [&](double value) {
        return !(value > kShortest * values.front()) || !(value > 0);
    });
    return static_cast<std::size_t>(end - values.begin());
}

/// Dense rows [rows, columns] as a problem's rows.
TurnedRows turned(std::vector<float> values, std::size_t rows, std::size_t columns,
                  std::vector<double> squares)
{
    TurnedRows all{.squares = std::move(squares)};
    all.squares.resize(columns);
    all.rows.columnCount = static_cast<std::int64_t>(columns);
    // Dense: every row has a part along every axis.
    all.rows.values = std::move(values);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            all.rows.columns.push_back(static_cast<std::int32_t>(column));
        }
        all.rows.rowBegins.push_back(static_cast<std::int64_t>(all.rows.columns.size()));
    }
    return all;
}

/// With more columns than rows.
std::optional<TurnedRows> turnWide(const LinearRows& rows)
{
    const auto size = static_cast<std::size_t>(rows.rowCount());
    const std::vector<std::vector<Entry>> columns = entriesOfColumns(rows);
    // Too much work, although there are few rows.
    if (pairsOf(columns) > kMostWork) {
        return std::nullopt;
    }
    std::vector<double> product = productOf(columns, size);
    centerBothWays(product, size);
    kernels::SymmetricEigen eigen = kernels::eigenOf(product, size);
    const std::size_t axes = axesWorthKeeping(eigen.values);
    std::vector<float> values(size * axes);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        // An eigenvector times its length has the rows' coordinates.
        const double length = std::sqrt(eigen.values[axis]);
        for (std::size_t row = 0; row < size; ++row) {
            values[row * axes + axis] =
                static_cast<float>(length * eigen.vectors[axis * size + row]);
        }
    }
    TurnedRows all = turned(std::move(values), size, axes, std::move(eigen.values));
    all.means = columnMeans(rows);
    all.axes.resize(axes * columns.size());
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const double* part = eigen.vectors.data() + axis * size;
        const double length = std::sqrt(all.squares[axis]);
        for (std::size_t column = 0; column < columns.size(); ++column) {
            // An eigenvector sums to 0, so means need not be subtracted.
            double sum = 0;
            for (const Entry& entry : columns[column]) {
                sum += entry.value * part[entry.place];
            }
            // Divided by the root of its square, an axis has the length 1.
            all.axes[axis * columns.size() + column] = sum / length;
        }
    }
    return all;
}

/// The centred rows, projected on each axis.
std::vector<float> along(const std::vector<std::vector<Entry>>& rows,
                         const std::vector<double>& means, const kernels::SymmetricEigen& eigen,
                         std::size_t axes)
{
    const std::size_t size = means.size();
    std::vector<double> byColumn(size * axes);
    std::vector<double> middle(axes, 0.0);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        for (std::size_t column = 0; column < size; ++column) {
            const double part = eigen.vectors[axis * size + column];
            byColumn[column * axes + axis] = part;
            middle[axis] += means[column] * part;
        }
    }
    std::vector<float> values;
    values.reserve(rows.size() * axes);
    std::vector<double> sums(axes);
    // Rows are sparse, so their means are subtracted once, along the axes.
    for (const std::vector<Entry>& row : rows) {
        for (std::size_t axis = 0; axis < axes; ++axis) {
            sums[axis] = -middle[axis];
        }
        for (const Entry& entry : row) {
            const double* part = byColumn.data() + entry.place * axes;
            for (std::size_t axis = 0; axis < axes; ++axis) {
                sums[axis] += entry.value * part[axis];
            }
        }
        for (const double sum : sums) {
            values.push_back(static_cast<float>(sum));
        }
    }
    return values;
}

std::optional<TurnedRows> turnLong(const LinearRows& rows)
{
    const auto size = static_cast<std::size_t>(rows.columnCount);
    const std::vector<std::vector<Entry>> lists = entriesOfRows(rows);
    // Both the products of the rows and the projection count.
    if (pairsOf(lists) + static_cast<double>(rows.columns.size() * size) > kMostWork) {
        return std::nullopt;
    }
    const std::vector<double> means = columnMeans(rows);
    std::vector<double> product = productOf(lists, size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            // The products of centred rows, without centring them.
            product[i * size + j] -= static_cast<double>(lists.size()) * means[i] * means[j];
        }
    }
    kernels::SymmetricEigen eigen = kernels::eigenOf(product, size);
    const std::size_t axes = axesWorthKeeping(eigen.values);
    std::vector<float> values = along(lists, means, eigen, axes);
    TurnedRows all = turned(std::move(values), lists.size(), axes, std::move(eigen.values));
    eigen.vectors.resize(axes * size);
    all.axes = std::move(eigen.vectors);
    all.means = means;
    return all;
}

} // namespace

std::optional<TurnedRows> turnedToAxes(const LinearRows& rows)
{
    if (std::min(rows.rowCount(), rows.columnCount) > kMostAxes || rows.rowCount() == 0) {
        // Rows or columns, whichever are fewer, make the matrix.
        return std::nullopt;
    }
    return rows.columnCount > rows.rowCount() ? turnWide(rows) : turnLong(rows);
}

LinearWeights turnedBack(const TurnedRows& turned, const LinearWeights& weights, std::int64_t units)
{
    const std::size_t columns = turned.means.size();
    const std::size_t axes = turned.squares.size();
    const auto width = static_cast<std::size_t>(units);
    LinearWeights back((columns + 1) * width, 0.0);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const double* parts = turned.axes.data() + axis * columns;
        for (std::size_t i = 0; i < columns * width; ++i) {
            // Weights of axes, expressed in those of columns.
            back[i] += parts[i / width] * weights[axis * width + i % width];
        }
    }
    for (std::size_t unit = 0; unit < width; ++unit) {
        double& bias = back[columns * width + unit];
        bias = weights[axes * width + unit];
        for (std::size_t column = 0; column < columns; ++column) {
            // The means that rows were centred by move into the bias.
            bias -= turned.means[column] * back[column * width + unit];
        }
    }
    return back;
}

std::vector<double> leaveOneOutSquares(const TurnedRows& turned, const std::vector<float>& targets,
                                       std::int64_t units, double l2)
{
    const auto rows = static_cast<std::size_t>(turned.rows.rowCount());
    const std::size_t axes = turned.squares.size();
    const auto width = static_cast<std::size_t>(units);
    std::vector<double> means(width, 0.0);
    std::vector<double> weights(axes * width, 0.0);
    for (std::size_t i = 0; i < rows * width; ++i) {
        // The bias of a row left out is the mean, as axes have none.
        means[i % width] += static_cast<double>(targets[i]) / static_cast<double>(rows);
    }
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t unit = 0; unit < width; ++unit) {
            const double target = static_cast<double>(targets[row * width + unit]) - means[unit];
            for (std::size_t axis = 0; axis < axes; ++axis) {
                // On orthogonal axes, each weight has its own equation.
                weights[unit * axes + axis] +=
                    target * static_cast<double>(turned.rows.values[row * axes + axis]) /
                    (turned.squares[axis] + l2);
            }
        }
    }
    std::vector<double> errors(rows, 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
        const float* x = turned.rows.values.data() + row * axes;
        // The row's own influence on its prediction: the bias's part first.
        double own = 1.0 / static_cast<double>(rows);
        for (std::size_t axis = 0; axis < axes; ++axis) {
            own += static_cast<double>(x[axis]) * static_cast<double>(x[axis]) /
                   (turned.squares[axis] + l2);
        }
        for (std::size_t unit = 0; unit < width; ++unit) {
            double left = static_cast<double>(targets[row * width + unit]) - means[unit];
            for (std::size_t axis = 0; axis < axes; ++axis) {
                left -= static_cast<double>(x[axis]) * weights[unit * axes + axis];
            }
            // Without the row the error is larger by this, so that it need not be solved again.
            left /= std::max(1 - own, kLeastOfOthers);
            errors[row] += left * left;
        }
    }
    return errors;
}

} // namespace cannery::train
