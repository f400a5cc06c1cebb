// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/check.h"

#include <cstdint>
#include <span>

namespace cannery::kernels {

/// A row-major matrix of floats owned by someone else. `stride` is the distance between the starts
/// of two rows, in floats, at least `cols`: a view may be a slice of columns of a wider matrix.
struct ConstMatrixView
{
    const float* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t stride = 0;

    const float* at(std::int64_t row) const { return data + row * stride; }
    std::span<const float> row(std::int64_t index) const
    {
        return {at(index), static_cast<std::size_t>(cols)};
    }
    bool contiguous() const { return stride == cols || rows <= 1; }
    /// Every element, row after row; only for contiguous views.
    std::span<const float> flat() const
    {
        CANNERY_CHECK(contiguous());
        return {data, static_cast<std::size_t>(rows * cols)};
    }
    ConstMatrixView columns(std::int64_t first, std::int64_t count) const
    {
        return {data + first, rows, count, stride};
    }
    ConstMatrixView slice(std::int64_t firstRow, std::int64_t count) const
    {
        return {data + firstRow * stride, count, cols, stride};
    }
};

/// The same, writable.
struct MatrixView
{
    float* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t stride = 0;

    float* at(std::int64_t row) const { return data + row * stride; }
    std::span<float> row(std::int64_t index) const
    {
        return {at(index), static_cast<std::size_t>(cols)};
    }
    bool contiguous() const { return stride == cols || rows <= 1; }
    /// Every element, row after row; only for contiguous views.
    std::span<float> flat() const
    {
        CANNERY_CHECK(contiguous());
        return {data, static_cast<std::size_t>(rows * cols)};
    }
    MatrixView columns(std::int64_t first, std::int64_t count) const
    {
        return {data + first, rows, count, stride};
    }
    MatrixView slice(std::int64_t firstRow, std::int64_t count) const
    {
        return {data + firstRow * stride, count, cols, stride};
    }
    operator ConstMatrixView() const { return {data, rows, cols, stride}; }
};

/// A dense matrix over the whole of `values`.
inline MatrixView matrixView(std::span<float> values, std::int64_t rows, std::int64_t cols)
{
    CANNERY_CHECK(static_cast<std::int64_t>(values.size()) >= rows * cols);
    return {values.data(), rows, cols, cols};
}

inline ConstMatrixView matrixView(std::span<const float> values, std::int64_t rows,
                                  std::int64_t cols)
{
    CANNERY_CHECK(static_cast<std::int64_t>(values.size()) >= rows * cols);
    return {values.data(), rows, cols, cols};
}

/// A batch of one categorical column: row r holds ids[rowOffsets[r] .. rowOffsets[r + 1]).
/// `rowOffsets` has rows + 1 entries and may start above 0, so a range of rows of a longer column
/// is a view too. A negative id is a missing value. `weights` belongs to `ids`, or is empty: all 1.
struct IdsView
{
    std::span<const std::int64_t> rowOffsets;
    std::span<const std::int32_t> ids;
    std::span<const float> weights;

    std::int64_t rows() const
    {
        return rowOffsets.empty() ? 0 : static_cast<std::int64_t>(rowOffsets.size()) - 1;
    }
    std::int64_t idCount() const
    {
        return rowOffsets.empty() ? 0 : rowOffsets.back() - rowOffsets.front();
    }
    float weight(std::int64_t entry) const
    {
        return weights.empty() ? 1.0F : weights[static_cast<std::size_t>(entry)];
    }
};

} // namespace cannery::kernels
