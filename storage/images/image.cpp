// SPDX-License-Identifier: Apache-2.0
#include "storage/images/image.h"

#include "core/base/memory_guard.h"
#include "storage/images/bmp_image.h"
#include "storage/images/image_errors.h"
#include "storage/images/jpeg_image.h"
#include "storage/images/orientation.h"
#include "storage/images/png_image.h"
#include "storage/io/files.h"

#include <algorithm>
#include <array>

namespace cannery::storage {

namespace {

constexpr std::string_view kJpegStart = "\xff\xd8\xff";
constexpr std::string_view kPngStart = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kBmpStart = "BM";

/// Formats that people have beside those that are read, by their first bytes.
struct OtherFormat
{
    std::string_view start;
    std::size_t at; ///< where they are in the file
    std::string_view name;
};

constexpr std::array kOtherFormats{
    OtherFormat{"GIF8", 0, "a GIF"},       OtherFormat{"WEBP", 8, "a WebP"},
    OtherFormat{"II*\0", 0, "a TIFF"},     OtherFormat{"MM\0*", 0, "a TIFF"},
    OtherFormat{"ftypavif", 4, "an AVIF"}, OtherFormat{"ftyphei", 4, "a HEIF"},
};

Result<Image> decode(std::string_view bytes, const std::string& name, const ImageOptions& options)
{
    if (bytes.empty()) {
        return fail(ErrorCode::InvalidArgument, kEmptyImage, name);
    }
    if (bytes.starts_with(kJpegStart)) {
        CANNERY_TRY_ASSIGN(Image image, readJpeg(bytes, name, options.channels));
        image.orientation = exifOrientation(bytes);
        return image;
    }
    if (bytes.starts_with(kPngStart)) {
        return readPng(bytes, name, options);
    }
    if (bytes.starts_with(kBmpStart)) {
        return readBmp(bytes, name, options.channels);
    }
    for (const OtherFormat& other : kOtherFormats) {
        if (bytes.substr(std::min(other.at, bytes.size())).starts_with(other.start)) {
            return fail(ErrorCode::Unimplemented, kOtherImageFormat, name, other.name);
        }
    }
    return fail(ErrorCode::InvalidArgument, kNotAnImage, name);
}

/// 8 bits as 16: 0 stays 0, and 255 becomes 65535.
void widen(Image& image)
{
    constexpr std::uint16_t kSpread = 257;
    if (const auto* narrow = std::get_if<std::vector<std::uint8_t>>(&image.values)) {
        std::vector<std::uint16_t> wide(narrow->size());
        std::transform(narrow->begin(), narrow->end(), wide.begin(), [](std::uint8_t value) {
            return static_cast<std::uint16_t>(value * kSpread);
        });
        image.values = std::move(wide);
    }
}

} // namespace

std::string_view name(ImageFormat format)
{
    switch (format) {
    case ImageFormat::Jpeg:
        return "JPEG";
    case ImageFormat::Png:
        return "PNG";
    case ImageFormat::Bmp:
        break;
    }
    return "BMP";
}

Result<Image> readImage(std::string_view bytes, const std::string& name,
                        const ImageOptions& options)
{
    return guardMemory(name, [&]() -> Result<Image> {
        CANNERY_TRY_ASSIGN(Image image, decode(bytes, name, options));
        if (options.sixteenBits) {
            widen(image);
        }
        if (options.upright) {
            turnUpright(image);
        }
        return image;
    });
}

Result<Image> readImageFile(const std::string& path, const ImageOptions& options)
{
    return guardMemory(path, [&]() -> Result<Image> {
        CANNERY_TRY_ASSIGN(const std::string bytes, readWholeFile(path, kMostImageBytes));
        return readImage(bytes, path, options);
    });
}

bool hasImageName(std::string_view fileName)
{
    constexpr std::array<std::string_view, 6> kEndings{"jpg", "jpeg", "jpe", "jfif", "png", "bmp"};
    const std::size_t dot = fileName.rfind('.');
    if (dot == std::string_view::npos) {
        return false;
    }
    const std::string_view ending = fileName.substr(dot + 1);
    return std::ranges::any_of(kEndings, [&](std::string_view known) {
        // Cameras write capitals; the locale must not matter.
        return std::ranges::equal(ending, known, [](char one, char small) {
            return one == small || (one >= 'A' && one <= 'Z' && one - 'A' + 'a' == small);
        });
    });
}

} // namespace cannery::storage
