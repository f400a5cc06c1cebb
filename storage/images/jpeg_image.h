// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/images/image.h"

namespace cannery::storage {

/// Decodes a JPEG by libjpeg-turbo as tf.io.decode_jpeg does by default: with the fast integer DCT
/// and smooth up-sampling. Its ICC profile and orientation are not applied. Cut data is an error.
/// `channels`: as in ImageOptions.
Result<Image> readJpeg(std::string_view bytes, const std::string& name, int channels);

} // namespace cannery::storage
