// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/images/image.h"

namespace cannery::storage {

/// Decodes a PNG by libpng as tf.io.decode_png does, but for an alpha that is added to a picture of
/// fewer than 8 bits: it is opaque, which TensorFlow's is not. Gamma is not applied; transparency
/// without an alpha channel counts where 4 channels are asked for, or with a palette. Wrong
/// checksums, cut data and a missing end are errors.
Result<Image> readPng(std::string_view bytes, const std::string& name, const ImageOptions& options);

} // namespace cannery::storage
