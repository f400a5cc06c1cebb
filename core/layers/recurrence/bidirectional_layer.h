// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/recurrence/recurrent_layer.h"

#include <array>
#include <vector>

namespace cannery::layers {

/// keras.layers.Bidirectional: two recurrent layers of one kind over the same steps, one of which
/// reads them from the last to the first; its outputs stand where their inputs do. Variables:
/// "forward_lstm/lstm_cell/kernel" and so on, then "backward_…". Inputs: those of a RecurrentLayer,
/// with the initial states of the forward direction before those of the backward one.
class BidirectionalLayer : public Layer
{
public:
    BidirectionalLayer(const RecurrentOptions& options, spec::MergeMode::Kind mode);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    struct Direction
    {
        RecurrentOptions options;
        RecurrentLayer layer;
        ValueBuffer steps; ///< the input; the backward one has a gradient of its own
        ValueBuffer output;
        std::vector<float> outputMemory; ///< dense; values, then their gradient
    };
    bool isConcat() const { return m_mode == spec::MergeMode::concat; }
    std::int64_t outputSteps(std::int64_t rows) const;
    void prepareDirection(std::size_t index);
    void bindSteps(const StepContext& step);
    void merge(const StepContext& step);
    void splitGradient(const StepContext& step);

    spec::MergeMode::Kind m_mode;
    bool m_isTurned;                       ///< its layer goes backwards already
    std::array<Direction, 2> m_directions; ///< forward, backward
    LayerBuffers m_buffers;
    SequenceMemory m_memory;            ///< of the output, if it is a sequence
    std::vector<float> m_inputGradient; ///< of the backward direction
};

std::unique_ptr<Layer> makeBidirectionalLayer(const spec::Layer& message);

} // namespace cannery::layers
