// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/training_emission.h"
#include "kernels/ops/batch_norm.h"

namespace cannery::layers {

/// tf.keras.layers.BatchNormalization on [batch, width]: see kernels/ops/batch_norm.h. Training
/// normalizes by the batch (each shard by its own, as TensorFlow's replicas do, or by all of them
/// across shards) and then updates the moving moments; everything else normalizes by the moving
/// moments.
class BatchNormalizationLayer : public Layer, public AcrossShards, public EmitsTraining
{
public:
    explicit BatchNormalizationLayer(const spec::BatchNormalizationLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    void placeStatistics(const Placement& placement) override;
    std::int64_t statisticsCount() const override { return 2 * m_width; }
    void bindStatistics(std::span<float> statistics) override;
    void updateStatistics(float scale) override;
    AcrossShards* acrossShards() override { return this; }
    std::int64_t sumCount() const override;
    void collect(const StepContext& step, Pass pass, std::span<double> sums) override;
    void merge(Pass pass, std::span<double> left, std::span<const double> right) const override;
    void receive(Pass pass, std::span<const double> sums) override;
    storage::EmittedValue emit(const EmitContext& context) const override;
    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

private:
    /// Vectors that a row has: the pixels of an image.
    std::int64_t perRow() const;
    /// The input, vector by vector.
    kernels::ConstMatrixView source(std::int64_t rows) const;
    /// What the variance over so many vectors is multiplied by for the moving one.
    float unbiased(std::int64_t count) const;
    std::span<float> variable(std::size_t index) const;
    std::span<float> gradientOf(std::size_t index);
    kernels::BatchNormParameters parameters(Mode mode) const;
    /// Normalized by these moments, [width] each.
    storage::EmittedValue emitWith(const EmitContext& context, const storage::NodeRef& mean,
                                   const storage::NodeRef& variance) const;
    kernels::BatchNormGradient gradient(const StepContext& step) const;
    kernels::DeviceBatchNorm placedParameters(const Placement& placement) const;
    float* placedGradientOf(std::size_t index, const Placement& placement) const;
    void placeMoments(const Placement& placement, kernels::ConstMatrixView src);

    std::int64_t m_width = 0; ///< of the last axis
    float m_momentum = 0.999F;
    float m_epsilon = 0.001F;
    LayerBuffers m_buffers;
    std::span<float> m_mean; ///< of the batch
    std::span<float> m_variance;
    std::int64_t m_momentRows = 0; ///< that they were taken over
    /// The same on an accelerator, where placeForward() puts it; those of the batch if null.
    const double* m_placedMomentRows = nullptr;
    /// Gradients of gamma and beta over these rows, or working memory if they are not trained.
    std::vector<float> m_gammaGrad;
    std::vector<float> m_betaGrad;
    const kernels::BatchNormKernels* m_kernels = nullptr;
};

std::unique_ptr<Layer> makeBatchNormalizationLayer(const spec::Layer& message);

} // namespace cannery::layers
