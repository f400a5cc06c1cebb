// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/global_pooling_layer.h"

namespace cannery::layers {

/// The largest number of each channel of an image: tf.keras.layers.GlobalMaxPooling2D.
class GlobalMaxPooling2dLayer : public GlobalPoolingLayer
{
public:
    explicit GlobalMaxPooling2dLayer(const spec::GlobalMaxPooling2dLayer& message)
        : GlobalPoolingLayer("global_max_pooling_2d", "Max", message.keepdims())
    {}

private:
    void pool(const StepContext& step, kernels::ConstMatrixView src,
              kernels::MatrixView dst) const override;
    void poolGradient(const StepContext& step, const Gradient& gradient) const override;
};

std::unique_ptr<Layer> makeGlobalMaxPooling2dLayer(const spec::Layer& message);

} // namespace cannery::layers
