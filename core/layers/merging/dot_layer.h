// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/axis_product.h"
#include "kernels/ops/group_norm.h"
#include "storage/tf/graphs/float_nodes.h"

#include <array>
#include <vector>

namespace cannery::layers {

/// Inner products of two rows along one dimension of each, which may be scaled to length 1 along it
/// first: tf.keras.layers.Dot. Rows of the result have the other dimensions of the first input,
/// then those of the second; one number if there are none.
class DotLayer : public Layer
{
public:
    explicit DotLayer(const spec::DotLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    /// An input as the product reads it.
    struct Side
    {
        kernels::GroupNormProblem norm;
        std::vector<double> statistics; ///< of its vectors, if they are scaled
        std::vector<float> values;      ///< scaled
        std::vector<float> grads;       ///< of those
    };

    /// Of input 0 or 1, as written.
    std::int64_t axisOf(std::size_t input) const;
    std::vector<kernels::GroupNormDimension> dimensions(std::size_t input,
                                                        const std::vector<std::int64_t>& row) const;
    kernels::ConstMatrixView valuesOf(std::size_t input, kernels::BlockRange rows) const;
    void scale(const StepContext& step, std::size_t input);
    void findGradient(const StepContext& step, std::size_t input);
    /// As a matrix for each row, whose rows are the vectors; of the right input maybe its columns.
    storage::NodeRef emitMatrix(const EmitContext& context, std::size_t input,
                                bool& isTransposed) const;

    const std::vector<std::int64_t> m_axes; ///< as written, one or two
    const bool m_normalizes;
    LayerBuffers m_buffers;
    std::array<Side, 2> m_sides;
    kernels::AxisProductProblem m_problem;
};

std::unique_ptr<Layer> makeDotLayer(const spec::Layer& message);

} // namespace cannery::layers
