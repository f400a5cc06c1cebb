// SPDX-License-Identifier: Apache-2.0
#include "core/layers/activations/activation_layer.h"

#include "core/layers/activations/activation_emission.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/spec_options.h"

namespace cannery::layers {

ActivationLayer::ActivationLayer(const spec::ActivationLayer& message)
    : m_activation(activationOf(message.function()))
{}

Result<LayerSignature> ActivationLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("activation", inputs, 1));
    CANNERY_TRY(expectDense("activation", *inputs[0]));
    return signatureLike(*inputs[0]);
}

void ActivationLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_kernels = &kernels::activationKernels(
        {.rows = buffers.maxRows, .cols = buffers.output->width, .activation = m_activation});
}

void ActivationLayer::forward(const StepContext& step)
{
    m_kernels->forward(step.pool, m_activation, m_buffers.inputs[0]->values(step.range()), {},
                       m_buffers.output->output(step.range()));
}

void ActivationLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad == nullptr) {
        return;
    }
    m_kernels->backward(step.pool, m_activation,
                        {.src = m_buffers.inputs[0]->values(step.range()),
                         .dst = m_buffers.output->values(step.range()),
                         .dstGrad = m_buffers.output->gradient(step.range()),
                         .srcGrad = m_buffers.inputs[0]->gradient(step.range())});
}

Result<void> ActivationLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    program.add(kernels::Activate{.activation = m_activation,
                                  .src = program.at(m_buffers.inputs[0]->values(placement.rows)),
                                  .dst = program.at(m_buffers.output->output(placement.rows))},
                placement.label);
    return {};
}

Result<void> ActivationLayer::placeBackward(const Placement& placement)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        kernels::AcceleratorProgram& program = placement.program;
        program.add(
            kernels::ActivateBackward{
                .activation = m_activation,
                .src = program.at(m_buffers.inputs[0]->values(placement.rows)),
                .dst = program.at(m_buffers.output->values(placement.rows)),
                .dstGrad = program.at(m_buffers.output->gradient(placement.rows)),
                .srcGrad = program.at(m_buffers.inputs[0]->gradient(placement.rows))},
            placement.label);
    }
    return {};
}

storage::EmittedValue ActivationLayer::emit(const EmitContext& context) const
{
    return {
        .dense =
            emitActivation(context.graph, m_activation, nodeRef(context.inputs[0].dense)).input()};
}

std::unique_ptr<Layer> makeActivationLayer(const spec::Layer& message)
{
    return std::make_unique<ActivationLayer>(message.activation());
}

} // namespace cannery::layers
