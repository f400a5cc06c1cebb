// SPDX-License-Identifier: Apache-2.0
#include "core/pictures/adjusting.h"

#include <algorithm>

namespace cannery::pictures {

namespace {

float clipped(float value, const ValueRange& range)
{
    return std::max(std::min(value, range.greatest), range.least);
}

/// As tf.clip_by_value passes gradients on.
bool isWithin(float value, const ValueRange& range)
{
    return !(value < range.least || value > range.greatest);
}

/// function(value of the picture, its place in memory without gaps) for one channel.
template <typename Function>
void forEachOf(const PictureView<float>& picture, std::int64_t channel, const Function& function)
{
    std::int64_t place = channel;
    for (std::int64_t y = 0; y < picture.height; ++y) {
        const float* row = picture.row(y) + channel;
        for (std::int64_t x = 0; x < picture.width; ++x, place += picture.channels) {
            function(row[x * picture.channels], place);
        }
    }
}

float meanOf(const PictureView<float>& picture, std::int64_t channel)
{
    double sum = 0;
    forEachOf(picture, channel, [&](float value, std::int64_t) { sum += double{value}; });
    return static_cast<float>(sum / static_cast<double>(picture.height * picture.width));
}

} // namespace

void mirror(const PictureView<float>& src, const Mirroring& ways, float* dst)
{
    for (std::int64_t y = 0; y < src.height; ++y) {
        const float* row = src.row(ways.upDown ? src.height - 1 - y : y);
        for (std::int64_t x = 0; x < src.width; ++x) {
            const std::int64_t column = ways.leftRight ? src.width - 1 - x : x;
            dst = std::copy_n(row + column * src.channels, src.channels, dst);
        }
    }
}

void stretchContrast(const PictureView<float>& src, float factor, const ValueRange& range,
                     float* dst)
{
    for (std::int64_t channel = 0; channel < src.channels; ++channel) {
        const float mean = meanOf(src, channel);
        forEachOf(src, channel, [&](float value, std::int64_t place) {
            dst[place] = clipped((value - mean) * factor + mean, range);
        });
    }
}

void stretchContrastBack(const PictureView<float>& src, float factor, const ValueRange& range,
                         const float* dstGradient, float* gradient)
{
    for (std::int64_t channel = 0; channel < src.channels; ++channel) {
        const float mean = meanOf(src, channel);
        double sum = 0;
        forEachOf(src, channel, [&](float value, std::int64_t place) {
            const bool passes = isWithin((value - mean) * factor + mean, range);
            gradient[place] = passes ? dstGradient[place] : 0.0F;
            sum += double{gradient[place]};
        });
        // Every pixel moves the mean.
        const auto share = static_cast<float>((1.0 - double{factor}) * sum /
                                              static_cast<double>(src.height * src.width));
        forEachOf(src, channel, [&](float, std::int64_t place) {
            gradient[place] = gradient[place] * factor + share;
        });
    }
}

void lighten(const PictureView<float>& src, float delta, const ValueRange& range, float* dst)
{
    for (std::int64_t channel = 0; channel < src.channels; ++channel) {
        forEachOf(src, channel, [&](float value, std::int64_t place) {
            dst[place] = clipped(value + delta, range);
        });
    }
}

void lightenBack(const PictureView<float>& src, float delta, const ValueRange& range,
                 const float* dstGradient, float* gradient)
{
    for (std::int64_t channel = 0; channel < src.channels; ++channel) {
        forEachOf(src, channel, [&](float value, std::int64_t place) {
            gradient[place] = isWithin(value + delta, range) ? dstGradient[place] : 0.0F;
        });
    }
}

} // namespace cannery::pictures
