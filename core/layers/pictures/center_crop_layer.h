// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/pictures/image_fit.h"

#include <memory>

namespace cannery::layers {

/// tf.keras.layers.CenterCrop: the middle of an image; one that is smaller in any direction is cut
/// to the proportions and enlarged.
class CenterCropLayer : public ImageFitLayer
{
public:
    explicit CenterCropLayer(const spec::CenterCropLayer& message)
        : ImageFitLayer("center_crop", message.height(), message.width())
    {}

private:
    ImageFit fitOf(const ImageSize& image) const override
    {
        return middleOrResized(image, height(), width());
    }
};

std::unique_ptr<Layer> makeCenterCropLayer(const spec::Layer& message);

} // namespace cannery::layers
