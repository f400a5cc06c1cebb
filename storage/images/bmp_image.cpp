// SPDX-License-Identifier: Apache-2.0
#include "storage/images/bmp_image.h"

#include "storage/images/channels.h"
#include "storage/images/image_errors.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace cannery::storage {

namespace {

constexpr std::size_t kHeaderBytes = 14 + 40;
constexpr std::uint32_t kSmallestInfo = 40;
constexpr std::uint32_t kPlain = 0;
constexpr std::uint32_t kMasks = 3;
constexpr std::size_t kRowUnit = 4;
constexpr std::size_t kColourBytes = 4;
constexpr std::size_t kColours = 256;
constexpr std::int64_t kLargestSide = std::int64_t{1} << 30;

/// Little-endian whatever the processor's order is: bytes are put together one by one.
std::uint32_t wordAt(std::string_view bytes, std::size_t at, std::size_t count = 4)
{
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < count; ++i) {
        word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[at + i])) << (8U * i);
    }
    return word;
}

struct BmpHeader
{
    std::uint32_t pixelsAt = 0;
    std::uint32_t infoBytes = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
    bool isTopDown = false;
    std::size_t pixelBytes = 0;
    std::size_t rowBytes = 0;
    std::uint32_t colours = 0; ///< in the palette
};

/// Whether the masks of a picture of 32 bits are those of B, G, R, A.
bool hasUsualMasks(std::string_view bytes)
{
    constexpr std::array<std::uint32_t, 3> kUsual{0x00ff0000, 0x0000ff00, 0x000000ff};
    for (std::size_t i = 0; i < kUsual.size(); ++i) {
        const std::size_t at = kHeaderBytes + i * sizeof(std::uint32_t);
        if (bytes.size() < at + sizeof(std::uint32_t) || wordAt(bytes, at) != kUsual[i]) {
            return false;
        }
    }
    return true;
}

Result<BmpHeader> readHeader(std::string_view bytes, const std::string& name)
{
    if (bytes.size() < kHeaderBytes) {
        return fail(ErrorCode::DataLoss, kTruncatedImage, name, "its header is incomplete");
    }
    const auto height = static_cast<std::int32_t>(wordAt(bytes, 22));
    BmpHeader header{.pixelsAt = wordAt(bytes, 10),
                     .infoBytes = wordAt(bytes, 14),
                     .width = static_cast<std::int32_t>(wordAt(bytes, 18)),
                     .height = height < 0 ? -static_cast<std::int64_t>(height) : height,
                     .isTopDown = height < 0,
                     .colours = wordAt(bytes, 46)};
    const std::uint32_t bits = wordAt(bytes, 28, 2);
    const std::uint32_t compression = wordAt(bytes, 30);
    const auto other = [&](const std::string& what) {
        return fail(ErrorCode::Unimplemented, kOtherImageVariant, name, "BMP", what);
    };
    if (header.infoBytes < kSmallestInfo) {
        return other(fmt::format("a header of {} bytes", header.infoBytes));
    }
    if (bits != 8 && bits != 24 && bits != 32) {
        return other(fmt::format("{} bits a pixel", bits));
    }
    const bool isPlain =
        compression == kPlain || (compression == kMasks && bits == 32 && hasUsualMasks(bytes));
    if (!isPlain) {
        return other(fmt::format("compression {}", compression));
    }
    const bool isSane = header.width > 0 && header.height > 0 && header.width <= kLargestSide &&
                        header.height <= kLargestSide;
    if (!isSane) {
        return fail(ErrorCode::DataLoss, kDamagedImage, name,
                    fmt::format("it says it has {} × {} pixels", header.width, height));
    }
    header.pixelBytes = bits / 8;
    header.rowBytes = (static_cast<std::size_t>(header.width) * header.pixelBytes + kRowUnit - 1) /
                      kRowUnit * kRowUnit;
    return header;
}

/// The colours of a picture of 8 bits as B, G, R, 0 each; grey where there is no palette.
Result<std::array<std::uint8_t, kColours * kColourBytes>>
readPalette(std::string_view bytes, const BmpHeader& header, const std::string& name)
{
    std::array<std::uint8_t, kColours* kColourBytes> palette = {};
    for (std::size_t i = 0; i < kColours; ++i) {
        std::fill_n(palette.begin() + static_cast<std::ptrdiff_t>(i * kColourBytes), 3,
                    static_cast<std::uint8_t>(i));
    }
    // The header's size is any number, so it is compared as a wide one.
    const std::uint64_t begin = std::uint64_t{kHeaderBytes} - kSmallestInfo + header.infoBytes;
    const std::uint64_t room = header.pixelsAt > begin ? header.pixelsAt - begin : 0;
    // 0 stands for all.
    const std::uint64_t stated = header.colours == 0 ? kColours : header.colours;
    const std::uint64_t size =
        std::min({room, stated * kColourBytes, std::uint64_t{palette.size()}});
    if (begin + size > bytes.size()) {
        return fail(ErrorCode::DataLoss, kTruncatedImage, name, "it ends within its palette");
    }
    std::memcpy(palette.data(), bytes.data() + begin, size);
    return palette;
}

bool isGrey(const std::array<std::uint8_t, kColours * kColourBytes>& palette)
{
    for (std::size_t i = 0; i < palette.size(); i += kColourBytes) {
        if (palette[i] != palette[i + 1] || palette[i] != palette[i + 2]) {
            return false;
        }
    }
    return true;
}

} // namespace

Result<Image> readBmp(std::string_view bytes, const std::string& name, int channels)
{
    CANNERY_TRY_ASSIGN(const BmpHeader header, readHeader(bytes, name));
    CANNERY_TRY(checkImageSize(static_cast<std::uint64_t>(header.height),
                               static_cast<std::uint64_t>(header.width),
                               static_cast<int>(kColourBytes), bytes.size(), name));
    std::array<std::uint8_t, kColours* kColourBytes> palette = {};
    const bool hasPalette = header.pixelBytes == 1;
    if (hasPalette) {
        CANNERY_TRY_ASSIGN(palette, readPalette(bytes, header, name));
    }
    const auto rows = static_cast<std::size_t>(header.height);
    const std::uint64_t left = bytes.size() - std::min<std::size_t>(header.pixelsAt, bytes.size());
    if (left / header.rowBytes < rows) {
        return fail(ErrorCode::DataLoss, kTruncatedImage, name,
                    fmt::format("it ends in row {} of {}", left / header.rowBytes + 1, rows));
    }
    Image image{.format = ImageFormat::Bmp, .height = header.height, .width = header.width};
    image.channels = hasPalette ? (isGrey(palette) ? 1 : 3) : static_cast<int>(header.pixelBytes);
    const auto made = static_cast<std::size_t>(image.channels);
    std::vector<std::uint8_t> values(image.valueCount());
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(bytes.data()) + header.pixelsAt;
    std::uint8_t* to = values.data();
    for (std::size_t row = 0; row < rows; ++row) {
        const std::uint8_t* from =
            pixels + (header.isTopDown ? row : rows - 1 - row) * header.rowBytes;
        for (std::int64_t x = 0; x < header.width; ++x, from += header.pixelBytes, to += made) {
            const std::uint8_t* colour = hasPalette ? &palette[*from * kColourBytes] : from;
            // Stored as B, G, R and perhaps A.
            for (std::size_t i = 0; i < made; ++i) {
                to[i] = colour[i < 3 && made > 1 ? 2 - i : i];
            }
        }
    }
    image.values = std::move(values);
    convertChannels(image, channels);
    return image;
}

} // namespace cannery::storage
