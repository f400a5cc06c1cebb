// SPDX-License-Identifier: Apache-2.0
#include "core/layers/noise/noise_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/noise/random_emission.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

Result<LayerSignature> NoiseLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_kind, inputs, 1));
    CANNERY_TRY(expectDense(m_kind, *inputs[0]));
    return signatureLike(*inputs[0]);
}

void NoiseLayer::prepare(const LayerBuffers& buffers)
{
    bind(buffers);
    m_kernels = &kernels::noiseKernels({.rows = buffers.maxRows, .cols = buffers.output->width});
}

kernels::Noise NoiseLayer::noiseOf(const StepContext& step) const
{
    return {.rule = m_rule,
            .amount = m_amount,
            .seed = step.seed,
            .layer = buffers().layerIndex,
            .step = step.step,
            .firstRow = step.firstRow + static_cast<std::uint64_t>(step.rowBegin)};
}

void NoiseLayer::draw(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
                      kernels::MatrixView dst)
{
    const auto run = pass == Pass::Forward ? m_kernels->run : m_kernels->gradient;
    run(step.pool, noiseOf(step), src, dst);
}

storage::EmittedValue NoiseLayer::emitTraining(const EmitContext& context,
                                               std::vector<storage::NodeRef>& /*updates*/) const
{
    if (!isActive()) {
        return context.inputs[0];
    }
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    const storage::NodeRef shape = nodes.shape(input);
    const auto normal = [&] {
        return nodes.multiply(emitNormal(context.graph, shape), nodes.number(m_amount));
    };
    switch (m_rule) {
    case kernels::NoiseRule::Add:
        return {.dense = nodes.add(input, normal()).input()};
    case kernels::NoiseRule::Multiply:
        return {.dense = nodes.multiply(input, nodes.add(normal(), nodes.number(1.0F))).input()};
    case kernels::NoiseRule::AlphaDropout:
        break;
    }
    const double limit = kernels::alphaDropoutLimit();
    const kernels::AlphaDropoutScale scale = kernels::alphaDropoutScale(double{m_amount});
    const storage::NodeRef kept =
        nodes.truth("GreaterEqual", emitUniform(context.graph, shape), nodes.number(m_amount));
    const storage::NodeRef dropped = nodes.subtract(nodes.number(1.0F), kept);
    const storage::NodeRef mixed =
        nodes.add(nodes.multiply(input, kept),
                  nodes.multiply(nodes.number(static_cast<float>(limit)), dropped));
    const storage::NodeRef scaled =
        nodes.multiply(nodes.number(static_cast<float>(scale.factor)), mixed);
    return {.dense = nodes.add(scaled, nodes.number(static_cast<float>(scale.offset))).input()};
}

} // namespace cannery::layers
