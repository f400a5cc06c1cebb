// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer_errors.h"

namespace cannery::layers {

Result<void> expectInputs(std::string_view layer, std::span<const graph::Value* const> inputs,
                          std::size_t count)
{
    if (inputs.size() != count) {
        return fail(ErrorCode::InvalidArgument, kInputCount, layer, count, inputs.size());
    }
    return {};
}

Result<void> expectDense(std::string_view layer, const graph::Value& input)
{
    if (input.kind != graph::ValueKind::Dense) {
        return fail(ErrorCode::InvalidArgument, kInputKind, layer, graph::name(input.kind),
                    input.name, "dense values");
    }
    return {};
}

} // namespace cannery::layers
