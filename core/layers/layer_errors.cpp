// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer_errors.h"

#include <algorithm>

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

Result<void> expectSeveralDense(std::string_view layer, std::span<const graph::Value* const> inputs)
{
    if (inputs.size() < 2) {
        return fail(ErrorCode::InvalidArgument, kInputCount, layer, "two or more", inputs.size());
    }
    for (const graph::Value* input : inputs) {
        CANNERY_TRY(expectDense(layer, *input));
    }
    return {};
}

const graph::Value* otherShape(std::span<const graph::Value* const> inputs)
{
    const auto found = std::ranges::find_if(inputs, [&](const graph::Value* input) {
        return graph::rowShape(*input) != graph::rowShape(*inputs[0]);
    });
    return found == inputs.end() ? nullptr : *found;
}

} // namespace cannery::layers
