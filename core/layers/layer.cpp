// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kNotPlaced{"layers.not_placed",
                               "GPUs do not train this layer: set strategy.one_device.device to "
                               "\"CPU:0\", or to \"auto\"."};

} // namespace

LayerSignature signatureLike(const graph::Value& input)
{
    LayerSignature signature;
    signature.output.width = input.width;
    signature.output.shape = input.shape;
    return signature;
}

Result<void> Layer::placeForward(const Placement& /*placement*/)
{
    return fail(ErrorCode::Unimplemented, kNotPlaced);
}

Result<void> Layer::placeBackward(const Placement& /*placement*/)
{
    return fail(ErrorCode::Unimplemented, kNotPlaced);
}

} // namespace cannery::layers
