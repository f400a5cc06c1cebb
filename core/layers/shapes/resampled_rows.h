// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/windows/image_window.h"
#include "core/pictures/resize.h"
#include "kernels/ops/resampling.h"

namespace cannery::layers {

/// The passes of a layer whose output is a resampled picture of its input.
class ResampledRows
{
public:
    /// `height` and `width` read the sides of images of this size.
    void prepare(const LayerBuffers& buffers, const ImageSize& image, kernels::ResampledAxis height,
                 kernels::ResampledAxis width);
    void forward(const StepContext& step) const;
    void backward(const StepContext& step) const;

private:
    LayerBuffers m_buffers;
    kernels::ResamplingProblem m_forward;
    kernels::ResamplingProblem m_backward;
    const kernels::ResamplingKernels* m_kernels = nullptr;
};

/// Each of `size` pixels `times` times.
kernels::ResampledAxis repeatedAxis(std::int64_t size, std::int64_t times);
/// `size` pixels from `first` on as `newSize`, as tf.image.resize does without antialias.
kernels::ResampledAxis resizedAxis(std::int64_t size, std::int64_t newSize,
                                   pictures::ResizeMethod method, std::int64_t first = 0);

} // namespace cannery::layers
