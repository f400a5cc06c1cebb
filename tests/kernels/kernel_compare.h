// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/random.h"
#include "kernels/device/tensor_view.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace cannery::tests {

/// A matrix that owns its floats. Rows are `padding` floats further apart than they are wide, so
/// that a kernel that ignores strides fails; the padding holds a value that must survive.
struct Matrix
{
    static constexpr float kPadding = 12345.0F;

    Matrix(std::int64_t rowCount, std::int64_t colCount, std::int64_t padding = 0)
        : rows(rowCount), cols(colCount), stride(colCount + padding),
          values(static_cast<std::size_t>(rows * stride), padding > 0 ? kPadding : 0.0F)
    {}

    kernels::MatrixView view() { return {values.data(), rows, cols, stride}; }
    kernels::ConstMatrixView view() const { return {values.data(), rows, cols, stride}; }
    float& at(std::int64_t row, std::int64_t col)
    {
        return values[static_cast<std::size_t>(row * stride + col)];
    }

    /// Uniform in [-1, 1), the same for the same seed.
    Matrix& fillRandom(std::uint64_t seed)
    {
        kernels::RandomStream random(seed);
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t c = 0; c < cols; ++c) {
                at(r, c) = random.nextUniform(-1.0F, 1.0F);
            }
        }
        return *this;
    }

    std::int64_t rows;
    std::int64_t cols;
    std::int64_t stride;
    std::vector<float> values;
};

inline bool close(float actual, float expected, double relative, double absolute)
{
    if (std::isnan(expected) || std::isnan(actual)) {
        return std::isnan(expected) && std::isnan(actual);
    }
    if (std::isinf(expected) || std::isinf(actual)) {
        return actual == expected;
    }
    return std::abs(double(actual) - expected) <= absolute + relative * std::abs(double(expected));
}

/// The first element that differs, as a message; empty if all are close.
inline QByteArray difference(std::span<const float> actual, std::span<const float> expected,
                             double relative = 1e-5, double absolute = 1e-6)
{
    if (actual.size() != expected.size()) {
        return "sizes differ";
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (!close(actual[i], expected[i], relative, absolute)) {
            return QByteArray("element ") + QByteArray::number(qulonglong(i)) + ": " +
                   QByteArray::number(actual[i], 'g', 9) + ", not " +
                   QByteArray::number(expected[i], 'g', 9);
        }
    }
    return {};
}

inline bool sameBits(std::span<const float> a, std::span<const float> b)
{
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

} // namespace cannery::tests

/// Fails with the first difference of two ranges of floats (and optional tolerances).
#define VERIFY_CLOSE(...)                                                                          \
    do {                                                                                           \
        const QByteArray verifyCloseMessage = cannery::tests::difference(__VA_ARGS__);             \
        QVERIFY2(verifyCloseMessage.isEmpty(), verifyCloseMessage.constData());                    \
    } while (false)
