// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/pictures/random_transform_layer.h"

namespace cannery::layers {

/// tf.keras.layers.RandomRotation: in training turns an image about its middle.
class RandomRotationLayer : public RandomTransformLayer
{
public:
    explicit RandomRotationLayer(const spec::RandomRotationLayer& message);

private:
    Result<void> checkOptions() const override;
    pictures::AffineMap mapOf(const PictureDraws& draws, const ImageSize& size) const override;
    EmittedMap emitMap(const EmitContext& context, const ImageSize& size) const override;

    RandomRange m_turns;
    RandomRange m_angles; ///< in radians
};

std::unique_ptr<Layer> makeRandomRotationLayer(const spec::Layer& message);

} // namespace cannery::layers
