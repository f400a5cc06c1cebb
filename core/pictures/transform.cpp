// SPDX-License-Identifier: Apache-2.0
#include "core/pictures/transform.h"

#include <algorithm>
#include <cmath>

namespace cannery::pictures {

namespace {

float lastPlace(std::int64_t size)
{
    return static_cast<float>(size - 1);
}

float reflected(float at, std::int64_t size)
{
    const auto side = static_cast<float>(size);
    const float period = 2 * side;
    if (at < 0) {
        at = period * std::trunc(-at / period) + at;
        at = at < -side ? at + period : -at - 1;
    } else if (at > lastPlace(size)) {
        at -= period * std::trunc(at / period);
        if (at >= side) {
            at = period - at - 1;
        }
    }
    return at;
}

/// Turns are counted by one pixel less than a turn has, as in TensorFlow.
float wrapped(float at, std::int64_t size)
{
    const auto side = static_cast<float>(size);
    if (at < 0) {
        at += side * (std::trunc(-at / lastPlace(size)) + 1);
    } else if (at > lastPlace(size)) {
        at -= side * std::trunc(at / lastPlace(size));
    }
    return at;
}

/// Where a position is read; only Constant leaves it outside the picture.
float placeOf(float at, std::int64_t size, Fill fill)
{
    switch (fill) {
    case Fill::Constant:
        return at;
    case Fill::Reflect:
        at = size > 1 ? reflected(at, size) : 0.0F;
        break;
    case Fill::Wrap:
        at = size > 1 ? wrapped(at, size) : 0.0F;
        break;
    case Fill::Nearest:
        break;
    }
    return std::clamp(at, 0.0F, lastPlace(size));
}

/// Reads single pixels, within the picture and beyond it.
class Pixels
{
public:
    Pixels(const PictureView<float>& picture, float fillValue)
        : m_picture(picture), m_fillValue(fillValue)
    {}

    /// Null outside.
    const float* find(float y, float x) const
    {
        const bool isInside =
            y >= 0 && y <= lastPlace(m_picture.height) && x >= 0 && x <= lastPlace(m_picture.width);
        return isInside ? m_picture.row(static_cast<std::int64_t>(y)) +
                              static_cast<std::int64_t>(x) * m_picture.channels
                        : nullptr;
    }

    void giveNearest(float y, float x, float* to) const
    {
        const float* pixel = find(std::round(y), std::round(x));
        for (std::int64_t c = 0; c < m_picture.channels; ++c) {
            to[c] = valueOf(pixel, c);
        }
    }

    void giveBlended(float y, float x, float* to) const
    {
        const float top = std::floor(y);
        const float left = std::floor(x);
        const float bottom = top + 1;
        const float right = left + 1;
        const float* topLeft = find(top, left);
        const float* topRight = find(top, right);
        const float* bottomLeft = find(bottom, left);
        const float* bottomRight = find(bottom, right);
        for (std::int64_t c = 0; c < m_picture.channels; ++c) {
            const float above =
                (right - x) * valueOf(topLeft, c) + (x - left) * valueOf(topRight, c);
            const float below =
                (right - x) * valueOf(bottomLeft, c) + (x - left) * valueOf(bottomRight, c);
            to[c] = (bottom - y) * above + (y - top) * below;
        }
    }

private:
    float valueOf(const float* pixel, std::int64_t channel) const
    {
        return pixel == nullptr ? m_fillValue : pixel[channel];
    }

    const PictureView<float>& m_picture;
    float m_fillValue;
};

} // namespace

AffineMap rotationBy(float angle, std::int64_t height, std::int64_t width)
{
    const float cosine = std::cos(angle);
    const float sine = std::sin(angle);
    const float right = lastPlace(width);
    const float bottom = lastPlace(height);
    return {.a0 = cosine,
            .a1 = -sine,
            .a2 = (right - (cosine * right - sine * bottom)) / 2,
            .b0 = sine,
            .b1 = cosine,
            .b2 = (bottom - (sine * right + cosine * bottom)) / 2};
}

AffineMap zoomBy(float vertical, float horizontal, std::int64_t height, std::int64_t width)
{
    return {.a0 = horizontal,
            .a2 = lastPlace(width) / 2 * (1 - horizontal),
            .b1 = vertical,
            .b2 = lastPlace(height) / 2 * (1 - vertical)};
}

AffineMap translationBy(float down, float right)
{
    return {.a2 = -right, .b2 = -down};
}

std::optional<AffineMap> inverseOf(const AffineMap& map)
{
    const double determinant = double{map.a0} * map.b1 - double{map.a1} * map.b0;
    if (determinant == 0.0) {
        return std::nullopt;
    }
    const auto number = [determinant](double value) {
        return static_cast<float>(value / determinant);
    };
    return AffineMap{.a0 = number(map.b1),
                     .a1 = number(-map.a1),
                     .a2 = number(double{map.a1} * map.b2 - double{map.b1} * map.a2),
                     .b0 = number(-map.b0),
                     .b1 = number(map.a0),
                     .b2 = number(double{map.b0} * map.a2 - double{map.a0} * map.b2)};
}

void transform(const PictureView<float>& src, const AffineMap& map, const TransformOptions& options,
               float* dst)
{
    const Pixels pixels(src, options.fillValue);
    for (std::int64_t row = 0; row < src.height; ++row) {
        const auto y = static_cast<float>(row);
        for (std::int64_t column = 0; column < src.width; ++column, dst += src.channels) {
            const auto x = static_cast<float>(column);
            const float atX = placeOf(map.a0 * x + map.a1 * y + map.a2, src.width, options.fill);
            const float atY = placeOf(map.b0 * x + map.b1 * y + map.b2, src.height, options.fill);
            if (options.takesNearest) {
                pixels.giveNearest(atY, atX, dst);
            } else {
                pixels.giveBlended(atY, atX, dst);
            }
        }
    }
}

} // namespace cannery::pictures
