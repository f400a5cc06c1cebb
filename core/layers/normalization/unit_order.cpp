// SPDX-License-Identifier: Apache-2.0
#include "core/layers/normalization/unit_order.h"

#include "kernels/device/row_blocks.h"

namespace cannery::layers {

void turnUnitsLast(kernels::ThreadPool& pool, const kernels::AxisFactor& factor,
                   kernels::ConstMatrixView src, kernels::MatrixView dst)
{
    kernels::forEachRowBlock(pool, src.rows, src.cols, [&](kernels::BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            float* to = dst.data + r * src.cols;
            for (std::int64_t vector = 0; vector < factor.vectors(); ++vector) {
                const float* const from = src.at(r) + factor.at(vector);
                for (std::int64_t unit = 0; unit < factor.depth; ++unit) {
                    *to++ = from[unit * factor.inner];
                }
            }
        }
    });
}

void turnUnitsBack(kernels::ThreadPool& pool, const kernels::AxisFactor& factor,
                   kernels::ConstMatrixView src, kernels::MatrixView dst)
{
    kernels::forEachRowBlock(pool, dst.rows, dst.cols, [&](kernels::BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const float* from = src.data + r * dst.cols;
            for (std::int64_t vector = 0; vector < factor.vectors(); ++vector) {
                float* const to = dst.at(r) + factor.at(vector);
                for (std::int64_t unit = 0; unit < factor.depth; ++unit) {
                    to[unit * factor.inner] = *from++;
                }
            }
        }
    });
}

} // namespace cannery::layers
