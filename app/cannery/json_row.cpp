// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/json_row.h"

#include <nlohmann/json.hpp>

#include <cstddef>

namespace cannery::app {

namespace {

bool isFlat(std::string_view line)
{
    constexpr int kDeepest = 64;
    int depth = 0;
    bool isText = false;
    for (std::size_t i = 0; i < line.size() && depth <= kDeepest; ++i) {
        if (isText && line[i] == '\\') {
            ++i;
        } else if (line[i] == '"') {
            isText = !isText;
        } else if (!isText) {
            depth += line[i] == '[' || line[i] == '{' ? 1 : 0;
            depth -= line[i] == ']' || line[i] == '}' ? 1 : 0;
        }
    }
    return depth <= kDeepest;
}

} // namespace

std::optional<nlohmann::ordered_json> jsonRow(std::string_view line)
{
    if (!isFlat(line)) {
        return std::nullopt;
    }
    nlohmann::ordered_json row = nlohmann::ordered_json::parse(line, nullptr, false);
    return row.is_object() ? std::optional(std::move(row)) : std::nullopt;
}

} // namespace cannery::app
