// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace cannery::storage {

/// One output of a node of a GraphDef; output 0 also represents the node as an operation. Converts
/// implicitly from TensorFlow's own names, "node" or "node:1", such as those in an EmittedValue.
struct NodeRef
{
    std::string node;
    int output = 0;

    NodeRef() = default;
    NodeRef(std::string nodeName, int index) : node(std::move(nodeName)), output(index) {}
    NodeRef(std::string_view tensorName) : node(tensorName)
    {
        const std::size_t colon = tensorName.rfind(':');
        if (colon != std::string_view::npos) {
            node.resize(colon);
            const std::string_view digits = tensorName.substr(colon + 1);
            std::from_chars(digits.data(), digits.data() + digits.size(), output);
        }
    }
    NodeRef(const std::string& tensorName) : NodeRef(std::string_view(tensorName)) {}
    NodeRef(const char* tensorName) : NodeRef(std::string_view(tensorName)) {}

    /// Another output of the same node.
    NodeRef at(int index) const { return {node, index}; }
    /// As a node's input: "node", "node:1".
    std::string input() const { return output == 0 ? node : tensor(); }
    /// As a tensor in signatures and collections: "node:0".
    std::string tensor() const { return node + ":" + std::to_string(output); }
    /// As a control input: "^node".
    std::string control() const { return "^" + node; }

    bool operator==(const NodeRef&) const = default;
};

} // namespace cannery::storage
