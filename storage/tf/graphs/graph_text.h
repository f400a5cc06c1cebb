// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery::storage {

/// The text of a GraphDef without a (deprecated) version, as in graph.pbtxt, from its deterministic
/// serialization: what printText() gives its message, many times as fast, as a model of a wide
/// table has several nodes for each of its columns.
std::string graphText(std::string_view graph);

} // namespace cannery::storage
