// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/layer_graph_builder.h"
#include "core/spec/weights.pb.h"

namespace cannery::layers {

/// Passes its input on, and adds l1 * sum of absolute values + l2 * sum of squares of a batch,
/// divided by its rows, to the loss: Keras's activity_regularizer (Layer._handle_activity_
/// regularization). Shards of a step count alike, as their losses do. A node of its own rather than
/// a duty of every layer, so that no layer's passes know of it.
class ActivityPenaltyLayer : public Layer
{
public:
    explicit ActivityPenaltyLayer(const spec::L1L2Regularizer& message)
        : m_l1(static_cast<float>(message.l1())), m_l2(static_cast<float>(message.l2()))
    {}

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override { m_buffers = buffers; }
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    bool hasPenalty() const override { return true; }
    float l1() const { return m_l1; }
    float l2() const { return m_l2; }
    double penalty(const StepContext& step) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    float m_l1;
    float m_l2;
    LayerBuffers m_buffers;
};

/// It has no message: LayerGraphBuilder puts it behind layers with an activity_regularizer.
OwnLayer activityPenaltyLayer(const spec::L1L2Regularizer& message);

} // namespace cannery::layers
