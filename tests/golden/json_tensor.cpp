// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/json_tensor.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::tests {

namespace {

float numberOf(const nlohmann::json& value)
{
    if (value.is_string()) {
        return value == "NaN"        ? std::numeric_limits<float>::quiet_NaN()
               : value == "Infinity" ? std::numeric_limits<float>::infinity()
                                     : -std::numeric_limits<float>::infinity();
    }
    if (value.is_boolean()) {
        return value.get<bool>() ? 1.0F : 0.0F;
    }
    return value.get<float>();
}

} // namespace

std::vector<float> floatsOf(const nlohmann::json& tensor)
{
    std::vector<float> values;
    for (const nlohmann::json& value : tensor["values"]) {
        values.push_back(numberOf(value));
    }
    return values;
}

std::optional<std::string> differenceOf(const std::string& what, std::span<const float> actual,
                                        std::span<const float> expected, double tolerance)
{
    if (actual.size() != expected.size()) {
        return fmt::format("{} has {} numbers, not {}", what, actual.size(), expected.size());
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const bool isSame =
            actual[i] == expected[i] || (std::isnan(actual[i]) && std::isnan(expected[i])) ||
            std::abs(actual[i] - expected[i]) <= tolerance * (1.0 + std::abs(double{expected[i]}));
        if (!isSame) {
            return fmt::format("{}[{}] is {}, not {}", what, i, actual[i], expected[i]);
        }
    }
    return std::nullopt;
}

double toleranceOf(const nlohmann::json& layerCase)
{
    const nlohmann::json& noise = layerCase["noise"];
    return std::max(2e-6, 4 * (noise.is_null() ? 0.0 : noise.get<double>()));
}

} // namespace cannery::tests
