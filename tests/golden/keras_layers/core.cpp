// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

bool ofDense(const Json& config, spec::Layer& layer)
{
    const auto function = functionOf(config);
    layer.mutable_dense()->set_units(config["units"]);
    layer.mutable_dense()->set_activation(function.value_or(spec::Activation::linear));
    layer.mutable_dense()->set_use_bias(config["use_bias"]);
    return function.has_value();
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"Dense", ofDense},
});

} // namespace

std::span<const ConversionRow> coreConversions()
{
    return kConversions;
}

} // namespace cannery::tests
