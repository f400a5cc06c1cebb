// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/host_device.h"

#include <cmath>

namespace cannery::kernels {

/// tf.clip_by_global_norm: scales by limit * min(1 / globalNorm, 1 / limit); a non-finite norm
/// makes everything NaN.
CANNERY_HOST_DEVICE inline float globalNormScale(double sumOfSquares, float limit)
{
    const float norm = std::sqrt(static_cast<float>(sumOfSquares));
    const float byNorm = 1.0F / norm;
    const float byLimit = 1.0F / limit;
    const float scale = limit * (byLimit < byNorm ? byLimit : byNorm);
    // Infinity minus itself: NaN when the norm is not finite.
    return scale + (norm - norm);
}

/// tf.clip_by_norm scales each value of a variable by limit / normDivisor(), from left to right.
CANNERY_HOST_DEVICE inline float normDivisor(double sumOfSquares, float limit)
{
    const auto squares = static_cast<float>(sumOfSquares);
    const float norm = squares > 0.0F ? std::sqrt(squares) : squares;
    return norm < limit ? limit : norm;
}

} // namespace cannery::kernels
