// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/sparse_gradient.h"
#include "tests/kernels/accelerator/device_case.h"

#include <map>

/// Gradients of some rows of a table, on a device and not.
namespace cannery::tests {

/// Of at most `capacity` rows; the number of them is wrong.
inline kernels::DeviceSparse roomFor(DeviceCase& device, std::int64_t capacity, std::int64_t cols,
                                     std::int64_t tableRows)
{
    return {device.room<std::int32_t>(capacity),
            device.room<float>(capacity * cols),
            device.put(std::vector<std::int64_t>{-1}),
            capacity,
            cols,
            tableRows};
}

/// The values of each row.
using Rows = std::map<std::int32_t, std::vector<float>>;

/// Its rows must be ascending, each once.
inline Rows rowsOf(DeviceCase& device, const kernels::DeviceSparse& gradient)
{
    const std::int64_t count = device.take(gradient.count, 1)[0];
    const std::vector<std::int32_t> rows = device.take(gradient.rows, count);
    const std::vector<float> values = device.take(gradient.values, count * gradient.cols);
    Rows result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0 && rows[i] <= rows[i - 1]) {
            return {};
        }
        const auto cols = static_cast<std::ptrdiff_t>(gradient.cols);
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(i) * cols;
        result[rows[i]] = std::vector<float>(first, first + cols);
    }
    return result;
}

inline Rows rowsOf(const kernels::SparseGradient& gradient)
{
    Rows result;
    for (std::int64_t i = 0; i < gradient.rowCount(); ++i) {
        const auto row = gradient.view().row(i);
        result[gradient.rows[static_cast<std::size_t>(i)]] =
            std::vector<float>(row.begin(), row.end());
    }
    return result;
}

inline QByteArray differenceOf(const Rows& actual, const Rows& expected)
{
    if (actual.size() != expected.size()) {
        return "other rows";
    }
    for (const auto& [row, values] : expected) {
        if (!actual.contains(row)) {
            return "row " + QByteArray::number(row) + " is missing";
        }
        const QByteArray found = difference(actual.at(row), values, 1e-5, 2e-6);
        if (!found.isEmpty()) {
            return "row " + QByteArray::number(row) + ": " + found;
        }
    }
    return {};
}

inline void verifySame(const Rows& actual, const Rows& expected)
{
    const QByteArray found = differenceOf(actual, expected);
    QVERIFY2(found.isEmpty(), found.constData());
}

/// A gradient of these rows, each of whose values is the row's number and a part.
inline kernels::SparseGradient gradientOf(const std::vector<std::int32_t>& rows, std::int64_t cols,
                                          float part)
{
    kernels::SparseGradient gradient{cols, rows, {}};
    for (const std::int32_t row : rows) {
        for (std::int64_t c = 0; c < cols; ++c) {
            gradient.values.push_back(static_cast<float>(row) + part * static_cast<float>(c + 1));
        }
    }
    return gradient;
}

/// With room for two rows more.
inline kernels::DeviceSparse put(DeviceCase& device, const kernels::SparseGradient& gradient,
                                 std::int64_t tableRows)
{
    kernels::SparseGradient roomy = gradient;
    roomy.rows.resize(gradient.rows.size() + 2, 77);
    roomy.values.resize(roomy.rows.size() * static_cast<std::size_t>(gradient.cols), 1e9F);
    return {device.put(roomy.rows),
            device.put(roomy.values),
            device.put(std::vector<std::int64_t>{gradient.rowCount()}),
            roomy.rowCount(),
            gradient.cols,
            tableRows};
}

} // namespace cannery::tests
