// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>

namespace cannery::serving {

/// Whether a JSON text is nested no deeper than any row: parsing takes stack per level.
bool isFlatJson(std::string_view text);

/// A row written as a JSON object, keys are columns; nothing if the line is not one, or is nested
/// too deep.
template <typename Json>
std::optional<Json> jsonRow(std::string_view line)
{
    if (!isFlatJson(line)) {
        return std::nullopt;
    }
    Json row = Json::parse(line, nullptr, false);
    return row.is_object() ? std::optional<Json>(std::move(row)) : std::nullopt;
}

} // namespace cannery::serving
