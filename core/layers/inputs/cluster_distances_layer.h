// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/nearest_centers.h"

#include <vector>

namespace cannery::layers {

struct ClusterDistances
{
    std::int64_t clusters = 0;
    kernels::CenterDistance distance = kernels::CenterDistance::SquaredEuclidean;
    /// The centers are divided by their lengths first: a cosine distance whose centers are not kept
    /// at length 1.
    bool dividesCenters = false;
};

/// The distance of each row from each center: its only variable, [clusters, width], which
/// estimators::KMeansStep moves. As tf.raw_ops of TensorFlow's clustering_ops.KMeans.
class ClusterDistancesLayer : public Layer
{
public:
    explicit ClusterDistancesLayer(const ClusterDistances& options) : m_options(options) {}

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    Result<void> placeForward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    ClusterDistances m_options;
    LayerBuffers m_buffers;
    const kernels::NearestCentersKernels* m_kernels = nullptr;
    std::vector<float> m_divided;
};

} // namespace cannery::layers
