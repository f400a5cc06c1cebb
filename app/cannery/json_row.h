// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string_view>

namespace cannery::app {

/// A row written as a JSON object, keys are columns; nothing if the line is not one, or is nested
/// deeper than any row (parsing takes stack per level).
std::optional<nlohmann::ordered_json> jsonRow(std::string_view line);

} // namespace cannery::app
