// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

struct GlobalPoolingProblem
{
    std::int64_t images = 0;
    std::int64_t channels = 0;
};

/// The mean or the largest number of each channel over the pixels of an image, and their gradients
/// (tf.keras.layers.GlobalAveragePooling2D, GlobalMaxPooling2D). A row is an image of src.cols /
/// dst.cols pixels, channels last. Sums over pixels go in their order and in double, one image on
/// one thread: the same bits for any number of threads. NaN is the largest number.
struct GlobalPoolingKernels
{
    void (*mean)(ThreadPool&, ConstMatrixView src, MatrixView dst) = nullptr;
    /// srcGrad = dstGrad / pixels
    void (*meanGradient)(ThreadPool&, ConstMatrixView dstGrad, MatrixView srcGrad) = nullptr;
    void (*maximum)(ThreadPool&, ConstMatrixView src, MatrixView dst) = nullptr;
    /// Pixels that share the largest number share the gradient equally, as TensorFlow's Max does.
    void (*maximumGradient)(ThreadPool&, ConstMatrixView src, ConstMatrixView dst,
                            ConstMatrixView dstGrad, MatrixView srcGrad) = nullptr;
};

using GlobalPoolingImplementation = Implementation<GlobalPoolingProblem, GlobalPoolingKernels>;
std::span<const GlobalPoolingImplementation> globalPoolingImplementations();
const GlobalPoolingKernels& globalPoolingKernels(const GlobalPoolingProblem& problem);

namespace cpu {
extern const GlobalPoolingKernels kGlobalPooling;
}
namespace reference {
extern const GlobalPoolingKernels kGlobalPooling;
}

} // namespace cannery::kernels
