// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer.h"
#include "kernels/device/near_blocks.h"
#include "kernels/ops/activation.h"
#include "kernels/ops/bias_grad.h"
#include "kernels/ops/matmul.h"

namespace cannery::layers {

/// tf.feature_column's linear model: for each column its own weights [width, units], starting at 0,
/// and one bias. Ids use the sum (or mean, or sqrtn) of their rows, with a sparse gradient; dense
/// columns and indicators use a product, with a dense one. Inputs come in name order, in which
/// TensorFlow adds them up; a column's weights are named after its value.
class LinearModelLayer : public Layer
{
public:
    explicit LinearModelLayer(const spec::LinearModelLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    struct Column
    {
        const ValueBuffer* source = nullptr;
        VariableBuffer weights;
        /// For dense values; one number per row for one unit needs no matrix kernel and has none.
        kernels::Matmul matmul;
        bool isScalar = false; ///< one number per row, for one unit
        bool isFar = false;    ///< ids of a table that no cache near the core can hold
        Lookup lookup;
        std::size_t segment = 0;
    };
    kernels::SparseCombineOptions optionsFor(graph::ValueKind kind) const;
    void prepareColumn(std::size_t index);
    bool isWorthThreads(const StepContext& step) const;
    bool isLookedUpByColumns(const StepContext& step) const;
    void lookUpByColumns(const StepContext& step, kernels::MatrixView dst);
    void fetch(std::size_t index, kernels::BlockRange rows) const;
    void addColumn(const StepContext& step, const Column& column, kernels::BlockRange rows,
                   kernels::MatrixView dst) const;
    void columnGradients(const StepContext& step, const Column& column,
                         kernels::ConstMatrixView grad) const;
    void weightsGradient(const StepContext& step, const Column& column,
                         kernels::ConstMatrixView grad) const;
    void placeWeightsGradient(const Placement& placement, const Column& column) const;

    std::int64_t m_units = 1;
    kernels::Combiner m_combiner = kernels::Combiner::Sum;
    LayerBuffers m_buffers;
    std::vector<Column> m_columns;
    std::int64_t m_rowCost = 0;   ///< of a backward pass, in elements of a dense one
    kernels::NearBlocks m_blocks; ///< columns
    std::vector<float> m_found;   ///< looked up by columns: a number for each row of each
    const kernels::ActivationKernels* m_addBias = nullptr;
    const kernels::BiasGradKernels* m_biasGrad = nullptr;
    std::size_t m_biasSegment = 0;
};

std::unique_ptr<Layer> makeLinearModelLayer(const spec::Layer& message);

} // namespace cannery::layers
