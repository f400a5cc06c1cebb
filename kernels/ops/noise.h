// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

struct NoiseProblem
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

/// With n standard normal and u uniform in [0, 1), one for each value:
enum class NoiseRule : std::uint8_t
{
    Add,      ///< y = x + amount n (tf.keras.layers.GaussianNoise)
    Multiply, ///< y = x (1 + amount n) (tf.keras.layers.GaussianDropout)
    /// y = a (u >= amount ? x : s) + b, s the lower limit of selu, a = 1 / sqrt((1 - p)(1 + p
    /// s^2)), b = -a p s, p the amount: what has mean 0 and variance 1 keeps them
    /// (tf.keras.layers.AlphaDropout; Klambauer et al. 2017)
    AlphaDropout,
};

/// The random numbers are a pure function of (seed, layer, step, row, unit), as those of a
/// DropoutMask.
struct Noise
{
    NoiseRule rule = NoiseRule::Add;
    float amount = 0.0F;
    std::uint64_t seed = 0;
    std::uint32_t layer = 0;
    std::uint64_t step = 0;
    std::uint64_t firstRow = 0; ///< index of row 0 of the view in the global batch
};

struct NoiseKernels
{
    /// dst may be src itself.
    void (*run)(ThreadPool&, const Noise&, ConstMatrixView src, MatrixView dst) = nullptr;
    /// srcGrad = dstGrad dy/dx, with the random numbers of run(); srcGrad may be dstGrad itself.
    void (*gradient)(ThreadPool&, const Noise&, ConstMatrixView dstGrad,
                     MatrixView srcGrad) = nullptr;
};

/// What AlphaDropout puts in the place of a dropped value, before a and b: -1.758….
double alphaDropoutLimit();
/// a and b of AlphaDropout.
struct AlphaDropoutScale
{
    double factor = 1.0;
    double offset = 0.0;
};
AlphaDropoutScale alphaDropoutScale(double rate);

using NoiseImplementation = Implementation<NoiseProblem, NoiseKernels>;
std::span<const NoiseImplementation> noiseImplementations();
const NoiseKernels& noiseKernels(const NoiseProblem& problem);

namespace cpu {
extern const NoiseKernels kNoise;
}
namespace reference {
extern const NoiseKernels kNoise;
}

} // namespace cannery::kernels
