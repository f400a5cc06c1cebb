// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pictures/picture.h"
#include "core/pictures/resize.h"

namespace cannery::pictures {

/// tf.image.central_crop: what is left when floor((n - n * fraction) / 2) pixels are cut from each
/// side. `fraction`: above 0, at most 1.
template <typename T>
PictureView<T> centralCrop(const PictureView<T>& src, double fraction);

/// A rectangle of a picture, in pixels.
struct PicturePart
{
    std::int64_t y = 0;
    std::int64_t x = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
};

/// The largest centred part of a picture of `srcHeight` × `srcWidth` with the proportions of
/// `height` × `width`, which keras's smart_resize and Resizing(crop_to_aspect_ratio=True) resize
/// then.
PicturePart proportionalPart(std::int64_t srcHeight, std::int64_t srcWidth, std::int64_t height,
                             std::int64_t width);
/// That part.
template <typename T>
PictureView<T> cropToProportions(const PictureView<T>& src, std::int64_t height,
                                 std::int64_t width);

/// tf.image.resize_with_pad: the whole picture, resized by one factor, with zeros beside it.
template <typename T>
Picture resizeWithPad(const PictureView<T>& src, std::int64_t height, std::int64_t width,
                      const ResizeOptions& options);

/// tf.image.per_image_standardization: (x - mean) / max(deviation, 1 / sqrt(count)) over all values
/// of the picture.
void standardize(Picture& picture);

} // namespace cannery::pictures
