// SPDX-License-Identifier: Apache-2.0
#include "storage/images/channels.h"

namespace cannery::storage {

namespace {

constexpr std::uint8_t kOpaque = 255;

} // namespace

std::uint8_t greyOf(std::uint8_t red, std::uint8_t green, std::uint8_t blue)
{
    // The weights in units of 1/32768, rounded down but for the last one, so that 255 stays 255.
    constexpr std::uint32_t kRed = 9797;
    constexpr std::uint32_t kGreen = 19234;
    constexpr std::uint32_t kBlue = 32768 - kRed - kGreen;
    return static_cast<std::uint8_t>((kRed * red + kGreen * green + kBlue * blue) >> 15U);
}

void convertChannels(Image& image, int wanted)
{
    auto* from = std::get_if<std::vector<std::uint8_t>>(&image.values);
    if (wanted == 0 || wanted == image.channels || from == nullptr) {
        return;
    }
    const auto had = static_cast<std::size_t>(image.channels);
    const auto has = static_cast<std::size_t>(wanted);
    const std::size_t pixels = from->size() / had;
    std::vector<std::uint8_t> to(pixels * has, kOpaque);
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const std::uint8_t* src = from->data() + pixel * had;
        std::uint8_t* dst = to.data() + pixel * has;
        // One or two channels are grey, and an even number has alpha.
        const bool wasGrey = had < 3;
        if (has < 3) {
            dst[0] = wasGrey ? src[0] : greyOf(src[0], src[1], src[2]);
        } else {
            for (std::size_t i = 0; i < 3; ++i) {
                dst[i] = wasGrey ? src[0] : src[i];
            }
        }
        if (has % 2 == 0 && had % 2 == 0) {
            dst[has - 1] = src[had - 1];
        }
    }
    image.values = std::move(to);
    image.channels = wanted;
}

} // namespace cannery::storage
