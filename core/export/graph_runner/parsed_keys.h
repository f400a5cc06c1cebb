// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "storage/tf/graph_def_reader.h"

#include <map>
#include <span>
#include <string>

namespace cannery::exporting {

/// Keys that a graph parses from tf.Examples, with the expected type of each; empty if it parses
/// none.
std::map<std::string, DType> parsedKeys(std::span<const storage::GraphNode> nodes);

} // namespace cannery::exporting
