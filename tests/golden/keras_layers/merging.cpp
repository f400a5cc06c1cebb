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

bool ofSubtract(const Json&, spec::Layer& layer)
{
    return layer.mutable_subtract() != nullptr;
}

bool ofAverage(const Json&, spec::Layer& layer)
{
    return layer.mutable_average() != nullptr;
}

bool ofMaximum(const Json&, spec::Layer& layer)
{
    return layer.mutable_maximum() != nullptr;
}

bool ofMinimum(const Json&, spec::Layer& layer)
{
    return layer.mutable_minimum() != nullptr;
}

bool ofConcatenate(const Json& config, spec::Layer& layer)
{
    layer.mutable_concatenate()->set_axis(config["axis"]);
    return true;
}

bool ofDot(const Json& config, spec::Layer& layer)
{
    if (config["axes"].is_array()) {
        setNumbers(config, "axes", layer.mutable_dot()->mutable_axes());
    } else {
        layer.mutable_dot()->add_axes(config["axes"]);
    }
    layer.mutable_dot()->set_normalize(config["normalize"]);
    return true;
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"Add", ofAdd},
    {"Average", ofAverage},
    {"Concatenate", ofConcatenate},
    {"Dot", ofDot},
    {"Maximum", ofMaximum},
    {"Minimum", ofMinimum},
    {"Multiply", ofMultiply},
    {"Subtract", ofSubtract},
});

} // namespace

std::span<const ConversionRow> mergingConversions()
{
    return kConversions;
}

} // namespace cannery::tests
