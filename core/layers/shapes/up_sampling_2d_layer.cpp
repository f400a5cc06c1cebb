// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/up_sampling_2d_layer.h"

#include "core/layers/inputs/lookup.h"

namespace cannery::layers {

namespace {

const char* resizeOp(spec::Interpolation::Kind interpolation)
{
    switch (interpolation) {
    case spec::Interpolation::bilinear:
        return "ResizeBilinear";
    case spec::Interpolation::bicubic:
        return "ResizeBicubic";
    case spec::Interpolation::nearest:
        break;
    }
    return "ResizeNearestNeighbor";
}

} // namespace

storage::EmittedValue UpSampling2dLayer::emit(const EmitContext& context) const
{
    const std::vector<std::int64_t> shape =
        graph::rowShape(context.layers.value(context.node.output));
    const storage::NodeRef size = context.graph.constant(
        "resize/size", std::vector<std::int32_t>{static_cast<std::int32_t>(shape[0]),
                                                 static_cast<std::int32_t>(shape[1])});
    const char* const op = resizeOp(options().interpolation);
    return {.dense = context.graph
                         .add(op, op, {nodeRef(context.inputs[0].dense), size},
                              {{"T", DType::Float32}, {"half_pixel_centers", true}})
                         .input()};
}

std::unique_ptr<Layer> makeUpSampling2dLayer(const spec::Layer& message)
{
    return std::make_unique<UpSampling2dLayer>(message.up_sampling_2d());
}

} // namespace cannery::layers
