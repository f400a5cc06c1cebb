// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pictures/picture.h"

/// Pictures mirrored, with another contrast and another brightness, and what a gradient of the
/// result means for the picture. `dst` and `gradient` hold height * width * channels values, row
/// after row, in other memory than what they are made of.
namespace cannery::pictures {

/// Which way a picture is mirrored.
struct Mirroring
{
    bool leftRight = false;
    bool upDown = false;
};

/// tf.image.flip_left_right and flip_up_down; its own gradient.
void mirror(const PictureView<float>& src, const Mirroring& ways, float* dst);

/// Results beyond it are the nearer end, and have no gradient.
struct ValueRange
{
    float least = 0;
    float greatest = 255;
};

/// (x - mean) * factor + mean with the mean of each channel (tf.image.adjust_contrast), within a
/// range. Means are summed in double.
void stretchContrast(const PictureView<float>& src, float factor, const ValueRange& range,
                     float* dst);
/// From the gradient of the result to that of the picture, both without gaps between their rows.
void stretchContrastBack(const PictureView<float>& src, float factor, const ValueRange& range,
                         const float* dstGradient, float* gradient);

/// x + delta (tf.image.adjust_brightness of floats), within a range.
void lighten(const PictureView<float>& src, float delta, const ValueRange& range, float* dst);
void lightenBack(const PictureView<float>& src, float delta, const ValueRange& range,
                 const float* dstGradient, float* gradient);

} // namespace cannery::pictures
