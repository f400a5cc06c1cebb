// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/pictures/random_transform_layer.h"

namespace cannery::layers {

/// tf.keras.layers.RandomZoom: in training enlarges or shrinks an image about its middle.
class RandomZoomLayer : public RandomTransformLayer
{
public:
    explicit RandomZoomLayer(const spec::RandomZoomLayer& message);

private:
    Result<void> checkOptions() const override;
    pictures::AffineMap mapOf(const PictureDraws& draws, const ImageSize& size) const override;
    EmittedMap emitMap(const EmitContext& context, const ImageSize& size) const override;

    RandomRange m_heights; ///< factors
    RandomRange m_widths;
    bool m_isProportional; ///< one factor for both
};

std::unique_ptr<Layer> makeRandomZoomLayer(const spec::Layer& message);

} // namespace cannery::layers
