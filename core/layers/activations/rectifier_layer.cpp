// SPDX-License-Identifier: Apache-2.0
#include "core/layers/activations/rectifier_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "storage/tf/graphs/float_nodes.h"

#include <cmath>

namespace cannery::layers {

namespace {

/// The cap for which TensorFlow has a function of its own.
constexpr float kCapOfRelu6 = 6.0F;

bool isLeakyAlone(const kernels::Rectifier& unit)
{
    return unit.slope != 0.0F && unit.threshold == 0.0F && std::isinf(unit.cap);
}

bool isRelu6(const kernels::Rectifier& unit)
{
    return unit.threshold == 0.0F && unit.cap == kCapOfRelu6;
}

/// The part above the threshold, in the order of keras.backend.relu.
storage::NodeRef emitAbove(const storage::FloatNodes& nodes, const kernels::Rectifier& unit,
                           const storage::NodeRef& input)
{
    if (isRelu6(unit)) {
        return nodes.apply("Relu6", {input});
    }
    const storage::NodeRef above =
        unit.threshold == 0.0F
            ? nodes.apply("Relu", {input})
            : nodes.multiply(input, nodes.truth("Greater", input, nodes.number(unit.threshold)));
    return std::isinf(unit.cap)
               ? above
               : nodes.larger(nodes.smaller(above, nodes.number(unit.cap)), nodes.number(0.0F));
}

} // namespace

RectifierLayer::RectifierLayer(std::string_view kind, const Options& options)
    : m_kind(kind), m_unit{
                        .slope = options.slope, .threshold = options.threshold, .cap = options.cap}
{
    m_unit.slopeAtThreshold = isLeakyAlone(m_unit) ? m_unit.slope : 0.0F;
    m_unit.slopeAtCap = isRelu6(m_unit) ? 0.0F : 1.0F;
}

Result<LayerSignature> RectifierLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_kind, inputs, 1));
    CANNERY_TRY(expectDense(m_kind, *inputs[0]));
    return signatureLike(*inputs[0]);
}

void RectifierLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_kernels = &kernels::parametricActivationKernels(
        {.rows = buffers.maxRows, .cols = buffers.output->width});
}

void RectifierLayer::forward(const StepContext& step)
{
    m_kernels->rectify(step.pool, m_unit, m_buffers.inputs[0]->values(step.range()),
                       m_buffers.output->output(step.range()));
}

void RectifierLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_kernels->rectifyGradient(step.pool, m_unit, m_buffers.inputs[0]->values(step.range()),
                                   m_buffers.output->gradient(step.range()),
                                   m_buffers.inputs[0]->gradient(step.range()));
    }
}

storage::EmittedValue RectifierLayer::emit(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    if (isLeakyAlone(m_unit)) {
        return {.dense = context.graph
                             .add("LeakyRelu", "LeakyRelu", {input},
                                  {{"T", DType::Float32}, {"alpha", m_unit.slope}})
                             .input()};
    }
    const storage::NodeRef above = emitAbove(nodes, m_unit, input);
    if (m_unit.slope == 0.0F) {
        return {.dense = above.input()};
    }
    // The distance below the threshold.
    storage::NodeRef below = nodes.apply("Neg", {input});
    if (m_unit.threshold != 0.0F) {
        below = nodes.add(below, nodes.number(m_unit.threshold));
    }
    below = nodes.multiply(nodes.number(m_unit.slope), nodes.apply("Relu", {below}));
    return {.dense = nodes.subtract(above, below).input()};
}

} // namespace cannery::layers
