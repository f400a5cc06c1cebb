// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pictures/picture.h"

#include <optional>

/// Pictures that are turned, enlarged and moved, as TensorFlow's ImageProjectiveTransformV3 does
/// with the matrices of Keras's layers RandomRotation, RandomZoom and RandomTranslation.
namespace cannery::pictures {

/// Where the pixel at column x and row y of the result is read in the picture:
///   column a0 x + a1 y + a2, row b0 x + b1 y + b2.
struct AffineMap
{
    float a0 = 1;
    float a1 = 0;
    float a2 = 0;
    float b0 = 0;
    float b1 = 1;
    float b2 = 0;
};

/// Turns a picture of this size counterclockwise about its middle; `angle` in radians.
AffineMap rotationBy(float angle, std::int64_t height, std::int64_t width);
/// About the middle; a factor above 1 makes the picture smaller.
AffineMap zoomBy(float vertical, float horizontal, std::int64_t height, std::int64_t width);
/// By pixels.
AffineMap translationBy(float down, float right);

/// Nothing if the map brings several pixels to the same place.
std::optional<AffineMap> inverseOf(const AffineMap& map);

/// What stands beyond the border of a picture: a b | c d.
enum class Fill
{
    Reflect,  ///< b a | a b c d | d c
    Wrap,     ///< c d | a b c d | a b
    Constant, ///< TransformOptions::fillValue
    Nearest,  ///< a a | a b c d | d d
};

struct TransformOptions
{
    Fill fill = Fill::Reflect;
    bool takesNearest = false; ///< one pixel; otherwise four are blended
    float fillValue = 0;
};

/// Fills `dst` with height * width * channels values, as large a picture as `src`, which is other
/// memory. Positions and sums in float32, in TensorFlow's order: the same bits as its operation for
/// the same map.
void transform(const PictureView<float>& src, const AffineMap& map, const TransformOptions& options,
               float* dst);

} // namespace cannery::pictures
