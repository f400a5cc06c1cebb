// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/graphs/attr_value.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// One node of a GraphDef, unchanged.
struct GraphNode
{
    std::string name;
    std::string op;
    std::vector<std::string> inputs;   ///< "node", "node:2"
    std::vector<std::string> controls; ///< "node", without its '^'
    std::map<std::string, AttrValue> attrs;
};

/// The nodes of a serialized GraphDef, in its order. An empty list attribute is read as an empty
/// list of integers, since its type is unknown. "graph.unreadable" for bytes that are not a
/// GraphDef, and the errors of unreadable constants.
Result<std::vector<GraphNode>> readGraphDef(std::string_view serialized);

/// The same for protobuf text: TensorFlow's graph.pbtxt.
Result<std::vector<GraphNode>> readGraphDefText(const std::string& text);

} // namespace cannery::storage
