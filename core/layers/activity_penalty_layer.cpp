// SPDX-License-Identifier: Apache-2.0
#include "core/layers/activity_penalty_layer.h"

#include "core/layers/layer_errors.h"
#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"

#include <cmath>

namespace cannery::layers {

namespace {

constexpr std::string_view kActivityPenalty = "with an activity_regularizer";

/// TensorFlow's gradient of an absolute value: 0 at 0.
float signOf(float value)
{
    return value > 0.0F ? 1.0F : value < 0.0F ? -1.0F : value;
}

} // namespace

Result<LayerSignature>
ActivityPenaltyLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(kActivityPenalty, inputs, 1));
    CANNERY_TRY(expectDense(kActivityPenalty, *inputs[0]));
    return signatureLike(*inputs[0]);
}

void ActivityPenaltyLayer::forward(const StepContext& step)
{
    kernels::vectorKernels().copy(step.pool, m_buffers.inputs[0]->values(step.range()),
                                  m_buffers.output->output(step.range()));
}

void ActivityPenaltyLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad == nullptr) {
        return;
    }
    const kernels::ConstMatrixView values = m_buffers.output->values(step.range());
    const kernels::MatrixView given = m_buffers.output->gradient(step.range());
    const kernels::MatrixView wanted = m_buffers.inputs[0]->gradient(step.range());
    const float rows = static_cast<float>(step.stepRows);
    const float l1 = m_l1 / rows;
    const float l2 = 2.0F * m_l2 / rows;
    kernels::forEachRowBlock(
        step.pool, values.rows, values.cols, [&](kernels::BlockRange block, int) {
            for (std::int64_t row = block.first; row < block.first + block.count; ++row) {
                const float* value = values.at(row);
                const float* above = given.at(row);
                float* below = wanted.at(row);
                for (std::int64_t col = 0; col < values.cols; ++col) {
                    below[col] = above[col] + l1 * signOf(value[col]) + l2 * value[col];
                }
            }
        });
}

double ActivityPenaltyLayer::penalty(const StepContext& step)
{
    if (step.rows == 0) {
        return 0.0;
    }
    // On one thread, in order: a sum over threads would have other bits for each number of them.
    double magnitudes = 0.0;
    double squares = 0.0;
    for (const float value : m_buffers.output->output(step.rows).flat()) {
        const auto wide = static_cast<double>(value);
        magnitudes += std::abs(wide);
        squares += wide * wide;
    }
    return (static_cast<double>(m_l1) * magnitudes + static_cast<double>(m_l2) * squares) /
           static_cast<double>(step.rows);
}

storage::EmittedValue ActivityPenaltyLayer::emit(const EmitContext& context) const
{
    return context.inputs[0]; // a penalty changes no prediction
}

OwnLayer activityPenaltyLayer(const spec::L1L2Regularizer& message)
{
    return {.kind = "activity_penalty",
            .make = [message] { return std::make_unique<ActivityPenaltyLayer>(message); }};
}

} // namespace cannery::layers
