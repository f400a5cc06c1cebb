// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/resampled_rows.h"

#include "core/pictures/resize_taps.h"

#include <algorithm>

namespace cannery::layers {

void ResampledRows::prepare(const LayerBuffers& buffers, const ImageSize& image,
                            kernels::ResampledAxis height, kernels::ResampledAxis width)
{
    m_buffers = buffers;
    m_backward = {.height = height.adjoint(image.height),
                  .width = width.adjoint(image.width),
                  .srcWidth = width.positions(),
                  .channels = image.channels};
    m_forward = {.height = std::move(height),
                 .width = std::move(width),
                 .srcWidth = image.width,
                 .channels = image.channels};
    m_kernels = &kernels::resamplingKernels(m_forward);
}

void ResampledRows::forward(const StepContext& step) const
{
    m_kernels->run(m_forward, step.pool, m_buffers.inputs[0]->values(step.range()),
                   m_buffers.output->output(step.range()));
}

void ResampledRows::backward(const StepContext& step) const
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_kernels->run(m_backward, step.pool, m_buffers.output->gradient(step.range()),
                       m_buffers.inputs[0]->gradient(step.range()));
    }
}

kernels::ResampledAxis repeatedAxis(std::int64_t size, std::int64_t times)
{
    kernels::ResampledAxis axis;
    for (std::int64_t position = 0; position < size * times; ++position) {
        axis.addTap(position / times, 1.0F);
        axis.endPosition();
    }
    return axis;
}

kernels::ResampledAxis resizedAxis(std::int64_t size, std::int64_t newSize,
                                   pictures::ResizeMethod method, std::int64_t first)
{
    kernels::ResampledAxis axis;
    switch (method) {
    case pictures::ResizeMethod::Nearest:
        for (const std::int64_t place : pictures::nearestPlaces(size, newSize)) {
            axis.addTap(first + place, 1.0F);
            axis.endPosition();
        }
        return axis;
    case pictures::ResizeMethod::Bilinear:
        for (const pictures::Between& between : pictures::betweens(size, newSize)) {
            axis.addTap(first + between.lower, 1.0F - between.weight);
            axis.addTap(first + between.upper, between.weight);
            axis.endPosition();
        }
        return axis;
    case pictures::ResizeMethod::Bicubic:
        for (const pictures::CubicTaps& taps : pictures::cubicTaps(size, newSize)) {
            for (std::size_t tap = 0; tap < taps.places.size(); ++tap) {
                axis.addTap(first + taps.places[tap], taps.weights[tap]);
            }
            axis.endPosition();
        }
        return axis;
    case pictures::ResizeMethod::Area: {
        const float scale = pictures::resizeScale(size, newSize);
        for (const pictures::Cover& cover : pictures::covers(size, newSize)) {
            for (std::size_t i = 0; i < cover.shares.size(); ++i) {
                const std::int64_t place = cover.begin + static_cast<std::int64_t>(i);
                axis.addTap(first + std::min(place, size - 1), cover.shares[i] / scale);
            }
            axis.endPosition();
        }
        return axis;
    }
    case pictures::ResizeMethod::Lanczos3:
    case pictures::ResizeMethod::Lanczos5:
    case pictures::ResizeMethod::Gaussian:
    case pictures::ResizeMethod::MitchellCubic:
        break;
    }
    for (const pictures::KernelSpan& span :
         pictures::kernelSpans(pictures::kernelOf(method), size, newSize, false)) {
        for (std::size_t i = 0; i < span.weights.size(); ++i) {
            axis.addTap(first + span.begin + static_cast<std::int64_t>(i), span.weights[i]);
        }
        axis.endPosition();
    }
    return axis;
}

} // namespace cannery::layers
