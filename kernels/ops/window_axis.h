// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace cannery::kernels {

/// How the window of a convolution or a pooling moves along one axis of a picture. A picture
/// without a height (a sequence of steps) has the default axis.
struct WindowAxis
{
    std::int64_t size = 1;   ///< of the picture, in pixels
    std::int64_t window = 1; ///< taps, at least 1
    std::int64_t stride = 1;
    std::int64_t dilation = 1; ///< pixels from a tap to the next
    std::int64_t before = 0;   ///< pixels of padding, at least 0
    std::int64_t after = 0;

    /// From the window's first pixel to its last.
    std::int64_t reach() const { return (window - 1) * dilation + 1; }
    /// Of the window, and so the size of the result: 0 if it does not fit in.
    std::int64_t positions() const
    {
        const std::int64_t room = size + before + after - reach();
        return room < 0 ? 0 : room / stride + 1;
    }
    /// The pixel under a tap; in the padding if it is not in [0, size).
    std::int64_t pixel(std::int64_t position, std::int64_t tap) const
    {
        return position * stride + tap * dilation - before;
    }
    bool isPadded() const { return before > 0 || after > 0; }

    struct Range
    {
        std::int64_t first = 0;
        std::int64_t end = 0;
    };
    /// The taps of a position that are in the picture.
    Range tapsInside(std::int64_t position) const
    {
        return stepsInside(pixel(position, 0), dilation, window);
    }
    /// The positions whose tap is in the picture.
    Range positionsInside(std::int64_t tap) const
    {
        return stepsInside(pixel(0, tap), stride, positions());
    }

    bool operator==(const WindowAxis&) const = default;

private:
    /// Of `count` pixels from `start`, `step` apart, those that are in the picture.
    Range stepsInside(std::int64_t start, std::int64_t step, std::int64_t count) const
    {
        const auto stepsTo = [&](std::int64_t bound) {
            return bound <= start ? 0 : std::min(count, (bound - start + step - 1) / step);
        };
        return {stepsTo(0), stepsTo(size)};
    }
};

} // namespace cannery::kernels
