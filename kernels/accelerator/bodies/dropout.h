// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/map.h"
#include "kernels/math/dropout_bits.h"

namespace cannery::kernels::bodies {

/// For each four adjacent units of a row, which share random bits.
struct DropoutBody
{
    Dropout dropout;
    bool isAligned = false;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const std::int64_t cols = dropout.dst.cols;
        const Place quad = placeOf(index, (cols + kQuad - 1) / kQuad);
        const Place place{quad.row, quad.col * kQuad};
        const DropoutStep step = *stepValue<DropoutStep>(dropout.step);
        const auto counter = dropoutCounter(static_cast<std::uint64_t>(place.col),
                                            step.firstRow + static_cast<std::uint64_t>(place.row),
                                            step.step, dropout.layer);
        const auto bits = philox(counter, dropoutKey(dropout.seed));
        const float scale = 1.0F / (1.0F - dropout.rate);
        const std::int64_t units = cols - place.col < kQuad ? cols - place.col : kQuad;
        Quad values = isAligned ? loadQuad(&element(dropout.src, place))
                                : loadSome(&element(dropout.src, place), units);
        for (std::int64_t unit = 0; unit < kQuad; ++unit) {
            const bool keep = uniformFloat(bits[static_cast<std::size_t>(unit)]) >= dropout.rate;
            values.values[unit] = keep ? values.values[unit] * scale : 0.0F;
        }
        if (isAligned) {
            return storeQuad(&element(dropout.dst, place), values);
        }
        storeSome(&element(dropout.dst, place), values, units);
    }
};

template <typename Launcher>
void run(Launcher& launcher, const Dropout& dropout)
{
    launcher.forEach(dropout.dst.rows * blocksOf(dropout.dst.cols, kQuad),
                     DropoutBody{dropout, hasQuads(dropout.src) && hasQuads(dropout.dst)});
}

} // namespace cannery::kernels::bodies
