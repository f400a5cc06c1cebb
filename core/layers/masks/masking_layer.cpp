// SPDX-License-Identifier: Apache-2.0
#include "core/layers/masks/masking_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/masks/step_masks.h"
#include "kernels/device/row_blocks.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr ErrorKind kMaskedRank{
    "layers.masked_rank",
    "A layer masking hides steps, of rows of shape [steps, channels], and rows of '{}' have the "
    "shape {}: put a reshape before it."};

} // namespace

Result<LayerSignature> MaskingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("masking", inputs, 1));
    CANNERY_TRY(expectDense("masking", *inputs[0]));
    if (graph::rowShape(*inputs[0]).size() < 2) {
        return fail(ErrorCode::InvalidArgument, kMaskedRank, inputs[0]->name,
                    graph::shapeText(*inputs[0]));
    }
    return signatureLike(*inputs[0]);
}

void MaskingLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
}

void MaskingLayer::keepShown(const StepContext& step, kernels::ConstMatrixView src,
                             kernels::MatrixView dst) const
{
    const ValueBuffer& input = *m_buffers.inputs[0];
    const std::int64_t channels = input.shape.back();
    const kernels::ConstMatrixView numbers = byLastAxis(input.values(step.range()), channels);
    kernels::forEachRowBlock(
        step.pool, numbers.rows, channels, [&](kernels::BlockRange steps, int) {
            for (std::int64_t i = steps.first; i < steps.first + steps.count; ++i) {
                float* target = dst.data + i * channels;
                if (isStepShown(numbers.row(i), m_value)) {
                    std::copy_n(src.data + i * channels, channels, target);
                } else {
                    std::fill_n(target, channels, 0.0F);
                }
            }
        });
}

void MaskingLayer::forward(const StepContext& step)
{
    keepShown(step, m_buffers.inputs[0]->values(step.range()),
              m_buffers.output->output(step.range()));
}

void MaskingLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        keepShown(step, m_buffers.output->gradient(step.range()),
                  m_buffers.inputs[0]->gradient(step.range()));
    }
}

storage::EmittedValue MaskingLayer::emit(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const auto axis = static_cast<std::int32_t>(
        graph::rowShape(context.layers.value(context.node.output)).size());
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    return {.dense =
                nodes.multiply(input, emitShownSteps(nodes, input, m_value, axis, true)).input()};
}

std::unique_ptr<Layer> makeMaskingLayer(const spec::Layer& message)
{
    return std::make_unique<MaskingLayer>(message.masking());
}

} // namespace cannery::layers
