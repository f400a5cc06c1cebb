// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/pictures/random_transform_layer.h"

namespace cannery::layers {

/// tf.keras.layers.RandomTranslation: in training moves an image down and to the right.
class RandomTranslationLayer : public RandomTransformLayer
{
public:
    explicit RandomTranslationLayer(const spec::RandomTranslationLayer& message);

private:
    Result<void> checkOptions() const override;
    pictures::AffineMap mapOf(const PictureDraws& draws, const ImageSize& size) const override;
    EmittedMap emitMap(const EmitContext& context, const ImageSize& size) const override;

    RandomRange m_heights; ///< parts of the height
    RandomRange m_widths;
};

std::unique_ptr<Layer> makeRandomTranslationLayer(const spec::Layer& message);

} // namespace cannery::layers
