// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/gradient_histogram.h"

namespace cannery::kernels::reference {

namespace {

void add(BinnedGroup group, std::span<const std::uint32_t> rows,
         std::span<const std::uint64_t> gradients, std::span<const HistogramRange> columns,
         HistogramSums sums, std::span<std::uint64_t>)
{
    for (const std::uint32_t row : rows) {
        const std::uint64_t packed = gradients[row];
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const std::uint8_t* bins = group.bins + static_cast<std::int64_t>(row) * group.width;
            const std::int64_t cell = columns[c].first + bins[c];
            sums.gradients[cell] += packedGradient(packed);
            sums.hessians[cell] += packedHessian(packed);
            ++sums.rows[cell];
        }
    }
}

} // namespace

const GradientHistogramKernels kGradientHistogram = {add};

} // namespace cannery::kernels::reference
