// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/optimizer_step.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cannery::kernels::cpu {

/// Weights and slots.
inline constexpr std::size_t kMostArrays = 4;
inline constexpr std::int64_t kPackFloats = 256;

/// The arrays that a step of some weights accesses: the weights and the slots that are used.
struct Arrays
{
    std::array<float*, kMostArrays> all{};
    std::size_t count = 0;
};

inline Arrays arraysOf(float* weights, const OptimizerSlots& slots)
{
    Arrays arrays{.all = {weights}, .count = 1};
    for (const std::span<float> values : {slots.first, slots.second, slots.third}) {
        if (!values.empty()) {
            arrays.all[arrays.count++] = values.data();
        }
    }
    return arrays;
}

/// Some rows of those arrays.
struct PackedRows
{
    std::span<const std::int32_t> rows;
    std::int64_t cols = 1;   ///< rows.size() x cols is at most kPackFloats
    std::int64_t stride = 1; ///< from row to row of an array
};

/// Their values, back to back.
using Pack = std::array<std::array<float, kPackFloats>, kMostArrays>;

namespace detail {

/// Calls function(place in the pack, place in an array) for each weight.
template <typename Function>
void forEachPlace(const PackedRows& some, Function&& function)
{
    std::size_t at = 0;
    if (some.cols == 1) { // a loop in the loop would take longer than the copy
        for (const std::int32_t row : some.rows) {
            function(at++, row * some.stride);
        }
        return;
    }
    for (const std::int32_t row : some.rows) {
        for (std::int64_t c = 0; c < some.cols; ++c) {
            function(at++, row * some.stride + c);
        }
    }
}

/// All arrays in one pass: in cells they share a line of memory.
template <std::size_t Count, bool Back>
void copyRows(const PackedRows& some, const Arrays& arrays, Pack& pack)
{
    forEachPlace(some, [all = arrays.all, &pack](std::size_t at, std::int64_t place) {
        for (std::size_t array = 0; array < Count; ++array) {
            if constexpr (Back) {
                all[array][place] = pack[array][at];
            } else {
                pack[array][at] = all[array][place];
            }
        }
    });
}

/// By number of arrays, less one.
template <bool Back>
inline constexpr std::array kCopyRows{copyRows<1, Back>, copyRows<2, Back>, copyRows<3, Back>,
                                      copyRows<4, Back>};

} // namespace detail

inline void packRows(const PackedRows& some, const Arrays& arrays, Pack& pack)
{
    detail::kCopyRows<false>[arrays.count - 1](some, arrays, pack);
}

inline void unpackRows(const PackedRows& some, const Arrays& arrays, Pack& pack)
{
    detail::kCopyRows<true>[arrays.count - 1](some, arrays, pack);
}

} // namespace cannery::kernels::cpu
