// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/pictures/image_fit.h"

#include <memory>

namespace cannery::layers {

/// tf.keras.layers.Resizing: images of another size, as tf.image.resize makes them (half-pixel
/// centres, no antialias).
class ResizingLayer : public ImageFitLayer
{
public:
    explicit ResizingLayer(const spec::ResizingLayer& message);

private:
    ImageFit fitOf(const ImageSize& image) const override;

    pictures::ResizeMethod m_method;
    bool m_keepsProportions;
};

std::unique_ptr<Layer> makeResizingLayer(const spec::Layer& message);

} // namespace cannery::layers
