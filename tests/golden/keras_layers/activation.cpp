// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <algorithm>
#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

bool ofActivation(const Json& config, spec::Layer& layer)
{
    if (config["activation"] == "softmax") {
        layer.mutable_softmax();
        return true;
    }
    const auto function = functionOf(config);
    layer.mutable_activation()->set_function(function.value_or(spec::Activation::linear));
    return function.has_value();
}

bool ofRelu(const Json& config, spec::Layer& layer)
{
    spec::ReluLayer& message = *layer.mutable_relu();
    if (!config["max_value"].is_null()) {
        message.set_max_value(config["max_value"]);
    }
    message.set_negative_slope(config["negative_slope"]);
    message.set_threshold(config["threshold"]);
    return true;
}

bool ofPrelu(const Json& config, spec::Layer& layer)
{
    if (!config["shared_axes"].is_null()) {
        setNumbers(config, "shared_axes", layer.mutable_prelu()->mutable_shared_axes());
    }
    layer.mutable_prelu();
    return true;
}

/// Keras counts the batch as dimension 0, along which ours has no softmax.
bool ofSoftmax(const Json& config, spec::Layer& layer)
{
    const Json axes = config["axis"].is_array() ? config["axis"] : Json::array({config["axis"]});
    for (const Json& axis : axes) {
        layer.mutable_softmax()->add_axis(axis);
    }
    return std::ranges::find(axes, Json(0)) == axes.end();
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"Activation", ofActivation},
    {"ELU",
     [](const Json& config, spec::Layer& layer) {
         layer.mutable_elu()->set_alpha(config["alpha"]);
         return true;
     }},
    {"LeakyReLU",
     [](const Json& config, spec::Layer& layer) {
         layer.mutable_leaky_relu()->set_alpha(config["alpha"]);
         return true;
     }},
    {"PReLU", ofPrelu},
    {"ReLU", ofRelu},
    {"Softmax", ofSoftmax},
    {"ThresholdedReLU",
     [](const Json& config, spec::Layer& layer) {
         layer.mutable_thresholded_relu()->set_theta(config["theta"]);
         return true;
     }},
});

} // namespace

std::span<const ConversionRow> activationConversions()
{
    return kConversions;
}

} // namespace cannery::tests
