// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cannery::pictures {

/// A picture of shape [height, width, channels], row-major, that owns its values.
struct Picture
{
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 0;
    std::vector<float> values;

    static Picture zeros(std::int64_t height, std::int64_t width, std::int64_t channels)
    {
        return {height, width, channels,
                std::vector<float>(static_cast<std::size_t>(height * width * channels))};
    }
};

/// A picture, or a rectangle of one, in the memory of another object. T: std::uint8_t,
/// std::uint16_t or float.
template <typename T>
struct PictureView
{
    const T* values = nullptr; ///< of the upper left pixel
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 0;
    std::int64_t rowStride = 0; ///< values from one row to the next

    PictureView(const T* first, std::int64_t rows, std::int64_t columns, std::int64_t planes)
        : values(first), height(rows), width(columns), channels(planes), rowStride(columns * planes)
    {}

    const T* row(std::int64_t y) const { return values + y * rowStride; }

    /// A rectangle of it.
    PictureView part(std::int64_t y, std::int64_t x, std::int64_t rows, std::int64_t columns) const
    {
        PictureView view = *this;
        view.values = row(y) + x * channels;
        view.height = rows;
        view.width = columns;
        return view;
    }
};

} // namespace cannery::pictures
