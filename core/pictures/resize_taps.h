// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

/// Which pixels along a side of `in` each of `out` positions is made of, as tf.image.resize of
/// TensorFlow 2 computes it in float32: position j is at (j + 1/2) * in / out of the input. Both
/// sizes are at least 1.
namespace cannery::pictures {

/// in / out in float32.
float resizeScale(std::int64_t in, std::int64_t out);

/// The pixel that each position repeats.
std::vector<std::int64_t> nearestPlaces(std::int64_t in, std::int64_t out);

/// Two neighbours and the weight of the second.
struct Between
{
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    float weight = 0;
};

std::vector<Between> betweens(std::int64_t in, std::int64_t out);

/// Four neighbours, within the picture, and their weights.
struct CubicTaps
{
    std::array<std::int64_t, 4> places = {};
    std::array<float, 4> weights = {};
};

/// Keys' cubic convolution with a = -1/2 (R. Keys, 1981) at distances of whole 1/1024.
std::vector<CubicTaps> cubicTaps(std::int64_t in, std::int64_t out);

/// The pixels that an output pixel covers, and how much of each: all of [j * scale, (j + 1) *
/// scale), the shares adding up to the scale. By rounding the last one may be beyond the border.
struct Cover
{
    std::int64_t begin = 0;
    std::vector<float> shares;
};

std::vector<Cover> covers(std::int64_t in, std::int64_t out);

} // namespace cannery::pictures
