// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/row_axes.h"
#include "core/layers/training_emission.h"
#include "kernels/ops/axis_product.h"
#include "kernels/ops/batch_norm.h"

#include <optional>

namespace cannery::layers {

/// tf.keras.layers.BatchNormalization, for each index of one dimension: see
/// kernels/ops/batch_norm.h. Training normalizes by the batch (each shard by its own, as
/// TensorFlow's replicas do, or by all of them across shards) and then updates the moving moments;
/// everything else, and the training of a frozen layer, normalizes by the moving moments, which are
/// constants then. A second input is a mask of steps: the moments are of the vectors of those that
/// it shows, and normalize all.
class BatchNormalizationLayer : public Layer, public AcrossShards, public EmitsTraining
{
public:
    explicit BatchNormalizationLayer(const spec::BatchNormalizationLayer& message);

    /// Whether a mask of steps has a use: for channels over steps. TensorFlow's kernel for images
    /// ignores one.
    static bool takesMask(std::size_t rank, std::int64_t axis)
    {
        return rank == 2 && rowAxis(rank, axis) == 1;
    }

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void freeze() override { m_isFrozen = true; }
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    /// With gamma and beta, along the last dimension.
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    void placeStatistics(const Placement& placement) override;
    std::int64_t statisticsCount() const override { return m_isFrozen ? 0 : 2 * m_width; }
    void bindStatistics(std::span<float> statistics) override;
    void updateStatistics(float scale) override;
    AcrossShards* acrossShards() override { return m_isFrozen ? nullptr : this; }
    std::int64_t sumCount() const override;
    void collect(const StepContext& step, Pass pass, std::span<double> sums) override;
    void merge(Pass pass, std::span<double> left, std::span<const double> right) const override;
    void receive(Pass pass, std::span<const double> sums) override;
    storage::EmittedValue emit(const EmitContext& context) const override;
    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

private:
    /// Where variables are among those of the layer; nothing if it does without.
    struct Places
    {
        std::optional<std::size_t> gamma;
        std::optional<std::size_t> beta;
        std::size_t movingMean = 0;
        std::size_t movingVariance = 0;
    };

    static Places placesOf(bool scales, bool centers);
    /// The row as [outer, units, inner].
    kernels::AxisFactor factorOf(const std::vector<std::int64_t>& row) const;
    /// Vectors that a row has: the pixels of an image.
    std::int64_t perRow() const { return m_factor.vectors(); }
    bool isTurned() const { return m_factor.inner > 1; }
    bool isMasked() const { return m_buffers.inputs.size() == 2; }
    /// Of the vectors, 0 where one is hidden.
    std::span<const float> mask(const StepContext& step) const;
    bool usesBatch(Mode mode) const { return mode == Mode::Train && !m_isFrozen; }
    /// The input vector by vector; turns it first if it has to.
    kernels::ConstMatrixView source(const StepContext& step);
    /// Those of source()'s vectors that are not hidden.
    kernels::ConstMatrixView shownOf(const StepContext& step, kernels::ConstMatrixView all);
    /// Likewise the gradient of the output.
    kernels::MatrixView outputGradient(const StepContext& step);
    /// Those of so many rows.
    kernels::MatrixView vectors(float* data, std::int64_t rows) const;
    bool isFusedInTensorFlow(const std::vector<std::int64_t>& row) const;
    /// What the variance over so many vectors is multiplied by for the moving one.
    float unbiased(std::int64_t count) const;
    std::span<float> variable(std::size_t index) const;
    std::span<float> gradientOf(std::optional<std::size_t> place, std::vector<float>& otherwise);
    std::span<float> gammaGradient();
    std::span<float> betaGradient();
    kernels::BatchNormParameters parameters(Mode mode) const;
    kernels::BatchNormGradient gradient(const StepContext& step);
    void sourceGradient(const StepContext& step, const kernels::BatchNormGradient& known,
                        std::span<const float> gammaGrad, std::span<const float> betaGrad,
                        kernels::MatrixView dst) const;
    /// Normalized by these moments, [units] each.
    storage::EmittedValue emitWith(const EmitContext& context, const storage::NodeRef& mean,
                                   const storage::NodeRef& variance) const;
    bool isPlaceable() const;
    kernels::DeviceBatchNorm placedParameters(const Placement& placement) const;
    float* placedGradientOf(std::size_t index, const Placement& placement) const;
    void placeMoments(const Placement& placement, kernels::ConstMatrixView src);

    const std::int64_t m_axis; ///< as written: 1 is the first one behind the batch, -1 the last
    const float m_momentum;
    const float m_epsilon;
    const bool m_scales;
    const bool m_centers;
    const Places m_places;
    bool m_isFrozen = false;
    kernels::AxisFactor m_factor;
    std::int64_t m_width = 0; ///< units
    LayerBuffers m_buffers;
    std::span<float> m_mean; ///< of the batch
    std::span<float> m_variance;
    std::int64_t m_momentRows = 0; ///< that they were taken over
    /// The same on an accelerator, where placeForward() puts it; those of the batch if null.
    const double* m_placedMomentRows = nullptr;
    std::vector<float> m_ones; ///< instead of gamma and beta
    std::vector<float> m_zeros;
    /// Gradients of gamma and beta over these rows, or working memory if they are not trained.
    std::vector<float> m_gammaGrad;
    std::vector<float> m_betaGrad;
    /// Units last, if they are not in the rows: the input; the output, then its gradient.
    std::vector<float> m_turnedInput;
    std::vector<float> m_turnedOutput;
    std::vector<float> m_shown; ///< the vectors that a mask shows, one after the other
    const kernels::BatchNormKernels* m_kernels = nullptr;
};

std::unique_ptr<Layer> makeBatchNormalizationLayer(const spec::Layer& message);

} // namespace cannery::layers
