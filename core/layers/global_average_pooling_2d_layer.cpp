// SPDX-License-Identifier: Apache-2.0
#include "core/layers/global_average_pooling_2d_layer.h"

namespace cannery::layers {

void GlobalAveragePooling2dLayer::pool(const StepContext& step, kernels::ConstMatrixView src,
                                       kernels::MatrixView dst) const
{
    kernel().mean(step.pool, src, dst);
}

void GlobalAveragePooling2dLayer::poolGradient(const StepContext& step,
                                               const Gradient& gradient) const
{
    kernel().meanGradient(step.pool, gradient.dstGrad, gradient.srcGrad);
}

std::unique_ptr<Layer> makeGlobalAveragePooling2dLayer(const spec::Layer& message)
{
    return std::make_unique<GlobalAveragePooling2dLayer>(message.global_average_pooling_2d());
}

} // namespace cannery::layers
