// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"

#include <vector>

namespace cannery::layers {

/// The numbers of each row in other dimensions, in the same order (row-major):
/// tf.keras.layers.Reshape.
class ReshapeLayer : public Layer
{
public:
    explicit ReshapeLayer(const spec::ReshapeLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

protected:
    /// The target {-1} of a flatten layer, which is called `kind` in messages.
    ReshapeLayer(std::string_view kind, std::vector<std::int64_t> target)
        : m_kind(kind), m_target(std::move(target))
    {}

private:
    std::string_view m_kind = "reshape";
    std::vector<std::int64_t> m_target; ///< as written: one dimension may be -1
    LayerBuffers m_buffers;
};

std::unique_ptr<Layer> makeReshapeLayer(const spec::Layer& message);

} // namespace cannery::layers
