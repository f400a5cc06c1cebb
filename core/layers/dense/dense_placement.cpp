// SPDX-License-Identifier: Apache-2.0
// A dense layer's operations on an accelerator.

#include "core/layers/dense/dense_layer.h"
#include "core/layers/placement.h"

namespace cannery::layers {

Placement DenseLayer::placementOf(const Placement& ofRows) const
{
    Placement placement = ofRows;
    placement.rows *= m_perRow;
    return placement;
}

/// Null without one.
const float* DenseLayer::placedBias(kernels::AcceleratorProgram& program) const
{
    return m_usesBias ? program.at(std::as_const(m_buffers.variables[1].values.data)) : nullptr;
}

/// Where the input of the activation goes.
kernels::MatrixView DenseLayer::sums(std::int64_t rows)
{
    return m_keepsInput ? kernels::MatrixView{m_sums.data(), rows, m_units, m_units}
                        : m_buffers.output->output(rows);
}

/// Of a sequence, every step is a row.
/// A sequence's rows are padded to the longest one; padded steps have a gradient of 0.
void DenseLayer::placeSteps(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const Slice& slice = m_slices.front();
    ValueBuffer& output = *m_buffers.output;
    placeSequence(placement, output);
    m_placedSums = output.placedSteps;
    if (m_keepsInput) {
        m_placedSums.data = program.scratchFloats(m_placedSums.rows * m_units);
    }
    placeStepProduct(placement,
                     {.a = slice.source->placedSteps,
                      .b = program.at(slice.kernel),
                      .bias = placedBias(program),
                      .activation = m_keepsInput ? kernels::Activation::Linear : m_activation,
                      .dst = m_placedSums});
    if (m_keepsInput) {
        program.add(kernels::Activate{.activation = m_activation,
                                      .src = m_placedSums,
                                      .dst = output.placedSteps},
                    placement.label);
    }
}

Result<void> DenseLayer::placeForward(const Placement& ofRows)
{
    const Placement placement = placementOf(ofRows);
    if (m_buffers.output->kind == graph::ValueKind::Sequence) {
        placeSteps(placement);
        return {};
    }
    kernels::AcceleratorProgram& program = placement.program;
    placeOwn(program, std::span<float>(m_sums));
    const kernels::MatrixView target = sums(placement.rows);
    const kernels::MatrixView dst = program.at(target);
    const float* const bias = placedBias(program);
    const kernels::Activation fused = m_keepsInput ? kernels::Activation::Linear : m_activation;
    for (std::size_t index = 0; index < m_lookups; ++index) {
        const Slice& slice = m_slices[index];
        slice.lookup.placeForward(placement, slice.source->placedIds, slice.kernel, index > 0, dst);
    }
    for (std::size_t index = m_lookups; index < m_slices.size(); ++index) {
        const Slice& slice = m_slices[index];
        const bool isLast = index + 1 == m_slices.size();
        program.add(kernels::Product{.a = program.at(slice.source->values(placement.rows)),
                                     .b = program.at(slice.kernel),
                                     .bias = isLast ? bias : nullptr,
                                     .activation = isLast ? fused : kernels::Activation::Linear,
                                     .accumulate = index > 0,
                                     .precision = placement.precision,
                                     .dst = dst},
                    placement.label);
    }
    if (m_lookups == m_slices.size()) {
        program.add(kernels::Activate{.activation = fused, .src = dst, .bias = bias, .dst = dst},
                    placement.label);
    }
    if (m_keepsInput) {
        program.add(kernels::Activate{.activation = m_activation,
                                      .src = dst,
                                      .dst = program.at(m_buffers.output->output(placement.rows))},
                    placement.label);
    }
    return {};
}

void DenseLayer::placeSliceGradients(const Placement& placement, const Slice& slice,
                                     kernels::MatrixView grad) const
{
    kernels::AcceleratorProgram& program = placement.program;
    const bool isProduct = slice.matmul.isPlanned();
    if (auto* gradient = m_buffers.variables[0].gradient; gradient != nullptr) {
        GradientSegment& segment = (*gradient)[slice.segment];
        if (isProduct) {
            program.add(kernels::Product{.kind = kernels::ProductKind::WeightsGradient,
                                         .a = program.at(slice.source->values(placement.rows)),
                                         .b = program.at(grad),
                                         .precision = placement.precision,
                                         .dst = program.at(segment.dense)},
                        placement.label);
        } else {
            slice.lookup.placeGradient(placement, slice.source->placedIds, slice.kernel,
                                       program.at(grad), false, segment);
        }
    }
    if (isProduct && slice.source->grad != nullptr) {
        program.add(kernels::Product{.kind = kernels::ProductKind::SrcGradient,
                                     .a = program.at(grad),
                                     .b = program.at(slice.kernel),
                                     .precision = placement.precision,
                                     .dst = program.at(slice.source->gradient(placement.rows))},
                    placement.label);
    }
}

void DenseLayer::placeStepsBack(const Placement& placement) const
{
    kernels::AcceleratorProgram& program = placement.program;
    const Slice& slice = m_slices.front();
    const kernels::MatrixView grad = m_buffers.output->placedStepGrads;
    if (m_activation != kernels::Activation::Linear) {
        program.add(kernels::ActivateBackward{.activation = m_activation,
                                              .src = m_placedSums,
                                              .dst = m_buffers.output->placedSteps,
                                              .dstGrad = grad,
                                              .srcGrad = grad},
                    placement.label);
    }
    if (const auto* gradient = m_buffers.variables[0].gradient; gradient != nullptr) {
        placeStepProduct(placement, {.kind = kernels::ProductKind::WeightsGradient,
                                     .a = slice.source->placedSteps,
                                     .b = grad,
                                     .dst = program.at((*gradient)[slice.segment].dense)});
    }
    if (const auto* gradient = biasGradient(); gradient != nullptr) {
        placeStepSums(placement, grad, program.at((*gradient)[m_biasSegment].dense.data));
    }
    if (slice.source->wantsGradient) {
        placeStepProduct(placement, {.kind = kernels::ProductKind::SrcGradient,
                                     .a = grad,
                                     .b = program.at(slice.kernel),
                                     .dst = slice.source->placedStepGrads});
    }
}

Result<void> DenseLayer::placeBackward(const Placement& ofRows)
{
    const Placement placement = placementOf(ofRows);
    if (m_buffers.output->kind == graph::ValueKind::Sequence) {
        placeStepsBack(placement);
        return {};
    }
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView grad = m_buffers.output->gradient(placement.rows);
    const auto* const bias = biasGradient();
    if (m_activation != kernels::Activation::Linear) {
        const kernels::MatrixView dstGrad = program.at(grad);
        program.add(
            kernels::ActivateBackward{
                .activation = m_activation,
                .src = m_keepsInput ? program.at(sums(placement.rows)) : kernels::MatrixView{},
                .dst = program.at(m_buffers.output->values(placement.rows)),
                .dstGrad = dstGrad,
                .srcGrad = dstGrad,
                .biasGrad =
                    bias == nullptr ? nullptr : program.at((*bias)[m_biasSegment].dense.data)},
            placement.label);
    } else if (bias != nullptr) {
        placeBiasGradient(placement, *m_buffers.output, (*bias)[m_biasSegment]);
    }
    for (const Slice& slice : m_slices) {
        placeSliceGradients(placement, slice, grad);
    }
    return {};
}

} // namespace cannery::layers
