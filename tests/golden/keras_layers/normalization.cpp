// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

/// A number or several.
template <typename Field>
void setNumbersOf(const Json& value, Field* field)
{
    if (!value.is_array()) {
        field->Add(value.get<double>());
        return;
    }
    for (const Json& number : value) {
        field->Add(number.get<double>());
    }
}

bool ofBatchNormalization(const Json& config, spec::Layer& layer)
{
    spec::BatchNormalizationLayer& message = *layer.mutable_batch_normalization();
    message.set_momentum(config["momentum"]);
    message.set_epsilon(config["epsilon"]);
    message.set_axis(config["axis"][0]);
    message.set_center(config["center"]);
    message.set_scale(config["scale"]);
    return config["axis"].size() == 1;
}

bool ofLayerNormalization(const Json& config, spec::Layer& layer)
{
    spec::LayerNormalizationLayer& message = *layer.mutable_layer_normalization();
    setNumbers(config, "axis", message.mutable_axis());
    message.set_epsilon(config["epsilon"]);
    message.set_center(config["center"]);
    message.set_scale(config["scale"]);
    return true;
}

bool ofGroupNormalization(const Json& config, spec::Layer& layer)
{
    spec::GroupNormalizationLayer& message = *layer.mutable_group_normalization();
    message.set_groups(config["groups"]);
    message.set_epsilon(config["epsilon"]);
    message.set_center(config["center"]);
    message.set_scale(config["scale"]);
    return config["axis"] == -1;
}

bool ofUnitNormalization(const Json& config, spec::Layer& layer)
{
    setNumbers(config, "axis", layer.mutable_unit_normalization()->mutable_axis());
    return true;
}

/// Ours has one number for all, or one for each index of the last dimension.
bool ofNormalization(const Json& config, spec::Layer& layer)
{
    spec::NormalizationLayer& message = *layer.mutable_normalization();
    message.set_invert(config["invert"]);
    const bool isLastAxis = config["axis"] == Json::array({-1});
    if (config["mean"].is_null()) {
        return isLastAxis;
    }
    setNumbersOf(config["mean"], message.mutable_mean());
    setNumbersOf(config["variance"], message.mutable_variance());
    return isLastAxis || (message.mean_size() == 1 && message.variance_size() == 1);
}

bool ofRescaling(const Json& config, spec::Layer& layer)
{
    // Keras also takes a number for each channel.
    if (config["scale"].is_array() || config["offset"].is_array()) {
        return false;
    }
    layer.mutable_rescaling()->set_scale(config["scale"]);
    layer.mutable_rescaling()->set_offset(config["offset"]);
    return true;
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"BatchNormalization", ofBatchNormalization},
    {"GroupNormalization", ofGroupNormalization},
    {"LayerNormalization", ofLayerNormalization},
    {"Normalization", ofNormalization},
    {"Rescaling", ofRescaling},
    {"UnitNormalization", ofUnitNormalization},
});

} // namespace

std::span<const ConversionRow> normalizationConversions()
{
    return kConversions;
}

} // namespace cannery::tests
