// SPDX-License-Identifier: Apache-2.0
#include "core/layers/dense/bias_activation.h"

#include "core/graph/initializers.h"
#include "core/layers/activations/activation_emission.h"

namespace cannery::layers {

BiasActivation::BiasActivation(kernels::Activation activation, bool usesBias)
    : m_activation(activation), m_usesBias(usesBias), m_keepsInput(kernels::needsInput(activation))
{}

void BiasActivation::addVariable(LayerSignature& signature, std::int64_t filters) const
{
    if (m_usesBias) {
        signature.variables.push_back(
            {.suffix = "bias", .shape = {filters}, .initializer = graph::zeros()});
    }
}

void BiasActivation::prepare(const LayerBuffers& buffers, std::int64_t filters)
{
    m_buffers = buffers;
    m_filters = filters;
    m_activationKernels = &kernels::activationKernels(
        {.rows = buffers.maxRows, .cols = buffers.output->width, .activation = m_activation});
    m_biasGrad = &kernels::biasGradKernels(
        {.rows = buffers.maxRows * (buffers.output->width / filters), .cols = filters});
    if (m_keepsInput) {
        m_sums.resize(static_cast<std::size_t>(buffers.maxRows * buffers.output->width));
    }
    if (m_usesBias && buffers.variables.back().gradient != nullptr) {
        m_biasSegment = buffers.variables.back().gradient->size();
        buffers.variables.back().gradient->push_back({.rowCount = 1});
    }
}

std::span<const float> BiasActivation::bias() const
{
    return m_usesBias ? std::span<const float>(m_buffers.variables.back().values.flat())
                      : std::span<const float>();
}

kernels::MatrixView BiasActivation::target(const StepContext& step)
{
    return m_keepsInput
               ? kernels::matrixView(std::span<float>(m_sums), step.rows, m_buffers.output->width)
               : m_buffers.output->output(step.rows);
}

kernels::ConvolutionEpilogue BiasActivation::epilogue() const
{
    return {.bias = bias(),
            .activation = m_keepsInput ? kernels::Activation::Linear : m_activation};
}

void BiasActivation::finish(const StepContext& step)
{
    if (m_keepsInput) {
        m_activationKernels->forward(step.pool, m_activation, target(step), {},
                                     m_buffers.output->output(step.rows));
    }
}

void BiasActivation::apply(const StepContext& step)
{
    const kernels::MatrixView sums = byLastAxis(target(step), m_filters);
    if (m_usesBias) {
        m_activationKernels->forward(step.pool,
                                     m_keepsInput ? kernels::Activation::Linear : m_activation,
                                     sums, bias(), sums);
        finish(step);
    } else if (m_activation != kernels::Activation::Linear) {
        m_activationKernels->forward(step.pool, m_activation, sums, {},
                                     byLastAxis(m_buffers.output->output(step.rows), m_filters));
    }
}

kernels::MatrixView BiasActivation::backward(const StepContext& step)
{
    const kernels::MatrixView grad = m_buffers.output->gradient(step.rows);
    if (m_activation != kernels::Activation::Linear) {
        m_activationKernels->backward(step.pool, m_activation,
                                      {.src = target(step),
                                       .dst = m_buffers.output->values(step.rows),
                                       .dstGrad = grad,
                                       .srcGrad = grad});
    }
    if (m_usesBias && m_buffers.variables.back().gradient != nullptr) {
        m_biasGrad->run(step.pool, byLastAxis(grad, m_filters),
                        (*m_buffers.variables.back().gradient)[m_biasSegment].dense.flat());
    }
    return grad;
}

storage::EmittedValue BiasActivation::emit(const EmitContext& context,
                                           const storage::NodeRef& product) const
{
    storage::NodeRef sum = product;
    if (m_usesBias) {
        sum = context.graph.add("BiasAdd", "BiasAdd", {sum, context.variables.back()->read},
                                {{"T", DType::Float32}});
    }
    return {.dense = emitActivation(context.graph, m_activation, sum).input()};
}

} // namespace cannery::layers
