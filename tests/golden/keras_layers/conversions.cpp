// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

namespace cannery::tests {

std::optional<spec::Activation::Function> functionOf(const nlohmann::json& config)
{
    spec::Activation::Function function = spec::Activation::linear;
    const bool isKnown = config.contains("activation") && config["activation"].is_string() &&
                         spec::Activation::Function_Parse(config["activation"], &function);
    return isKnown ? std::optional(function) : std::nullopt;
}

spec::Padding::Kind paddingOf(const nlohmann::json& config)
{
    spec::Padding::Kind padding = spec::Padding::valid;
    spec::Padding::Kind_Parse(config["padding"], &padding);
    return padding;
}

} // namespace cannery::tests
