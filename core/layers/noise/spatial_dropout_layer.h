// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/noise/random_layer.h"
#include "kernels/ops/dropout.h"

#include <string_view>

namespace cannery::layers {

/// What spatial_dropout_1d and spatial_dropout_2d share: in training drops whole channels of a row
/// with probability `rate` and scales the others by 1 / (1 - rate), decided by (seed, layer, step,
/// row, channel); otherwise passes through.
class SpatialDropoutLayer : public RandomLayer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

protected:
    struct Options
    {
        std::string_view kind;
        std::string_view rows; ///< what they must be, for messages
        std::size_t rank = 2;  ///< dimensions of a row
        float rate = 0.0F;
    };
    explicit SpatialDropoutLayer(const Options& options) : m_options(options) {}

private:
    void draw(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
              kernels::MatrixView dst) override;

    Options m_options;
    const kernels::DropoutKernels* m_kernels = nullptr;
    std::vector<float> m_factors; ///< of the channels of each row
};

} // namespace cannery::layers
