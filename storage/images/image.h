// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cannery::storage {

enum class ImageFormat
{
    Jpeg,
    Png,
    Bmp,
};

/// "JPEG"
std::string_view name(ImageFormat format);

/// What a picture is read as.
struct ImageOptions
{
    /// 1 (grey), 2 (grey and alpha), 3 (RGB) or 4 (RGB and alpha); 0: as many as the file has,
    /// where a palette counts as RGB, and so does CMYK.
    int channels = 0;
    /// Values are 16 bits wide; those of 8 bits are multiplied by 257. Otherwise the high byte of
    /// 16 bits is read.
    bool sixteenBits = false;
    /// Turns a photograph as its EXIF orientation says, which TensorFlow does not.
    bool upright = true;
};

/// A decoded picture: shape [height, width, channels], row-major, rows from the top.
struct Image
{
    ImageFormat format = ImageFormat::Jpeg;
    std::int64_t height = 0;
    std::int64_t width = 0;
    int channels = 0;
    int orientation = 1; ///< that the file states by EXIF, from 1 to 8; applied if `upright`
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>> values;

    std::size_t valueCount() const
    {
        return static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
               static_cast<std::size_t>(channels);
    }
};

/// More values are refused before anything is allocated, as TensorFlow does with a JPEG.
inline constexpr std::uint64_t kMostImageValues = std::uint64_t{1} << 29U;
/// Beyond this many values, a file needs a byte for each kMostValuesPerByte of them: a picture of
/// one colour takes a thousandth, and only a decompression bomb less.
inline constexpr std::uint64_t kFreeImageValues = std::uint64_t{1} << 26U;
inline constexpr std::uint64_t kMostValuesPerByte = 1000;
/// Larger files are not read into memory.
inline constexpr std::size_t kMostImageBytes = std::size_t{256} << 20U;

/// Decodes a JPEG (baseline, progressive, grey, CMYK, YCCK), PNG or BMP, told apart by content, to
/// the bytes that tf.io.decode_image gives. It gives pixels where TensorFlow refuses: an opaque
/// alpha for a JPEG, grey for a BMP and for CMYK. `name`: the file's, for errors. Thread-safe.
/// Errors, all with an id "image.…": empty, not an image, of a format or variant that is not read,
/// truncated, damaged, too large. Only corrupt entropy data within a JPEG goes unnoticed, since
/// libjpeg reads over it.
Result<Image> readImage(std::string_view bytes, const std::string& name,
                        const ImageOptions& options = {});

/// Reads a file of at most kMostImageBytes.
Result<Image> readImageFile(const std::string& path, const ImageOptions& options = {});

/// Whether a file's name ends as those of the formats that readImage() reads: "cat.JPG".
bool hasImageName(std::string_view fileName);

} // namespace cannery::storage
