// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/cpu_level.h"
#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/center_formulas.h"
#include "kernels/ops/implementation_list.h"

#include <cstdint>
#include <span>

namespace cannery::kernels {

struct CentersProblem
{
    std::int64_t depth = 0;
    std::int64_t centers = 0;
    CpuLevel level = cpuLevel();
};

/// Distances between rows (`points`, [rows, depth]) and centers ([centers, depth]). Every product
/// is one chain of fused multiply-adds along the depth, starting at 0, so all implementations give
/// the same bits. Distances are not cut off at 0, as in TensorFlow.
struct NearestCentersKernels
{
    /// dst: [rows, centers].
    void (*distances)(ThreadPool&, CenterDistance, ConstMatrixView points, ConstMatrixView centers,
                      MatrixView dst) = nullptr;
    /// The first center at the least distance from each row, and that distance. At least one
    /// center. A row with NaN belongs to the first.
    void (*nearest)(ThreadPool&, CenterDistance, ConstMatrixView points, ConstMatrixView centers,
                    std::span<std::int32_t> index, std::span<float> distance) = nullptr;
};

using NearestCentersImplementation = Implementation<CentersProblem, NearestCentersKernels>;
std::span<const NearestCentersImplementation> nearestCentersImplementations();
const NearestCentersKernels& nearestCentersKernels(const CentersProblem& problem);

namespace cpu {
extern const NearestCentersKernels kNearestCenters;
extern const NearestCentersKernels kNearestCentersAvx512;
} // namespace cpu
namespace eigen {
extern const NearestCentersKernels kNearestCenters;
/// Whether the processor that the engine is built for has a fused multiply-add.
extern const bool kFusesProducts;
} // namespace eigen
namespace reference {
extern const NearestCentersKernels kNearestCenters;
} // namespace reference

} // namespace cannery::kernels
