// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cannery {

/// A value of the JSON library as text, on one line or indented. File names and foreign texts may
/// contain bytes that are not UTF-8: they become U+FFFD, where the library's own dump() throws.
template <typename Json>
std::string jsonText(const Json& json, int indent = -1)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace cannery
