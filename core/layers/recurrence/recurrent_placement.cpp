// SPDX-License-Identifier: Apache-2.0
#include "core/layers/placement.h"
#include "core/layers/recurrence/recurrent_layer.h"

namespace cannery::layers {

namespace {

void placeZeros(const Placement& placement, const kernels::MatrixView& dst)
{
    placement.program.add(kernels::FillValues{.dst = dst, .value = 0.0F}, placement.label);
}

} // namespace

void RecurrentLayer::placeRoom(const Placement& placement)
{
    const std::int64_t steps = placement.steps.count();
    const std::int64_t rows = placement.rows;
    m_placed.gates = placement.program.scratchMatrix(steps, m_gates.width);
    m_placed.recurrent = placement.program.scratchMatrix(steps, m_recurrent.width);
    // One block of rows more than steps: the zeros before the first step, so that step t reads
    // block t and writes block t + 1.
    m_placed.outputs = placement.program.scratchMatrix(rows + steps, m_options.units);
    m_placed.states = placement.program.scratchMatrix(rows + steps, m_states.width);
    placeZeros(placement, m_placed.outputs.slice(0, rows));
    if (isLstm()) {
        placeZeros(placement, m_placed.states.slice(0, rows));
    }
}

kernels::RecurrentStep RecurrentLayer::placedStep(std::int64_t rows, std::int64_t time) const
{
    return {.gates = m_placed.gates.slice(time * rows, rows),
            .recurrent = m_placed.recurrent.slice(time * rows, rows),
            .previousOutput = m_placed.outputs.slice(time * rows, rows),
            .previousState = m_placed.states.slice(time * rows, rows),
            .output = m_placed.outputs.slice((time + 1) * rows, rows),
            .state = m_placed.states.slice((time + 1) * rows, rows)};
}

void RecurrentLayer::placeStep(const Placement& placement, std::int64_t time) const
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::RecurrentStep now = placedStep(placement.rows, time);
    if (isGru() || time > 0) {
        program.add(kernels::Product{.a = now.previousOutput,
                                     .b = program.at(m_buffers.variables[kRecurrentKernel].values),
                                     .bias = isGru() ? program.at(biasRow(1).data()) : nullptr,
                                     .accumulate = !isGru(),
                                     .precision = placement.precision,
                                     .dst = isGru() ? now.recurrent : now.gates},
                    placement.label);
    }
    program.add(
        kernels::RecurrentForward{
            .cell = rule().cell, .steps = placement.steps, .time = time, .step = now},
        placement.label);
}

/// What a device computes: Keras's cells with their own functions, over sequences.
bool RecurrentLayer::isPlaceable() const
{
    return m_options.isPlain() && m_buffers.inputs.size() == 1 &&
           m_buffers.inputs[0]->kind == graph::ValueKind::Sequence;
}

Result<void> RecurrentLayer::placeForward(const Placement& placement)
{
    if (!isPlaceable()) {
        return Layer::placeForward(placement);
    }
    kernels::AcceleratorProgram& program = placement.program;
    const std::int64_t steps = placement.steps.count();
    placeRoom(placement);
    placeStepProduct(placement, {.a = m_buffers.inputs[0]->placedSteps,
                                 .b = program.at(m_buffers.variables[kKernel].values),
                                 .bias = program.at(biasRow(0).data()),
                                 .dst = m_placed.gates});
    for (std::int64_t time = 0; time < placement.steps.most; ++time) {
        placeStep(placement, time);
    }
    ValueBuffer& output = *m_buffers.output;
    if (m_options.returnSequences) {
        output.placedSteps = m_placed.outputs.slice(placement.rows, steps);
        output.placedStepGrads = output.wantsGradient
                                     ? placement.program.scratchMatrix(steps, m_options.units)
                                     : kernels::MatrixView{};
    } else {
        // Rows that ended earlier have kept their last output.
        program.add(kernels::CopyValues{.src = m_placed.outputs.slice(steps, placement.rows),
                                        .dst = program.at(output.output(placement.rows))},
                    placement.label);
    }
    return {};
}

/// After the last step: what the gradients begin with.
kernels::RecurrentGradient RecurrentLayer::placeLastGradient(const Placement& placement) const
{
    const kernels::RecurrentGradient grad{
        .output = placement.program.scratchMatrix(placement.rows, m_options.units),
        .state = placement.program.scratchMatrix(placement.rows, m_states.width)};
    if (m_options.returnSequences) {
        // Every step adds its own gradient.
        placeZeros(placement, grad.output);
    } else {
        const kernels::MatrixView last = m_buffers.output->gradient(placement.rows);
        placement.program.add(
            kernels::CopyValues{.src = placement.program.at(last), .dst = grad.output},
            placement.label);
    }
    if (isLstm()) {
        placeZeros(placement, grad.state);
    }
    return grad;
}

void RecurrentLayer::placeStepBack(const Placement& placement, std::int64_t time,
                                   const kernels::RecurrentGradient& grad) const
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::RecurrentStep now = placedStep(placement.rows, time);
    kernels::ConstMatrixView ofStep;
    if (m_options.returnSequences) {
        ofStep = m_buffers.output->placedStepGrads.slice(time * placement.rows, placement.rows);
    }
    program.add(kernels::RecurrentBackward{.cell = rule().cell,
                                           .steps = placement.steps,
                                           .time = time,
                                           .step = now,
                                           .grad = grad,
                                           .stepGrad = ofStep},
                placement.label);
    // Before the first step there is nothing to pass the gradient to.
    if (time > 0) {
        program.add(kernels::Product{.kind = kernels::ProductKind::SrcGradient,
                                     .a = isGru() ? now.recurrent : now.gates,
                                     .b = program.at(m_buffers.variables[kRecurrentKernel].values),
                                     .accumulate = true,
                                     .precision = placement.precision,
                                     .dst = grad.output},
                    placement.label);
    }
}

void RecurrentLayer::placeParameterGradients(const Placement& placement) const
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView& recurrent = isGru() ? m_placed.recurrent : m_placed.gates;
    const auto product = [&](const GradientSegment* kernel, const kernels::ConstMatrixView& input,
                             const kernels::MatrixView& sums) {
        if (kernel != nullptr) {
            placeStepProduct(placement, {.kind = kernels::ProductKind::WeightsGradient,
                                         .a = input,
                                         .b = sums,
                                         .dst = program.at(kernel->dense)});
        }
    };
    product(segment(kKernel), m_buffers.inputs[0]->placedSteps, m_placed.gates);
    product(segment(kRecurrentKernel), m_placed.outputs.slice(0, placement.steps.count()),
            recurrent);
    if (const GradientSegment* bias = segment(kBias)) {
        placeStepSums(placement, m_placed.gates, program.at(bias->dense.at(0)));
        if (isGru()) {
            placeStepSums(placement, recurrent, program.at(bias->dense.at(1)));
        }
    }
}

Result<void> RecurrentLayer::placeBackward(const Placement& placement)
{
    if (!isPlaceable()) {
        return Layer::placeBackward(placement);
    }
    const kernels::RecurrentGradient grad = placeLastGradient(placement);
    for (std::int64_t time = placement.steps.most; time-- > 0;) {
        placeStepBack(placement, time, grad);
    }
    placeParameterGradients(placement);
    const ValueBuffer& input = *m_buffers.inputs[0];
    if (input.wantsGradient) {
        placeStepProduct(placement, {.kind = kernels::ProductKind::SrcGradient,
                                     .a = m_placed.gates,
                                     .b = placement.program.at(m_buffers.variables[kKernel].values),
                                     .dst = input.placedStepGrads});
    }
    return {};
}

} // namespace cannery::layers
