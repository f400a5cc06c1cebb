// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"
#include "kernels/math/dropout_bits.h"

namespace cannery::kernels::bodies {

/// For each four adjacent units of a row, which share random bits.
struct DropoutBody
{
    static constexpr std::int64_t kUnits = 4;

    Dropout dropout;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const std::int64_t cols = dropout.dst.cols;
        const Place place = placeOf(index, (cols + kUnits - 1) / kUnits);
        const DropoutStep step = *stepValue<DropoutStep>(dropout.step);
        const std::int64_t first = place.col * kUnits;
        const auto counter = dropoutCounter(static_cast<std::uint64_t>(first),
                                            step.firstRow + static_cast<std::uint64_t>(place.row),
                                            step.step, dropout.layer);
        const auto bits = philox(counter, dropoutKey(dropout.seed));
        const float scale = 1.0F / (1.0F - dropout.rate);
        for (std::int64_t unit = 0; unit < kUnits && first + unit < cols; ++unit) {
            const Place at{place.row, first + unit};
            const bool keep = uniformFloat(bits[static_cast<std::size_t>(unit)]) >= dropout.rate;
            element(dropout.dst, at) = keep ? element(dropout.src, at) * scale : 0.0F;
        }
    }
};

template <typename Launcher>
void run(Launcher& launcher, const Dropout& dropout)
{
    launcher.forEach(dropout.dst.rows * blocksOf(dropout.dst.cols, DropoutBody::kUnits),
                     DropoutBody{dropout});
}

} // namespace cannery::kernels::bodies
