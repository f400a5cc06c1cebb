// SPDX-License-Identifier: Apache-2.0
#include "core/layers/global_max_pooling_2d_layer.h"

namespace cannery::layers {

void GlobalMaxPooling2dLayer::pool(const StepContext& step, kernels::ConstMatrixView src,
                                   kernels::MatrixView dst) const
{
    kernel().maximum(step.pool, src, dst);
}

void GlobalMaxPooling2dLayer::poolGradient(const StepContext& step, const Gradient& gradient) const
{
    kernel().maximumGradient(step.pool, gradient.src, gradient.dst, gradient.dstGrad,
                             gradient.srcGrad);
}

std::unique_ptr<Layer> makeGlobalMaxPooling2dLayer(const spec::Layer& message)
{
    return std::make_unique<GlobalMaxPooling2dLayer>(message.global_max_pooling_2d());
}

} // namespace cannery::layers
