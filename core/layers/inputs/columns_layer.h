// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/layer_graph_builder.h"

namespace cannery::layers {

/// The columns of an input layer as one dense matrix, for layers that look at numbers side by side;
/// an indicator becomes the counts of its ids. A dense layer reads columns without it.
class ColumnsLayer : public Layer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    /// "layers.not_placed" for indicators.
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    LayerBuffers m_buffers;
};

/// It has no message: custom_estimator puts it where it is needed.
OwnLayer columnsLayer();

} // namespace cannery::layers
