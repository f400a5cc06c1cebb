// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/images/image.h"

#include <cstdint>
#include <string>

namespace cannery::storage {

inline constexpr ErrorKind kEmptyImage{"image.empty",
                                       "{} is empty. Copy the picture again, or leave it out."};
inline constexpr ErrorKind kNotAnImage{
    "image.not_an_image",
    "{} is not a picture: it begins neither as a JPEG nor as a PNG or BMP. Leave it out."};
inline constexpr ErrorKind kOtherImageFormat{
    "image.other_format",
    "{} is {}, which is not read. Convert it to PNG or JPEG, such as by ImageMagick's convert."};
inline constexpr ErrorKind kOtherImageVariant{
    "image.other_variant", "{} is a {} with {}, which is not read. Save it as a PNG."};
inline constexpr ErrorKind kTruncatedImage{
    "image.truncated", "{} breaks off: {}. Copy the picture again, or leave it out."};
inline constexpr ErrorKind kDamagedImage{
    "image.damaged", "{} is damaged: {}. Copy the picture again, or leave it out."};
inline constexpr ErrorKind kLargeImage{
    "image.too_large",
    "{} has {} × {} pixels of {} values, more than {} values. Save a smaller picture."};
inline constexpr ErrorKind kDenseImage{
    "image.too_dense",
    "{} has {} × {} pixels in {} bytes, as a decompression bomb does. Save the picture again if "
    "you trust it."};

/// Refuses sizes beyond the limits of image.h, before anything is allocated for them.
Result<void> checkImageSize(std::uint64_t height, std::uint64_t width, int channels,
                            std::size_t fileBytes, const std::string& name);

} // namespace cannery::storage
