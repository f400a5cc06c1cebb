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
        if (isAligned) {
            Quad values[kInputs];
            for (int i = 0; i < kInputs; ++i) {
                values[i] = loadQuad(&element(inputs[i], first));
            }
            Quad result;
            for (std::int64_t unit = 0; unit < kQuad; ++unit) {
                float of[kInputs];
                for (int i = 0; i < kInputs; ++i) {
                    of[i] = values[i].values[unit];
                }
                result.values[unit] = function(first.col + unit, of);
            }
            return storeQuad(&element(dst, first), result);
        }
        for (std::int64_t unit = 0; unit < kQuad && first.col + unit < dst.cols; ++unit) {
            const Place place{first.row, first.col + unit};
            float of[kInputs];
            for (int i = 0; i < kInputs; ++i) {
                of[i] = element(inputs[i], place);
            }
            element(dst, place) = function(place.col, of);
        }
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
