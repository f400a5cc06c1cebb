// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/dropout.h"
#include "kernels/math/dropout_bits.h"

namespace cannery::kernels::reference {

namespace {

void run(ThreadPool&, const DropoutMask& mask, ConstMatrixView src, MatrixView dst)
{
    const float scale = 1.0F / (1.0F - mask.rate);
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            const auto unit = static_cast<std::uint64_t>(c);
            const auto counter = dropoutCounter(unit, mask.firstRow + static_cast<std::uint64_t>(r),
                                                mask.step, mask.layer);
            const std::uint32_t bits = philox(counter, dropoutKey(mask.seed))[unit % 4];
            dst.at(r)[c] = uniformFloat(bits) >= mask.rate ? src.at(r)[c] * scale : 0.0F;
        }
    }
}

} // namespace

const DropoutKernels kDropout = {run};

} // namespace cannery::kernels::reference
