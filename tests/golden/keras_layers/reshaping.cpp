// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

bool ofFlatten(const Json&, spec::Layer& layer)
{
    return layer.mutable_flatten() != nullptr;
}

bool ofReshape(const Json& config, spec::Layer& layer)
{
    setNumbers(config, "target_shape", layer.mutable_reshape()->mutable_target_shape());
    return true;
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"Flatten", ofFlatten},
    {"Reshape", ofReshape},
});

} // namespace

std::span<const ConversionRow> reshapingConversions()
{
    return kConversions;
}

} // namespace cannery::tests
