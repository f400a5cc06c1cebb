// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/global_norm.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

struct VectorProblem
{
    std::int64_t size = 0;
};

/// Small element-wise ops and reductions. Sums are computed per fixed block in double and the
/// blocks added in order, so they too have the same bits for any number of threads.
struct VectorKernels
{
    void (*fill)(ThreadPool&, std::span<float> dst, float value) = nullptr;
    /// dst *= factor
    void (*scale)(ThreadPool&, std::span<float> dst, float factor) = nullptr;
    /// dst += factor * src
    void (*axpy)(ThreadPool&, float factor, std::span<const float> src,
                 std::span<float> dst) = nullptr;
    /// dst = min(max(dst, low), high); NaN is preserved.
    void (*clipByValue)(ThreadPool&, std::span<float> dst, float low, float high) = nullptr;
    double (*sum)(ThreadPool&, std::span<const float> src) = nullptr;
    double (*sumOfSquares)(ThreadPool&, std::span<const float> src) = nullptr;
    /// sum(src * weights), of equal sizes
    double (*weightedSum)(ThreadPool&, std::span<const float> src,
                          std::span<const float> weights) = nullptr;
    /// The fraction of elements that are exactly 0; NaN without elements, as in
    /// tf.nn.zero_fraction.
    float (*zeroFraction)(ThreadPool&, ConstMatrixView src) = nullptr;
    /// Row by row, between views of any strides: packs and unpacks concatenated columns.
    void (*copy)(ThreadPool&, ConstMatrixView src, MatrixView dst) = nullptr;
    /// dst += src, between views of any strides.
    void (*add)(ThreadPool&, ConstMatrixView src, MatrixView dst) = nullptr;
    /// dst *= src, between views of any strides.
    void (*multiply)(ThreadPool&, ConstMatrixView src, MatrixView dst) = nullptr;
};

/// tf.clip_by_norm: scales a gradient with this sum of squares down to the L2 norm `limit`, in
/// TensorFlow's order of evaluation: values * limit / max(norm, limit).
void clipByNorm(ThreadPool&, std::span<float> grad, double sumOfSquares, float limit);

using VectorImplementation = Implementation<VectorProblem, VectorKernels>;
std::span<const VectorImplementation> vectorImplementations();
const VectorKernels& vectorKernels();

namespace cpu {
extern const VectorKernels kVector;
}
namespace reference {
extern const VectorKernels kVector;
}

} // namespace cannery::kernels
