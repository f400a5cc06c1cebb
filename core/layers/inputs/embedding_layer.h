// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/inputs/lookup.h"
#include "core/layers/inputs/sequence_memory.h"
#include "core/layers/layer.h"

namespace cannery::layers {

/// tf.feature_column.embedding_column: rows of a table [ids' width, dimension], combined. Input:
/// ids (or an indicator's). Of the ids of a sequence it makes a sequence, zeros where a step has no
/// category. The table's gradient is sparse.
class EmbeddingLayer : public Layer
{
public:
    explicit EmbeddingLayer(const spec::EmbeddingLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    bool runsBesideOthers() const override { return true; }
    bool runsByRows() const override;
    std::vector<std::int64_t> weightTasks() const override { return {m_dimension}; }
    void backwardWeights(const StepContext& step, std::size_t /*task*/) override { backward(step); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    void bindSteps();

    std::int64_t m_dimension = 0;
    kernels::SparseCombineOptions m_options;
    LayerBuffers m_buffers;
    Lookup m_lookup;
    std::size_t m_segment = 0;
    ValueBuffer m_steps;                     ///< ids of a batch of sequences, by step
    SequenceMemory m_memory;                 ///< of the output, if it is a sequence
    std::vector<std::int64_t> m_stepOffsets; ///< 0, 1, 2, ...
};

std::unique_ptr<Layer> makeEmbeddingLayer(const spec::Layer& message);

} // namespace cannery::layers
