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

/// Those of "abc,cd->abd" or "...x,xy->...y": a product along the last dimension.
bool ofEinsumDense(const Json& config, spec::Layer& layer)
{
    const std::string equation = config["equation"];
    const std::size_t comma = equation.find(',');
    const std::size_t arrow = equation.find("->");
    if (comma == std::string::npos || arrow != comma + 3) {
        return false;
    }
    const std::string input = equation.substr(0, comma);
    const std::string output = equation.substr(arrow + 2);
    const char depth = equation[comma + 1];
    const char units = equation[comma + 2];
    const bool hasBias = !config["bias_axes"].is_null();
    const bool isDense = input.ends_with(depth) &&
                         output == input.substr(0, input.size() - 1) + units &&
                         (!hasBias || config["bias_axes"] == std::string(1, units));
    const auto function = functionOf(config);
    const Json& shape = config["output_shape"];
    layer.mutable_dense()->set_units(shape.is_array() ? shape.back() : shape);
    layer.mutable_dense()->set_use_bias(hasBias);
    layer.mutable_dense()->set_activation(function.value_or(spec::Activation::linear));
    return isDense && function.has_value();
}

/// Ours apply along the last dimension, whatever stands before it.
bool ofTimeDistributed(const Json& config, spec::Layer& layer)
{
    const Json& inner = config["layer"];
    return inner["class_name"] == "Dense" && ofDense(inner["config"], layer);
}

/// Of a dropout whose numbers are decided one by one.
template <typename Message>
bool setRate(const Json& config, Message& message)
{
    message.set_rate(config["rate"]);
    return !config.contains("noise_shape") || config["noise_shape"].is_null();
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"ActivityRegularization",
     [](const Json& config, spec::Layer& layer) {
         layer.mutable_activation()->set_function(spec::Activation::linear);
         layer.mutable_activity_regularizer()->set_l1(config["l1"]);
         layer.mutable_activity_regularizer()->set_l2(config["l2"]);
         return true;
     }},
    {"AlphaDropout",
     [](const Json& config, spec::Layer& layer) {
         return setRate(config, *layer.mutable_alpha_dropout());
     }},
    {"Dense", ofDense},
    {"Dropout", [](const Json& config,
                   spec::Layer& layer) { return setRate(config, *layer.mutable_dropout()); }},
    {"EinsumDense", ofEinsumDense},
    {"Embedding",
     [](const Json& config, spec::Layer& layer) {
         layer.mutable_token_embedding()->set_input_dim(config["input_dim"]);
         layer.mutable_token_embedding()->set_output_dim(config["output_dim"]);
         layer.mutable_token_embedding()->set_mask_zero(config["mask_zero"]);
         return true;
     }},
    {"GaussianDropout",
     [](const Json& config, spec::Layer& layer) {
         return setRate(config, *layer.mutable_gaussian_dropout());
     }},
    {"GaussianNoise",
     [](const Json& config, spec::Layer& layer) {
         layer.mutable_gaussian_noise()->set_stddev(config["stddev"]);
         return true;
     }},
    {"Identity",
     [](const Json&, spec::Layer& layer) {
         layer.mutable_activation()->set_function(spec::Activation::linear);
         return true;
     }},
    {"Masking",
     [](const Json& config, spec::Layer& layer) {
         layer.mutable_masking()->set_mask_value(config["mask_value"]);
         return true;
     }},
    {"SpatialDropout1D",
     [](const Json& config, spec::Layer& layer) {
         return setRate(config, *layer.mutable_spatial_dropout_1d());
     }},
    {"SpatialDropout2D",
     [](const Json& config,
        spec::Layer& layer) { return setRate(config, *layer.mutable_spatial_dropout_2d()); }},
    {"TimeDistributed", ofTimeDistributed},
});

} // namespace

std::span<const ConversionRow> coreConversions()
{
    return kConversions;
}

} // namespace cannery::tests
