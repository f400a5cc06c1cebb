// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

bool ofBatchNormalization(const Json& config, spec::Layer& layer)
{
    layer.mutable_batch_normalization()->set_momentum(config["momentum"]);
    layer.mutable_batch_normalization()->set_epsilon(config["epsilon"]);
    return config["center"] == true && config["scale"] == true && config["trainable"] == true;
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"BatchNormalization", ofBatchNormalization},
});

} // namespace

std::span<const ConversionRow> normalizationConversions()
{
    return kConversions;
}

} // namespace cannery::tests
