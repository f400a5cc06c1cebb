// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/host_device.h"

#include <cmath>
#include <cstdint>

/// Formulas of k-means for single numbers.
namespace cannery::kernels {

enum class CenterDistance
{
    SquaredEuclidean, ///< |x|^2 + (|c|^2 - 2 x.c)
    Cosine,           ///< 1 - x.c, for rows and centers of length 1
};

/// One chain of fused multiply-adds along the depth, starting at 0.
CANNERY_HOST_DEVICE inline float chainedProduct(const float* left, const float* right,
                                                std::int64_t depth)
{
    float sum = 0;
    for (std::int64_t d = 0; d < depth; ++d) {
        sum = std::fma(left[d], right[d], sum);
    }
    return sum;
}

/// The distance without what all centers of a row share, which is |x|^2, or 0 for the cosine;
/// `square` is |c|^2.
CANNERY_HOST_DEVICE inline float distanceKey(CenterDistance distance, float product, float square)
{
    return distance == CenterDistance::Cosine ? 1.0F - product : std::fma(-2.0F, product, square);
}

/// Lengths below its root count as that, as in tf.nn.l2_normalize.
inline constexpr float kLeastSquare = 1e-12F;

/// What makes values of length 1: 1 / |x|.
CANNERY_HOST_DEVICE inline float scaleToUnitLength(const float* values, std::int64_t count)
{
    float squares = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        squares += values[i] * values[i];
    }
    return 1.0F / std::sqrt(squares < kLeastSquare ? kLeastSquare : squares);
}

/// A center of a full batch, given the sum of its rows.
CANNERY_HOST_DEVICE inline float meanOfRows(double sum, std::int64_t rows)
{
    constexpr double kCountEpsilon = 1e-6;
    return static_cast<float>(sum / (static_cast<double>(rows) + kCountEpsilon));
}

/// A center of a mini-batch, given the sum of its rows and how many it had before: c + (sum - k c)
/// / (n + k).
CANNERY_HOST_DEVICE inline float movedTowardsRows(float center, double sum, std::int64_t rows,
                                                  std::int64_t before)
{
    const auto k = static_cast<double>(rows);
    const auto old = static_cast<double>(center);
    const double share = 1 / (static_cast<double>(before) + k);
    return static_cast<float>(old + (sum - k * old) * share);
}

} // namespace cannery::kernels
