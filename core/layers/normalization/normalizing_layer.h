// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/group_norm.h"
#include "storage/tf/graphs/float_nodes.h"

#include <string_view>
#include <vector>

namespace cannery::layers {

/// Groups of numbers of each row, normalized by themselves: the same in training and inference. See
/// kernels/ops/group_norm.h for the formulas.
class NormalizingLayer : public Layer
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

protected:
    struct Options
    {
        std::string_view kind; ///< for messages
        kernels::GroupNormRule rule = kernels::GroupNormRule::Moments;
        double epsilon = 0.001;
        bool scales = false;  ///< by gamma
        bool centers = false; ///< by beta
    };

    explicit NormalizingLayer(const Options& options) : m_options(options) {}

    /// Errors "layers.…" of one dense input.
    virtual Result<void> check(const graph::Value& input) const = 0;
    /// Of a row that was checked. Dimensions may be cut further than those of the row.
    virtual std::vector<kernels::GroupNormDimension>
    dimensions(const std::vector<std::int64_t>& row) const = 0;
    /// Of gamma and of beta.
    virtual Shape parameterShape(const std::vector<std::int64_t>& row) const = 0;

private:
    kernels::GroupStatistics statistics(kernels::BlockRange rows);
    std::span<const float> gamma() const;
    std::span<const float> beta() const;
    std::size_t betaIndex() const { return m_options.scales ? 1 : 0; }
    std::span<float> gradientOf(bool isVariable, std::size_t index, std::vector<float>& otherwise);

    const Options m_options;
    LayerBuffers m_buffers;
    kernels::GroupNormProblem m_problem;
    const kernels::GroupNormKernels* m_kernels = nullptr;
    bool m_trains = false;               ///< gamma or beta
    std::vector<std::size_t> m_segments; ///< of the gradient of each variable
    std::vector<double> m_statistics;    ///< four for each group of each row
    std::vector<double> m_parts;
    std::vector<float> m_ones; ///< instead of gamma and beta
    std::vector<float> m_zeros;
    std::vector<float> m_gammaGrad; ///< of those that are not trained
    std::vector<float> m_betaGrad;
};

/// Those of some rows, in memory for four numbers of each group of each row there may be.
kernels::GroupStatistics groupStatistics(std::span<double> memory, std::int64_t groups,
                                         kernels::BlockRange rows);

/// Nodes of a value [batch, dimensions…] normalized without gamma and beta.
storage::NodeRef emitGroupNorm(const storage::FloatNodes& nodes, const storage::NodeRef& input,
                               std::span<const kernels::GroupNormDimension> dimensions,
                               kernels::GroupNormRule rule, double epsilon);

} // namespace cannery::layers
