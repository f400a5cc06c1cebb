// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/axis_product.h"

namespace cannery::layers {

/// Rows [outer, units, inner] with the units last: [outer, inner, units]. `dst` is contiguous.
void turnUnitsLast(kernels::ThreadPool& pool, const kernels::AxisFactor& factor,
                   kernels::ConstMatrixView src, kernels::MatrixView dst);
/// The same backwards. `src` is contiguous.
void turnUnitsBack(kernels::ThreadPool& pool, const kernels::AxisFactor& factor,
                   kernels::ConstMatrixView src, kernels::MatrixView dst);

} // namespace cannery::layers
