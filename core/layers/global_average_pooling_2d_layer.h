// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/global_pooling_layer.h"

namespace cannery::layers {

/// The mean of each channel of an image: tf.keras.layers.GlobalAveragePooling2D.
class GlobalAveragePooling2dLayer : public GlobalPoolingLayer
{
public:
    explicit GlobalAveragePooling2dLayer(const spec::GlobalAveragePooling2dLayer& message)
        : GlobalPoolingLayer("global_average_pooling_2d", "Mean", message.keepdims())
    {}

private:
    void pool(const StepContext& step, kernels::ConstMatrixView src,
              kernels::MatrixView dst) const override;
    void poolGradient(const StepContext& step, const Gradient& gradient) const override;
};

std::unique_ptr<Layer> makeGlobalAveragePooling2dLayer(const spec::Layer& message);

} // namespace cannery::layers
