// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

bool ofAdd(const Json&, spec::Layer& layer)
{
    return layer.mutable_add() != nullptr;
}

bool ofMultiply(const Json&, spec::Layer& layer)
{
    return layer.mutable_multiply() != nullptr;
}

bool ofConcatenate(const Json& config, spec::Layer& layer)
{
    layer.mutable_concatenate();
    return config["axis"] == -1;
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"Add", ofAdd},
    {"Concatenate", ofConcatenate},
    {"Multiply", ofMultiply},
});

} // namespace

std::span<const ConversionRow> mergingConversions()
{
    return kConversions;
}

} // namespace cannery::tests
