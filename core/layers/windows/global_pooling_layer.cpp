// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/global_pooling_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/masks/step_masks.h"
#include "core/layers/windows/window_emission.h"
#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>

namespace cannery::layers {

namespace {

std::int64_t shownSteps(std::span<const float> mask)
{
    return std::ranges::count_if(mask, [](float shown) { return shown != 0.0F; });
}

/// The sum over the steps that count, in their order and in double, divided by their number: NaN if
/// that is 0, as in Keras.
void meanOfShown(std::span<const float> mask, std::span<const float> steps, std::span<float> dst)
{
    const auto count = static_cast<double>(shownSteps(mask));
    for (std::size_t channel = 0; channel < dst.size(); ++channel) {
        double sum = 0.0;
        for (std::size_t step = 0; step < mask.size(); ++step) {
            sum += mask[step] != 0.0F ? double{steps[step * dst.size() + channel]} : 0.0;
        }
        dst[channel] = static_cast<float>(sum / count);
    }
}

void gradientOfShown(std::span<const float> mask, std::span<const float> dstGrad,
                     std::span<float> srcGrad)
{
    const auto count = static_cast<float>(shownSteps(mask));
    for (std::size_t step = 0; step < mask.size(); ++step) {
        for (std::size_t channel = 0; channel < dstGrad.size(); ++channel) {
            // 0 / 0 where nothing counts: as in Keras, where no number can be right.
            srcGrad[step * dstGrad.size() + channel] =
                (mask[step] != 0.0F ? dstGrad[channel] : 0.0F) / count;
        }
    }
}

} // namespace

Result<LayerSignature>
GlobalPoolingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    if (!m_options.takesMask || inputs.size() != 2) {
        CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    }
    CANNERY_TRY_ASSIGN(const ImageSize image,
                       imageSizeOf(m_options.kind, *inputs[0], m_options.over));
    if (inputs.size() == 2) {
        CANNERY_TRY(expectStepMask(m_options.kind, *inputs[1], *inputs[0]));
    }
    LayerSignature signature;
    signature.output.width = image.channels;
    if (m_options.keepsDimensions) {
        signature.output = imageValue({1, 1, image.channels}, m_options.over);
    }
    return signature;
}

void GlobalPoolingLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_kernels = &kernels::globalPoolingKernels(
        {.images = buffers.maxRows, .channels = buffers.output->width});
}

void GlobalPoolingLayer::forward(const StepContext& step)
{
    if (m_buffers.inputs.size() == 2) {
        forwardMasked(step);
        return;
    }
    const auto pool =
        m_options.rule == kernels::PoolingRule::Max ? m_kernels->maximum : m_kernels->mean;
    pool(step.pool, m_buffers.inputs[0]->values(step.range()),
         m_buffers.output->output(step.range()));
}

void GlobalPoolingLayer::backward(const StepContext& step)
{
    const ValueBuffer& input = *m_buffers.inputs[0];
    const ValueBuffer& output = *m_buffers.output;
    if (m_buffers.inputs.size() == 2) {
        backwardMasked(step);
        return;
    }
    if (input.grad == nullptr) {
        return;
    }
    if (m_options.rule == kernels::PoolingRule::Max) {
        m_kernels->maximumGradient(step.pool, input.values(step.range()),
                                   output.values(step.range()), output.gradient(step.range()),
                                   input.gradient(step.range()));
    } else {
        m_kernels->meanGradient(step.pool, output.gradient(step.range()),
                                input.gradient(step.range()));
    }
}

void GlobalPoolingLayer::forwardMasked(const StepContext& step)
{
    const kernels::ConstMatrixView src = m_buffers.inputs[0]->values(step.range());
    const kernels::ConstMatrixView mask = m_buffers.inputs[1]->values(step.range());
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    kernels::forEachRowBlock(step.pool, src.rows, src.cols, [&](kernels::BlockRange rows, int) {
        for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
            meanOfShown(mask.row(row), src.row(row), dst.row(row));
        }
    });
}

void GlobalPoolingLayer::backwardMasked(const StepContext& step)
{
    const ValueBuffer& shown = *m_buffers.inputs[1];
    if (shown.grad != nullptr) {
        kernels::vectorKernels().fill(step.pool, shown.gradient(step.range()).flat(), 0.0F);
    }
    if (m_buffers.inputs[0]->grad == nullptr) {
        return;
    }
    const kernels::ConstMatrixView mask = shown.values(step.range());
    const kernels::ConstMatrixView dstGrad = m_buffers.output->gradient(step.range());
    const kernels::MatrixView srcGrad = m_buffers.inputs[0]->gradient(step.range());
    kernels::forEachRowBlock(
        step.pool, srcGrad.rows, srcGrad.cols, [&](kernels::BlockRange rows, int) {
            for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
                gradientOfShown(mask.row(row), dstGrad.row(row), srcGrad.row(row));
            }
        });
}

/// Keras's nodes: a sum of products with the mask, and the sum of the mask.
storage::EmittedValue GlobalPoolingLayer::emitMasked(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const auto steps =
        static_cast<std::int32_t>(context.layers.value(context.node.inputs[1]).width);
    const storage::NodeRef isShown =
        nodes.truth("NotEqual", nodeRef(context.inputs[1].dense), nodes.number(0.0F));
    const storage::NodeRef mask = nodes.reshape(isShown, {-1, steps, 1});
    const storage::NodeRef shown = nodes.multiply(nodeRef(context.inputs[0].dense), mask);
    const bool keeps = m_options.keepsDimensions;
    return {.dense = nodes.divide(nodes.sum(shown, 1, keeps), nodes.sum(mask, 1, keeps)).input()};
}

storage::EmittedValue GlobalPoolingLayer::emit(const EmitContext& context) const
{
    if (context.inputs.size() == 2) {
        return emitMasked(context);
    }
    const WindowEmission emission(context, {.over = m_options.over});
    const std::string op = m_options.rule == kernels::PoolingRule::Max ? "Max" : "Mean";
    const storage::NodeRef axes =
        context.graph.constant(op + "/reduction_indices", std::vector<std::int32_t>{1, 2});
    storage::Attrs attrs{{"T", DType::Float32}, {"Tidx", DType::Int32}};
    if (m_options.keepsDimensions) {
        attrs.push_back({"keep_dims", true});
    }
    const storage::NodeRef pooled = context.graph.add(op, op, {emission.images(), axes}, attrs);
    return {.dense = (m_options.keepsDimensions ? emission.rows(pooled) : pooled).input()};
}

} // namespace cannery::layers
