// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/shapes/up_sampling_layer.h"

namespace cannery::layers {

/// tf.keras.layers.UpSampling1D: each step of a sequence several times.
class UpSampling1dLayer : public UpSamplingLayer
{
public:
    explicit UpSampling1dLayer(const spec::UpSampling1dLayer& message)
        : UpSamplingLayer(
              {.kind = "up_sampling_1d", .over = WindowsOver::Steps, .size = {message.size()}})
    {}

    storage::EmittedValue emit(const EmitContext& context) const override;
};

std::unique_ptr<Layer> makeUpSampling1dLayer(const spec::Layer& message);

} // namespace cannery::layers
