// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/principal_components.h"

#include "kernels/math/row_products.h"
#include "kernels/math/symmetric_eigen.h"

#include <algorithm>
#include <cmath>

namespace cannery::kernels {

namespace {

/// Relative to the first: less is what rounding leaves of no variance.
constexpr double kLeastVariance = 1e-12;
/// Relative to the squares of the numbers themselves, for rows that are all the same.
constexpr double kLeastOfSquares = 1e-28;
/// Entries of one length but for rounding.
constexpr double kSameLength = 1 - 1e-6;

/// Rows minus the means; by columns: [columns, rows].
std::vector<double> centred(std::span<const double> rows, const std::vector<double>& means,
                            bool byColumns)
{
    const std::size_t columns = means.size();
    const std::size_t count = rows.size() / columns;
    std::vector<double> out(rows.size());
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            out[byColumns ? column * count + row : row * columns + column] =
                rows[row * columns + column] - means[column];
        }
    }
    return out;
}

void pointForward(std::span<double> axis)
{
    double longest = 0;
    for (const double entry : axis) {
        longest = std::max(longest, std::fabs(entry));
    }
    const auto first = std::find_if(axis.begin(), axis.end(), [&](double entry) {
        return std::fabs(entry) >= kSameLength * longest;
    });
    // An axis has no direction of its own; a rule makes equal tables give equal axes.
    if (first != axis.end() && *first < 0) {
        for (double& entry : axis) {
            entry = -entry;
        }
    }
}

/// An eigenvector of the products of rows, as a combination of the rows.
void addAxis(std::span<const double> byColumns, std::span<const double> vector, double length,
             std::vector<double>& axes)
{
    for (std::size_t begin = 0; begin < byColumns.size(); begin += vector.size()) {
        double sum = 0;
        for (std::size_t row = 0; row < vector.size(); ++row) {
            sum += byColumns[begin + row] * vector[row];
        }
        axes.push_back(sum / length);
    }
}

} // namespace

PrincipalComponents principalComponents(std::span<const double> rows, std::size_t columns,
                                        std::size_t most)
{
    PrincipalComponents all{.means = std::vector<double>(columns, 0.0)};
    const std::size_t count = columns == 0 ? 0 : rows.size() / columns;
    double squares = 0;
    for (std::size_t i = 0; i < count * columns; ++i) {
        all.means[i % columns] += rows[i] / static_cast<double>(count);
        squares += rows[i] * rows[i];
    }
    // Products of the shorter side need less work.
    const bool isWide = columns > count;
    const std::size_t side = isWide ? count : columns;
    if (side == 0) {
        return all;
    }
    const std::vector<double> numbers = centred(rows, all.means, isWide);
    std::vector<double> products(side * side, 0.0);
    addRowProducts(numbers, side, products);
    const SymmetricEigen eigen = eigenOf(products, side);
    for (std::size_t i = 0; i < side; ++i) {
        const double value = eigen.values[i];
        // Rounding errors of rows that are all the same.
        if (!(value > kLeastOfSquares * squares)) {
            break;
        }
        all.totalVariance += value / static_cast<double>(count);
        // Their variance counts in the total, although the axis is not kept.
        if (all.variances.size() == most || !(value > kLeastVariance * eigen.values.front())) {
            continue;
        }
        all.variances.push_back(value / static_cast<double>(count));
        const std::span<const double> vector = std::span(eigen.vectors).subspan(i * side, side);
        if (isWide) {
            addAxis(numbers, vector, std::sqrt(value), all.axes);
        } else {
            all.axes.insert(all.axes.end(), vector.begin(), vector.end());
        }
        pointForward(std::span(all.axes).last(columns));
    }
    return all;
}

std::vector<double> projected(const PrincipalComponents& components, std::span<const double> rows)
{
    const std::size_t columns = components.means.size();
    std::vector<double> out;
    out.reserve(columns == 0 ? 0 : rows.size() / columns * components.variances.size());
    for (std::size_t begin = 0; begin + columns <= rows.size() && columns > 0; begin += columns) {
        for (std::size_t first = 0; first < components.axes.size(); first += columns) {
            double sum = 0;
            for (std::size_t i = 0; i < columns; ++i) {
                sum += components.axes[first + i] * (rows[begin + i] - components.means[i]);
            }
            out.push_back(sum);
        }
    }
    return out;
}

} // namespace cannery::kernels
