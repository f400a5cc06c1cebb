// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/images/image.h"

namespace cannery::storage {

/// Brings a picture of 8 bits that its library gave with other channels to `wanted` ones: grey is
/// repeated, RGB becomes floor(0.299 R + 0.587 G + 0.114 B) as libpng computes it, a new alpha is
/// opaque, an unwanted one is dropped. 0: it stays as it is.
void convertChannels(Image& image, int wanted);

/// libpng's grey of RGB, in its whole numbers.
std::uint8_t greyOf(std::uint8_t red, std::uint8_t green, std::uint8_t blue);

} // namespace cannery::storage
