// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

/// Functions of single elements, four adjacent ones of a row at a time: a GPU then reads and writes
/// 16 bytes per thread, which memory needs to be busy.
namespace cannery::kernels::bodies {

inline constexpr std::int64_t kQuad = 4;

struct alignas(kQuad * sizeof(float)) Quad
{
    float values[kQuad];
};

/// Whether every row begins, and ends, where 16 bytes can be read at once.
inline bool hasQuads(ConstMatrixView view)
{
    const auto address = reinterpret_cast<std::uintptr_t>(view.data);
    return address % sizeof(Quad) == 0 && view.cols % kQuad == 0 && view.stride % kQuad == 0;
}

CANNERY_HOST_DEVICE inline Quad loadQuad(const float* values)
{
    return *reinterpret_cast<const Quad*>(values);
}

CANNERY_HOST_DEVICE inline void storeQuad(float* values, const Quad& quad)
{
    *reinterpret_cast<Quad*>(values) = quad;
}

/// The same of fewer, or anywhere; the others are 0.
CANNERY_HOST_DEVICE inline Quad loadSome(const float* values, std::int64_t count)
{
    Quad quad{};
    for (std::int64_t i = 0; i < kQuad; ++i) {
        quad.values[i] = i < count ? values[i] : 0.0F;
    }
    return quad;
}

CANNERY_HOST_DEVICE inline void storeSome(float* values, const Quad& quad, std::int64_t count)
{
    for (std::int64_t i = 0; i < kQuad; ++i) {
        if (i < count) {
            values[i] = quad.values[i];
        }
    }
}

/// For each four elements: dst = function(col, elements of the inputs), where Function has kInputs.
/// An input may be dst itself.
template <typename Function>
struct MapBody
{
    static constexpr int kInputs = Function::kInputs;

    Function function;
    ConstMatrixView inputs[kInputs];
    MatrixView dst;
    bool isAligned = false;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place quad = placeOf(index, (dst.cols + kQuad - 1) / kQuad);
        const Place first{quad.row, quad.col * kQuad};
        const std::int64_t count = dst.cols - first.col < kQuad ? dst.cols - first.col : kQuad;
        Quad values[kInputs];
        for (int i = 0; i < kInputs; ++i) {
            const float* const from = &element(inputs[i], first);
            values[i] = isAligned ? loadQuad(from) : loadSome(from, count);
        }
        Quad result;
        for (std::int64_t unit = 0; unit < kQuad; ++unit) {
            float of[kInputs];
            for (int i = 0; i < kInputs; ++i) {
                of[i] = values[i].values[unit];
            }
            // Beside the row, the function is not asked.
            result.values[unit] = unit < count ? function(first.col + unit, of) : 0.0F;
        }
        if (isAligned) {
            return storeQuad(&element(dst, first), result);
        }
        storeSome(&element(dst, first), result, count);
    }
};

/// dst = function of as many inputs.
template <typename Launcher, typename Function, typename... Views>
void map(Launcher& launcher, const Function& function, MatrixView dst, const Views&... inputs)
{
    static_assert(sizeof...(inputs) == Function::kInputs);
    const bool isAligned = (hasQuads(dst) && ... && hasQuads(inputs));
    launcher.forEach(dst.rows * blocksOf(dst.cols, kQuad),
                     MapBody<Function>{function, {inputs...}, dst, isAligned});
}

} // namespace cannery::kernels::bodies
