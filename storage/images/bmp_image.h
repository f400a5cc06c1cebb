// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/images/image.h"

namespace cannery::storage {

/// Decodes a BMP of 8 bits (grey, or by its palette), 24 bits (RGB) or 32 bits (RGB and alpha),
/// uncompressed, from the bottom up or from the top down. TensorFlow reads 8 bits as grey whatever
/// the palette says. Bytes behind the pixels are not read. `channels`: as in ImageOptions.
///
/// Layout, little-endian: "BM", u32 size, u32 0, u32 offset of the pixels; u32 size of the header
/// (at least 40), i32 width, i32 height (negative: from the top down), u16 planes, u16 bits a
/// pixel, u32 compression, u32 bytes, i32 × 2, u32 colours, u32; then masks, the palette of B, G,
/// R, 0, and the pixels as B, G, R(, A) in rows of a multiple of 4 bytes.
Result<Image> readBmp(std::string_view bytes, const std::string& name, int channels);

} // namespace cannery::storage
