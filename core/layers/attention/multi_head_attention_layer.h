// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/attention/attention_inputs.h"
#include "core/layers/attention/attention_projection.h"
#include "core/layers/layer.h"
#include "core/layers/training_emission.h"

#include <array>

namespace cannery::layers {

/// Attention between learned projections of query, key and value, several times side by side, and a
/// projection of all results together (Vaswani et al. 2017): tf.keras.layers.MultiHeadAttention.
/// All dimensions of a row but the last are steps. A fourth input hides keys.
class MultiHeadAttentionLayer : public Layer, public EmitsTraining
{
public:
    explicit MultiHeadAttentionLayer(const spec::MultiHeadAttentionLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override;
    std::vector<std::int64_t> weightTasks() const override;
    void backwardWeights(const StepContext& step, std::size_t task) override;
    std::string_view implementation() const override;
    storage::EmittedValue emit(const EmitContext& context) const override;
    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

private:
    /// The projections, in the order of their variables.
    enum Part : std::size_t
    {
        kQueryPart,
        kKeyPart,
        kValuePart,
        kOutputPart,
        kPartCount,
    };
    /// What a projection gives, [batch rows * vectors, width], and its gradient; of the last one
    /// what it reads.
    struct Projected
    {
        std::int64_t vectors = 0; ///< of a row
        std::int64_t width = 0;
        std::vector<float> values;
        std::vector<float> grads; ///< empty without training
    };

    std::int64_t outputWidth(const AttentionSizes& sizes) const;
    std::size_t kernelIndex(Part part) const;
    const ValueBuffer& inputOf(Part part) const;
    /// The vectors of some rows.
    kernels::MatrixView some(Part part, std::vector<float>& memory, kernels::BlockRange rows) const;
    /// The same, row by row.
    kernels::MatrixView rowsOf(Part part, std::vector<float>& memory,
                               kernels::BlockRange rows) const;
    kernels::ConstMatrixView sourceOf(Part part, kernels::BlockRange rows) const;
    kernels::AttentionInputs inputsOf(const StepContext& step);
    void passToInputs(const StepContext& part);
    storage::NodeRef emitProjection(const EmitContext& context, Part part,
                                    const storage::NodeRef& input, const char* equation) const;
    storage::EmittedValue emitWith(const EmitContext& context, bool drops) const;

    std::int64_t m_heads = 0;
    std::int64_t m_keyDim = 0;
    std::int64_t m_valueDim = 0;
    std::int64_t m_outputWidth = 0; ///< 0: the query's
    bool m_usesBias = true;
    bool m_isCausal = false;
    float m_dropRate = 0.0F;
    LayerBuffers m_buffers;
    kernels::AttentionProblem m_problem;
    const kernels::AttentionKernels* m_kernels = nullptr;
    std::array<AttentionProjection, kPartCount> m_projections;
    std::array<Projected, kPartCount> m_projected;
    std::vector<float> m_keyInputGrads; ///< of the key's projection, if the value is the key
};

std::unique_ptr<Layer> makeMultiHeadAttentionLayer(const spec::Layer& message);

} // namespace cannery::layers
