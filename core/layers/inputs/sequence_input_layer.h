// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/inputs/sequence_memory.h"
#include "core/layers/layer.h"

namespace cannery::layers {

/// tf.keras.experimental.SequenceFeatures, and concatenate_context_input: at every step the
/// sequence columns side by side in the given order, then, if there is one, the context of the row
/// (a value of kind Columns, or a dense vector). All sequences of a row have equally many steps;
/// the encoder refuses others.
class SequenceInputLayer : public Layer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    /// Columns of the output that are copies of a value.
    struct Part
    {
        std::int64_t firstColumn = 0;
        const ValueBuffer* source = nullptr;
        bool isContext = false;
    };
    void write(const Part& part, kernels::BlockRange rows) const;
    void addContext(const Part& part, std::int64_t row) const;
    void placeContext(const Placement& placement, const Part& part) const;
    template <typename Function>
    void forEachPart(const StepContext& step, Function&& function) const;

    std::vector<Part> m_parts;
    ValueBuffer* m_output = nullptr;
    SequenceMemory m_memory;
};

std::unique_ptr<Layer> makeSequenceInputLayer(const spec::Layer& message);

} // namespace cannery::layers
