// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer_errors.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kOutputTooLarge{
    "layers.output_too_large",
    "A layer {} would make {} numbers of each row of '{}', which has the shape {}: give it smaller "
    "numbers."};

} // namespace

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

Result<void> expectCountable(std::string_view layer, const graph::Value& input, double numbers)
{
    if (numbers > kMostCountable) {
        return fail(ErrorCode::InvalidArgument, kOutputTooLarge, layer,
                    fmt::format("{:.3g}", numbers), input.name, graph::shapeText(input));
    }
    return {};
}

} // namespace cannery::layers
