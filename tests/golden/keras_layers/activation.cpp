// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

bool ofActivation(const Json& config, spec::Layer& layer)
{
    const auto function = functionOf(config);
    layer.mutable_activation()->set_function(function.value_or(spec::Activation::linear));
    return function.has_value();
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"Activation", ofActivation},
});

} // namespace

std::span<const ConversionRow> activationConversions()
{
    return kConversions;
}

} // namespace cannery::tests
