// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/attention/attention_inputs.h"
#include "core/layers/layer.h"
#include "core/layers/training_emission.h"

#include <string_view>

namespace cannery::layers {

/// What attention and additive_attention share: for each step of the query the mean of the values,
/// weighted by the softmax of its scores with the keys (kernels/ops/attention.h). A fourth input
/// hides keys, a fifth makes the output of steps of the query 0.
class SequenceAttentionLayer : public Layer, public EmitsTraining
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override;
    std::vector<std::int64_t> weightTasks() const override;
    void backwardWeights(const StepContext& step, std::size_t task) override;
    storage::EmittedValue emit(const EmitContext& context) const override;
    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

protected:
    enum class Score
    {
        Product,  ///< scale (q · k), scale a number
        Concat,   ///< weight sum_d tanh(scale (q_d + k_d)), both numbers
        Additive, ///< sum_d scale_d tanh(q_d + k_d)
    };
    struct Options
    {
        std::string_view kind;
        Score score = Score::Product;
        bool usesScale = false; ///< otherwise 1
        bool isCausal = false;
        float dropRate = 0.0F;
    };
    explicit SequenceAttentionLayer(const Options& options) : m_options(options) {}

private:
    /// A variable's place among those of the layer; null gradients are not wanted.
    const VariableBuffer* scaleVariable() const;
    const VariableBuffer* weightVariable() const;
    kernels::AttentionInputs inputsOf(const StepContext& step);
    kernels::MatrixView partsOf(std::vector<float>& memory, const StepContext& step) const;
    void hideQueries(const StepContext& step, kernels::MatrixView rows) const;
    void sumParts(const VariableBuffer& variable, const std::vector<float>& parts,
                  std::int64_t rows) const;
    storage::NodeRef emitScores(const EmitContext& context) const;
    storage::EmittedValue emitWith(const EmitContext& context, bool drops) const;

    Options m_options;
    LayerBuffers m_buffers;
    kernels::AttentionProblem m_problem;
    const kernels::AttentionKernels* m_kernels = nullptr;
    /// Factors of the terms of a score where no variable has one for each; of each part of a batch.
    std::vector<float> m_weights;
    /// Of each row, see kernels::AttentionGradients; empty if not wanted.
    std::vector<float> m_weightParts;
    std::vector<float> m_scaleParts;
};

} // namespace cannery::layers
