// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace cannery::serving {

/// A value of a JSON text, uncut.
struct JsonPiece
{
    std::string_view text;
    std::size_t line = 1; ///< where it begins, from 1
};

/// The values of the array that the text begins with; nothing if it does not close, or if anything
/// follows it. What stands between two commas need not be valid.
std::optional<std::vector<JsonPiece>> cutJsonArray(std::string_view text);

/// Where, in a text that begins with an object, the first array of objects begins; npos: nowhere.
std::size_t findArrayOfObjects(std::string_view text);

} // namespace cannery::serving
