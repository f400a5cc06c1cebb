// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/inputs/lookup.h"
#include "core/layers/inputs/sequence_memory.h"
#include "core/layers/layer.h"
#include "kernels/ops/activation.h"
#include "kernels/ops/bias_grad.h"
#include "kernels/ops/columns_product.h"
#include "kernels/ops/matmul.h"

namespace cannery::layers {

/// activation(input * kernel + bias), tf.keras.layers.Dense, for each row; of a sequence, for each
/// step; of rows of several dimensions, along the last one. An input of columns is never
/// concatenated: each wide dense run is a product with its rows of the kernel; each indicator is a
/// sum of the kernel's rows selected by its ids, and narrow dense runs are summed with them.
class DenseLayer : public Layer
{
public:
    explicit DenseLayer(const spec::DenseLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override;
    void backwardRows(const StepContext& part) override;
    std::vector<std::int64_t> weightTasks() const override;
    void backwardWeights(const StepContext& step, std::size_t task) override;
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    /// Of the last product; empty if sums of columns are all there is.
    std::string_view implementation() const override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    /// A run of the input with its rows of the kernel.
    struct Slice
    {
        const ValueBuffer* source = nullptr;
        kernels::MatrixView kernel;
        kernels::Matmul matmul; ///< not planned: an indicator
        Lookup lookup;
        std::size_t segment = 0;
    };
    void readByLastAxis();
    /// Null without a bias that is trained.
    std::vector<GradientSegment>* biasGradient() const;
    const float* placedBias(kernels::AcceleratorProgram& program) const;
    StepContext contextOf(const StepContext& step) const;
    Placement placementOf(const Placement& ofRows) const;
    void addSlice(std::int64_t firstRow, const ValueBuffer* source);
    void multiply(const StepContext& step, kernels::MatrixView dst);
    void sumColumns(const StepContext& step, std::span<const float> bias,
                    kernels::Activation activation, kernels::MatrixView dst);
    void activationGradient(const StepContext& step, kernels::MatrixView grad);
    void lookupGradients(const StepContext& step, kernels::ConstMatrixView grad) const;
    void weightsGradient(const StepContext& step, const Slice& slice,
                         kernels::ConstMatrixView grad) const;
    void inputGradient(const StepContext& step, const Slice& slice,
                       kernels::ConstMatrixView grad) const;
    kernels::MatrixView sums(std::int64_t rows);
    void placeSteps(const Placement& placement);
    void placeStepsBack(const Placement& placement) const;
    void placeSliceGradients(const Placement& placement, const Slice& slice,
                             kernels::MatrixView grad) const;

    std::int64_t m_units = 0;
    kernels::Activation m_activation = kernels::Activation::Linear;
    bool m_keepsInput = false; ///< the activation's gradient needs its input
    bool m_usesBias = true;
    LayerBuffers m_buffers;
    std::int64_t m_perRow = 1; ///< vectors that a row has
    ValueBuffer m_input;       ///< of rows of several dimensions: the same, vector by vector
    ValueBuffer m_output;
    std::vector<Slice> m_slices; ///< indicators, then narrow runs summed with them, then products
    std::size_t m_lookups = 0;   ///< number of slices that are indicators
    std::size_t m_deep = 0;      ///< number of slices that are not products
    /// Of these slices, for each part of a batch.
    std::vector<std::vector<kernels::ColumnsPart>> m_parts;
    const kernels::ColumnsProductKernels* m_columnsProduct = nullptr;
    std::vector<float> m_sums;        ///< input of the activation, if kept
    SequenceMemory m_memory;          ///< of the output, if it is a sequence
    kernels::MatrixView m_placedSums; ///< of a sequence, on an accelerator: the same as m_sums
    const kernels::ActivationKernels* m_activationKernels = nullptr;
    const kernels::BiasGradKernels* m_biasGrad = nullptr;
    std::size_t m_biasSegment = 0;
};

std::unique_ptr<Layer> makeDenseLayer(const spec::Layer& message);

} // namespace cannery::layers
