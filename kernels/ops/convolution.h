// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/cpu_level.h"
#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/activations.h"
#include "kernels/ops/implementation_list.h"
#include "kernels/ops/window_axis.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace cannery::kernels {

/// A convolution of pictures, channels last, as tf.nn.conv2d computes it (a cross-correlation, the
/// kernel is not flipped):
///   dst[n, y, x, f] = activation(bias[f] + sum over (i, j, c) of
///       src[n, y * stride + i * dilation - before, likewise of x, g * inChannels / groups + c]
///           * kernel[i, j, c, f]),  g = f / (filters / groups).
/// Taps in the padding add nothing, not even if they meet NaN. `groups` divides both numbers of
/// channels. A depthwise convolution by m has as many groups as channels, and m filters for each:
/// the kernel [kh, kw, channels, m] of TensorFlow is in memory what [kh, kw, 1, channels * m] is
/// here. A convolution of sequences has the default height.
struct ConvolutionProblem
{
    std::int64_t images = 0; ///< the most that are expected in a call; others are computed as well
    WindowAxis height;
    WindowAxis width;
    std::int64_t inChannels = 0;
    std::int64_t filters = 0;
    std::int64_t groups = 1;
    CpuLevel level = cpuLevel();
    /// Whether memory is planned for kernelGradient(), which is slower without.
    bool trains = true;

    std::int64_t srcPixels() const { return height.size * width.size; }
    std::int64_t dstPixels() const { return height.positions() * width.positions(); }
    std::int64_t groupChannels() const { return inChannels / groups; }
    std::int64_t groupFilters() const { return filters / groups; }
    /// Products in the sum of an element of dst.
    std::int64_t depth() const { return height.window * width.window * groupChannels(); }
    std::int64_t srcFloats() const { return srcPixels() * inChannels; }
    std::int64_t dstFloats() const { return dstPixels() * filters; }
    std::int64_t kernelFloats() const { return depth() * filters; }
    bool isPadded() const { return height.isPadded() || width.isPadded(); }
    bool isDepthwise() const { return groups == inChannels && groups > 1; }
};

/// An empty bias means none.
struct ConvolutionEpilogue
{
    std::span<const float> bias;
    Activation activation = Activation::Linear;
};

/// What an implementation makes for one problem before the first call, its memory included.
class ConvolutionPlan
{
public:
    explicit ConvolutionPlan(const ConvolutionProblem& shapes) : problem(shapes) {}
    virtual ~ConvolutionPlan() = default;

    const ConvolutionProblem problem;
};

/// The functions of an implementation. A row of a matrix of pictures is one image: srcFloats() or
/// dstFloats() values, pixel after pixel; images may lie further apart (`stride`). Kernels are
/// dense, [kh, kw, inChannels / groups, filters]. Outputs never overlap inputs.
///
/// All bits are the same for any number of threads, and those of an image in the first two
/// functions whatever other images are in the call; the bits of implementations differ.
struct ConvolutionKernels
{
    void (*forward)(ConvolutionPlan&, ThreadPool&, ConstMatrixView src,
                    std::span<const float> kernel, const ConvolutionEpilogue&,
                    MatrixView dst) = nullptr;
    /// The adjoint of the convolution by src: srcGrad[n, u, v, c] = sum of dstGrad[n, y, x, f] *
    /// kernel[i, j, c, f] over all (y, x, i, j, f) whose product with src[n, u, v, c] is in dst.
    /// Also the forward pass of a transposed convolution, whose input is dstGrad.
    void (*srcGradient)(ConvolutionPlan&, ThreadPool&, ConstMatrixView dstGrad,
                        std::span<const float> kernel, MatrixView srcGrad) = nullptr;
    /// kernelGrad[i, j, c, f] = sum over images and positions of src * dstGrad; 0 without images.
    void (*kernelGradient)(ConvolutionPlan&, ThreadPool&, ConstMatrixView src,
                           ConstMatrixView dstGrad, std::span<float> kernelGrad) = nullptr;
    /// Null if the implementation cannot compute the problem here.
    std::unique_ptr<ConvolutionPlan> (*plan)(const ConvolutionProblem&) = nullptr;
};

using ConvolutionImplementation = Implementation<ConvolutionProblem, ConvolutionKernels>;
std::span<const ConvolutionImplementation> convolutionImplementations();

/// The convolution of one problem by the first implementation that accepts it and can be planned.
/// Movable. A call allocates nothing. Functions may be called from several threads at a time, and
/// may then wait for each other, as they share the plan's memory.
class Convolution
{
public:
    Convolution() = default;
    /// With `refusals`, also records which implementations were passed over, and why.
    explicit Convolution(const ConvolutionProblem& problem,
                         std::vector<Refusal>* refusals = nullptr);
    /// By an implementation that accepts the problem; isPlanned() is false if it has no plan here.
    Convolution(const ConvolutionImplementation& implementation, const ConvolutionProblem& problem);

    bool isPlanned() const { return m_plan != nullptr; }
    std::string_view implementation() const { return m_implementation->name; }
    const ConvolutionProblem& problem() const { return m_plan->problem; }

    void forward(ThreadPool& pool, ConstMatrixView src, std::span<const float> kernel,
                 const ConvolutionEpilogue& epilogue, MatrixView dst) const
    {
        m_implementation->kernels->forward(*m_plan, pool, src, kernel, epilogue, dst);
    }
    void srcGradient(ThreadPool& pool, ConstMatrixView dstGrad, std::span<const float> kernel,
                     MatrixView srcGrad) const
    {
        m_implementation->kernels->srcGradient(*m_plan, pool, dstGrad, kernel, srcGrad);
    }
    void kernelGradient(ThreadPool& pool, ConstMatrixView src, ConstMatrixView dstGrad,
                        std::span<float> kernelGrad) const
    {
        m_implementation->kernels->kernelGradient(*m_plan, pool, src, dstGrad, kernelGrad);
    }

private:
    const ConvolutionImplementation* m_implementation = nullptr;
    std::unique_ptr<ConvolutionPlan> m_plan;
};

namespace cpu {
extern const ConvolutionKernels kConvolution;
extern const ConvolutionKernels kConvolutionAvx512;
extern const ConvolutionKernels kConvolutionEigen; ///< on any processor
extern const ConvolutionKernels kDepthwise;        ///< on any processor
} // namespace cpu
namespace onednn {
extern const ConvolutionKernels kConvolution;
}
namespace reference {
extern const ConvolutionKernels kConvolution;
}

} // namespace cannery::kernels
