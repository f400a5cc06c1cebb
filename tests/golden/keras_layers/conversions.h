// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/layers.pb.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string_view>

/// The layers of ours that Keras classes are, by the groups of the golden files.
namespace cannery::tests {

/// Sets the layer that a class with this config is; false if ours does not do the same.
using Conversion = bool (*)(const nlohmann::json& config, spec::Layer& layer);

struct ConversionRow
{
    std::string_view kerasClass; ///< "Conv2D"
    Conversion convert;
};

std::span<const ConversionRow> activationConversions();
std::span<const ConversionRow> attentionConversions();
std::span<const ConversionRow> convolutionConversions();
std::span<const ConversionRow> coreConversions();
std::span<const ConversionRow> mergingConversions();
std::span<const ConversionRow> normalizationConversions();
std::span<const ConversionRow> pictureConversions();
std::span<const ConversionRow> poolingConversions();
std::span<const ConversionRow> recurrentConversions();
std::span<const ConversionRow> reshapingConversions();

/// Of config["activation"]; nothing for a function of another kind than ours.
std::optional<spec::Activation::Function> functionOf(const nlohmann::json& config);
spec::Padding::Kind paddingOf(const nlohmann::json& config);

template <typename Field>
void setNumbers(const nlohmann::json& config, const char* key, Field* field)
{
    for (const nlohmann::json& number : config[key]) {
        field->Add(number.get<std::int64_t>());
    }
}

} // namespace cannery::tests
