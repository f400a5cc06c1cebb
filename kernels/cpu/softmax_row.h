#pragma once

#include "kernels/math/elementary.h"

#include <cstdint>
#include <limits>
#include <span>

namespace cannery::kernels::cpu {

/// What both softmax and its cross entropy need of a row.
struct SoftmaxRow
{
    float maximum = -std::numeric_limits<float>::infinity();
    float sum = 0.0F; ///< of e^(x - maximum)
};

/// Leaves e^(x - maximum) in `powers`, which may be `row` itself.
inline SoftmaxRow softmaxPowers(std::span<const float> row, float* powers)
{
    SoftmaxRow result;
    for (const float x : row) {
        result.maximum = x > result.maximum ? x : result.maximum;
    }
    const auto count = static_cast<std::int64_t>(row.size());
    for (std::int64_t c = 0; c < count; ++c) {
        powers[c] = exponential(row[c] - result.maximum);
    }
    for (std::int64_t c = 0; c < count; ++c) {
        result.sum += powers[c];
    }
    return result;
}

} // namespace cannery::kernels::cpu
