// SPDX-License-Identifier: Apache-2.0
#include "core/plan/weights/orthogonal_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cannery::plan {

namespace {

/// Modified Gram-Schmidt on the columns of a matrix [rows, cols] of at least as many rows; loops
/// run along rows, so that they vectorize.
void makeColumnsOrthogonal(std::size_t rows, std::size_t cols, std::vector<double>& matrix)
{
    std::vector<double> shares(cols);
    for (std::size_t column = 0; column < cols; ++column) {
        double squares = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            squares += matrix[row * cols + column] * matrix[row * cols + column];
        }
        const double scale = 1 / std::sqrt(squares);
        std::fill(shares.begin(), shares.end(), 0.0);
        for (std::size_t row = 0; row < rows; ++row) {
            double* values = matrix.data() + row * cols;
            values[column] *= scale;
            for (std::size_t later = column + 1; later < cols; ++later) {
                shares[later] += values[column] * values[later];
            }
        }
        for (std::size_t row = 0; row < rows; ++row) {
            double* values = matrix.data() + row * cols;
            for (std::size_t later = column + 1; later < cols; ++later) {
                values[later] -= values[column] * shares[later];
            }
        }
    }
}

} // namespace

std::vector<float> orthogonalValues(std::int64_t rows, std::int64_t cols,
                                    const std::function<double(std::int64_t)>& draw)
{
    const auto tall = static_cast<std::size_t>(std::max(rows, cols));
    const auto narrow = static_cast<std::size_t>(std::min(rows, cols));
    std::vector<double> matrix(tall * narrow);
    for (std::size_t index = 0; index < matrix.size(); ++index) {
        matrix[index] = draw(static_cast<std::int64_t>(index));
    }
    makeColumnsOrthogonal(tall, narrow, matrix);
    std::vector<float> values(matrix.size());
    for (std::size_t index = 0; index < values.size(); ++index) {
        const std::size_t row = index / static_cast<std::size_t>(cols);
        const std::size_t col = index % static_cast<std::size_t>(cols);
        values[index] = static_cast<float>(rows >= cols ? matrix[row * narrow + col]
                                                        : matrix[col * narrow + row]);
    }
    return values;
}

} // namespace cannery::plan
