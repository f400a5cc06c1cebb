// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/elementary.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace cannery::kernels::cpu {

/// Intermediate values of a row, for softmax and its cross entropy.
struct SoftmaxRow
{
    float maximum = -std::numeric_limits<float>::infinity();
    float sum = 0.0F; ///< of e^(x - maximum)
};

/// Element c goes to lane c % 8, so that neither the maximum nor the sum has long dependency
/// chains.
inline constexpr std::int64_t kSoftmaxLanes = 8;

inline float largestOf(std::span<const float> row)
{
    float lanes[kSoftmaxLanes];
    std::fill_n(lanes, kSoftmaxLanes, -std::numeric_limits<float>::infinity());
    const auto count = static_cast<std::int64_t>(row.size());
    std::int64_t c = 0;
    for (; c + kSoftmaxLanes <= count; c += kSoftmaxLanes) {
        for (std::int64_t lane = 0; lane < kSoftmaxLanes; ++lane) {
            lanes[lane] = row[c + lane] > lanes[lane] ? row[c + lane] : lanes[lane];
        }
    }
    float largest = lanes[0];
    for (std::int64_t lane = 1; lane < kSoftmaxLanes; ++lane) {
        largest = lanes[lane] > largest ? lanes[lane] : largest;
    }
    for (; c < count; ++c) {
        largest = row[c] > largest ? row[c] : largest;
    }
    return largest;
}

/// The sum of term(c) for c < count. A few are added in order, as in TensorFlow.
template <typename Term>
float sumOfTerms(std::int64_t count, const Term& term)
{
    if (count < kSoftmaxLanes) {
        float sum = 0;
        for (std::int64_t c = 0; c < count; ++c) {
            sum += term(c);
        }
        return sum;
    }
    float lanes[kSoftmaxLanes] = {};
    std::int64_t c = 0;
    for (; c + kSoftmaxLanes <= count; c += kSoftmaxLanes) {
        for (std::int64_t lane = 0; lane < kSoftmaxLanes; ++lane) {
            lanes[lane] += term(c + lane);
        }
    }
    for (std::int64_t lane = 0; c < count; ++c, ++lane) {
        lanes[lane] += term(c);
    }
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

inline float sumOf(const float* values, std::int64_t count)
{
    return sumOfTerms(count, [&](std::int64_t c) { return values[c]; });
}

inline float sumOfProducts(const float* left, const float* right, std::int64_t count)
{
    return sumOfTerms(count, [&](std::int64_t c) { return left[c] * right[c]; });
}

/// Leaves e^(x - maximum) in `powers`, which may be `row` itself.
inline SoftmaxRow softmaxPowers(std::span<const float> row, float* powers)
{
    const float largest = largestOf(row);
    const auto count = static_cast<std::int64_t>(row.size());
    // Each element is read before it is written, also if the two are the same.
#ifndef __clang__
#pragma GCC ivdep
#endif
    for (std::int64_t c = 0; c < count; ++c) {
        powers[c] = exponential(row[c] - largest);
    }
    return {largest, sumOf(powers, count)};
}

} // namespace cannery::kernels::cpu
