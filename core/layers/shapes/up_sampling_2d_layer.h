// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/shapes/up_sampling_layer.h"

namespace cannery::layers {

/// tf.keras.layers.UpSampling2D: an image of which both sides become larger.
class UpSampling2dLayer : public UpSamplingLayer
{
public:
    explicit UpSampling2dLayer(const spec::UpSampling2dLayer& message)
        : UpSamplingLayer({.kind = "up_sampling_2d",
                           .size = {message.size().begin(), message.size().end()},
                           .interpolation = message.interpolation()})
    {}

    storage::EmittedValue emit(const EmitContext& context) const override;
};

std::unique_ptr<Layer> makeUpSampling2dLayer(const spec::Layer& message);

} // namespace cannery::layers
