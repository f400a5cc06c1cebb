// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"

namespace cannery::layers {

/// Two or more dense values side by side along one dimension, tf.keras.layers.Concatenate: along
/// the last one of images, the channels of one after those of the other. Their other dimensions are
/// equal.
class ConcatenateLayer : public Layer
{
public:
    explicit ConcatenateLayer(std::int64_t axis) : m_axis(axis) {}

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    /// Numbers of an input, or of the output, that lie together: one index of the dimensions before
    /// the axis.
    std::int64_t together(const std::vector<std::int64_t>& shape) const;

    const std::int64_t m_axis; ///< as written: 1 is the first one behind the batch, -1 the last
    LayerBuffers m_buffers;
};

std::unique_ptr<Layer> makeConcatenateLayer(const spec::Layer& message);

} // namespace cannery::layers
