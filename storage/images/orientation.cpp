// SPDX-License-Identifier: Apache-2.0
#include "storage/images/orientation.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace cannery::storage {

namespace {

constexpr int kUpright = 1;
constexpr int kLastOrientation = 8;
/// From here on, rows become columns.
constexpr int kFirstTurned = 5;
constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShort = 3;
constexpr std::string_view kExifMark{"Exif\0\0", 6};
constexpr std::size_t kEntryBytes = 12;

std::uint32_t byteAt(std::string_view bytes, std::size_t at)
{
    return static_cast<std::uint8_t>(bytes[at]);
}

/// A TIFF structure, in either order of bytes. Nothing behind its end is read.
class Tiff
{
public:
    static std::optional<Tiff> of(std::string_view bytes)
    {
        const bool isBig = bytes.starts_with(std::string_view("MM\0*", 4));
        if (!isBig && !bytes.starts_with(std::string_view("II*\0", 4))) {
            return std::nullopt;
        }
        return Tiff(bytes, isBig);
    }

    std::optional<std::uint32_t> number(std::size_t at, std::size_t count) const
    {
        if (at > m_bytes.size() || m_bytes.size() - at < count) {
            return std::nullopt;
        }
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            value = (value << 8U) | byteAt(m_bytes, at + (m_isBig ? i : count - 1 - i));
        }
        return value;
    }

private:
    Tiff(std::string_view bytes, bool isBig) : m_bytes(bytes), m_isBig(isBig) {}

    std::string_view m_bytes;
    bool m_isBig;
};

int orientationIn(std::string_view exif)
{
    const std::optional<Tiff> tiff = Tiff::of(exif);
    const auto directory = tiff ? tiff->number(4, 4) : std::nullopt;
    const auto entries = directory ? tiff->number(*directory, 2) : std::nullopt;
    for (std::size_t i = 0; entries && i < *entries; ++i) {
        const std::size_t at = std::size_t{*directory} + 2 + i * kEntryBytes;
        const auto tag = tiff->number(at, 2);
        if (!tag) {
            break;
        }
        if (*tag == kOrientationTag) {
            const auto value = tiff->number(at + 8, 2);
            const bool isOne = tiff->number(at + 2, 2) == kShort && value && *value >= kUpright &&
                               *value <= kLastOrientation;
            return isOne ? static_cast<int>(*value) : kUpright;
        }
    }
    return kUpright;
}

/// Where a pixel of the upright picture is in the stored one of `height` × `width`.
std::pair<std::int64_t, std::int64_t> storedPlace(int orientation, std::int64_t row,
                                                  std::int64_t column, std::int64_t height,
                                                  std::int64_t width)
{
    switch (orientation) {
    case 2:
        return {row, width - 1 - column};
    case 3:
        return {height - 1 - row, width - 1 - column};
    case 4:
        return {height - 1 - row, column};
    case 5:
        return {column, row};
    case 6:
        return {height - 1 - column, row};
    case 7:
        return {height - 1 - column, width - 1 - row};
    default:
        return {column, width - 1 - row};
    }
}

} // namespace

int exifOrientation(std::string_view jpeg)
{
    constexpr std::uint32_t kMarker = 0xff;
    constexpr std::uint32_t kFirstApp = 0xe0;
    constexpr std::uint32_t kApp1 = 0xe1;
    constexpr std::uint32_t kLastApp = 0xef;
    constexpr std::uint32_t kComment = 0xfe;
    // Segments of applications are before all others: a marker, a length that counts itself, data.
    for (std::size_t at = 2; at + 4 <= jpeg.size() && byteAt(jpeg, at) == kMarker;) {
        const std::uint32_t marker = byteAt(jpeg, at + 1);
        const std::size_t length = byteAt(jpeg, at + 2) << 8U | byteAt(jpeg, at + 3);
        const bool isApp = marker >= kFirstApp && marker <= kLastApp;
        if ((!isApp && marker != kComment) || length < 2) {
            break;
        }
        const std::string_view data = jpeg.substr(at + 4, length - 2);
        if (marker == kApp1 && data.starts_with(kExifMark)) {
            return orientationIn(data.substr(kExifMark.size()));
        }
        at += 2 + length;
    }
    return kUpright;
}

void turnUpright(Image& image)
{
    if (image.orientation <= kUpright || image.orientation > kLastOrientation) {
        return;
    }
    const std::int64_t storedHeight = image.height;
    const std::int64_t storedWidth = image.width;
    if (image.orientation >= kFirstTurned) {
        std::swap(image.height, image.width);
    }
    std::visit(
        [&](auto& values) {
            std::decay_t<decltype(values)> turned(values.size());
            auto to = turned.begin();
            for (std::int64_t row = 0; row < image.height; ++row) {
                for (std::int64_t column = 0; column < image.width; ++column) {
                    const auto [y, x] =
                        storedPlace(image.orientation, row, column, storedHeight, storedWidth);
                    const auto from = values.begin() + (y * storedWidth + x) * image.channels;
                    to = std::copy(from, from + image.channels, to);
                }
            }
            values = std::move(turned);
        },
        image.values);
}

} // namespace cannery::storage
