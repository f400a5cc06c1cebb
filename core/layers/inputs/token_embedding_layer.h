// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer.h"

#include <vector>

namespace cannery::layers {

/// tf.keras.layers.Embedding: each number of a row is an id and becomes its row of a table
/// [input_dim, output_dim], so rows of shape [..., n] give rows of shape [..., n, output_dim]. The
/// table's gradient is sparse; ids have none. A number that is no id gives NaN: rows are checked
/// before they get here (spec::tokenIdsOf), other layers may make any numbers.
class TokenEmbeddingLayer : public Layer
{
public:
    explicit TokenEmbeddingLayer(const spec::TokenEmbeddingLayer& message)
        : m_ids(message.input_dim()), m_dimension(message.output_dim())
    {}

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override;
    std::vector<std::int64_t> weightTasks() const override;
    void backwardWeights(const StepContext& step, std::size_t task) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    std::int64_t m_ids;
    std::int64_t m_dimension;
    LayerBuffers m_buffers;
    Lookup m_lookup;
    std::size_t m_segment = 0;
    std::vector<std::int32_t> m_rows;    ///< of the table, by number of the batch; -1: none
    std::vector<std::int64_t> m_offsets; ///< 0, 1, 2, ...: each number is a row with one id
};

std::unique_ptr<Layer> makeTokenEmbeddingLayer(const spec::Layer& message);

} // namespace cannery::layers
