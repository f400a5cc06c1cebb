#pragma once

#include <string>

namespace cannery::storage {

/// One output of a node of a GraphDef; output 0 also stands for the node as an operation.
struct NodeRef
{
    std::string node;
    int output = 0;

    /// Another output of the same node.
    NodeRef at(int index) const { return {node, index}; }
    /// As a node's input: "node", "node:1".
    std::string input() const { return output == 0 ? node : tensor(); }
    /// As signatures and collections name a tensor: "node:0".
    std::string tensor() const { return node + ":" + std::to_string(output); }
    /// As a control input: "^node".
    std::string control() const { return "^" + node; }

    bool operator==(const NodeRef&) const = default;
};

} // namespace cannery::storage
