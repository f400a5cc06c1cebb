// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/noise/random_layer.h"
#include "core/layers/pictures/image_fit.h"

#include <array>
#include <memory>

namespace cannery::layers {

/// tf.keras.layers.RandomCrop: in training a part of an image, its place drawn for each (Keras
/// draws one for the batch). Otherwise, and of images that are smaller in any direction, the
/// largest centred part with its proportions, resized.
class RandomCropLayer : public RandomLayer
{
public:
    explicit RandomCropLayer(const spec::RandomCropLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    storage::EmittedValue emit(const EmitContext& context) const override;
    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

private:
    bool isActive() const override;
    void draw(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
              kernels::MatrixView dst) override;
    void passThrough(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
                     kernels::MatrixView dst) override;
    bool isLargeEnough(const ImageSize& image) const;

    std::int64_t m_height;
    std::int64_t m_width;
    ResampledRows m_resized;
};

std::unique_ptr<Layer> makeRandomCropLayer(const spec::Layer& message);

} // namespace cannery::layers
