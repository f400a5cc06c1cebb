// SPDX-License-Identifier: Apache-2.0
#include "core/pictures/fitting.h"

#include <algorithm>
#include <cmath>

namespace cannery::pictures {

template <typename T>
PictureView<T> centralCrop(const PictureView<T>& src, double fraction)
{
    const auto begin = [fraction](std::int64_t size) {
        const auto all = static_cast<double>(size);
        return static_cast<std::int64_t>((all - all * fraction) / 2);
    };
    const std::int64_t y = begin(src.height);
    const std::int64_t x = begin(src.width);
    return src.part(y, x, src.height - 2 * y, src.width - 2 * x);
}

PicturePart proportionalPart(std::int64_t srcHeight, std::int64_t srcWidth, std::int64_t height,
                             std::int64_t width)
{
    // Keras computes in float32, and so cuts large pictures by a pixel more or less.
    const auto part = [](std::int64_t other, std::int64_t target, std::int64_t otherTarget) {
        return static_cast<std::int64_t>(static_cast<float>(other * target) /
                                         static_cast<float>(otherTarget));
    };
    const auto cut = [](std::int64_t size, std::int64_t wanted) {
        // A picture of extreme proportions keeps a pixel.
        return std::clamp<std::int64_t>(wanted, 1, size);
    };
    const std::int64_t rows = cut(srcHeight, part(srcWidth, height, width));
    const std::int64_t columns = cut(srcWidth, part(srcHeight, width, height));
    return {(srcHeight - rows) / 2, (srcWidth - columns) / 2, rows, columns};
}

template <typename T>
PictureView<T> cropToProportions(const PictureView<T>& src, std::int64_t height, std::int64_t width)
{
    const PicturePart part = proportionalPart(src.height, src.width, height, width);
    return src.part(part.y, part.x, part.height, part.width);
}

template <typename T>
Picture resizeWithPad(const PictureView<T>& src, std::int64_t height, std::int64_t width,
                      const ResizeOptions& options)
{
    const float ratio = std::max(static_cast<float>(src.width) / static_cast<float>(width),
                                 static_cast<float>(src.height) / static_cast<float>(height));
    const auto fit = [ratio](std::int64_t size, std::int64_t target, std::int64_t& offset) {
        const float exact = static_cast<float>(size) / ratio;
        offset = std::max<std::int64_t>(
            0, static_cast<std::int64_t>(std::floor((static_cast<float>(target) - exact) / 2)));
        // At least one pixel, where TensorFlow computes 0 and fails; at most what rounding leaves.
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(exact)), 1,
                                        target - offset);
    };
    std::int64_t y = 0;
    std::int64_t x = 0;
    const std::int64_t rows = fit(src.height, height, y);
    const std::int64_t columns = fit(src.width, width, x);
    const Picture inner = resize(src, rows, columns, options);
    Picture dst = Picture::zeros(height, width, src.channels);
    for (std::int64_t row = 0; row < rows; ++row) {
        std::copy_n(inner.values.begin() + row * columns * src.channels, columns * src.channels,
                    dst.values.begin() + ((y + row) * width + x) * src.channels);
    }
    return dst;
}

void standardize(Picture& picture)
{
    const auto count = static_cast<double>(picture.values.size());
    double sum = 0;
    for (const float value : picture.values) {
        sum += value;
    }
    const double mean = sum / count;
    double squares = 0;
    for (const float value : picture.values) {
        squares += (value - mean) * (value - mean);
    }
    const double deviation = std::max(std::sqrt(squares / count), 1 / std::sqrt(count));
    for (float& value : picture.values) {
        value = static_cast<float>((value - mean) / deviation);
    }
}

template PictureView<std::uint8_t> centralCrop(const PictureView<std::uint8_t>&, double);
template PictureView<std::uint16_t> centralCrop(const PictureView<std::uint16_t>&, double);
template PictureView<float> centralCrop(const PictureView<float>&, double);
template PictureView<std::uint8_t> cropToProportions(const PictureView<std::uint8_t>&, std::int64_t,
                                                     std::int64_t);
template PictureView<std::uint16_t> cropToProportions(const PictureView<std::uint16_t>&,
                                                      std::int64_t, std::int64_t);
template PictureView<float> cropToProportions(const PictureView<float>&, std::int64_t,
                                              std::int64_t);
template Picture resizeWithPad(const PictureView<std::uint8_t>&, std::int64_t, std::int64_t,
                               const ResizeOptions&);
template Picture resizeWithPad(const PictureView<std::uint16_t>&, std::int64_t, std::int64_t,
                               const ResizeOptions&);
template Picture resizeWithPad(const PictureView<float>&, std::int64_t, std::int64_t,
                               const ResizeOptions&);

} // namespace cannery::pictures
