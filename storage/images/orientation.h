// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/images/image.h"

#include <string_view>

namespace cannery::storage {

/// The orientation that the EXIF data of a JPEG state, from 1 to 8: tag 0x0112 of the first
/// directory of the TIFF structure in segment APP1 (EXIF 2.3, section 4.6.4). 1, upright as it is,
/// if they state none or are damaged.
int exifOrientation(std::string_view jpeg);

/// Turns and mirrors a picture as its orientation says; 5 to 8 swap height and width.
void turnUpright(Image& image);

} // namespace cannery::storage
