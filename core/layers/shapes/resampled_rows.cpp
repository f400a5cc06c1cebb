// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/resampled_rows.h"

#include "core/pictures/resize_taps.h"

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

kernels::ResampledAxis enlargedAxis(std::int64_t size, std::int64_t factor,
                                    spec::Interpolation::Kind interpolation)
{
    kernels::ResampledAxis axis;
    switch (interpolation) {
    case spec::Interpolation::nearest:
        for (const std::int64_t place : pictures::nearestPlaces(size, size * factor)) {
            axis.addTap(place, 1.0F);
            axis.endPosition();
        }
        break;
    case spec::Interpolation::bilinear:
        for (const pictures::Between& between : pictures::betweens(size, size * factor)) {
            axis.addTap(between.lower, 1.0F - between.weight);
            axis.addTap(between.upper, between.weight);
            axis.endPosition();
        }
        break;
    case spec::Interpolation::bicubic:
        for (const pictures::CubicTaps& taps : pictures::cubicTaps(size, size * factor)) {
            for (std::size_t tap = 0; tap < taps.places.size(); ++tap) {
                axis.addTap(taps.places[tap], taps.weights[tap]);
            }
            axis.endPosition();
        }
        break;
    }
    return axis;
}

} // namespace cannery::layers
