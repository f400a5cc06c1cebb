// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/parsed_keys.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace cannery::exporting {

using storage::GraphNode;

namespace {

/// Inputs of ParseExampleV2.
constexpr std::size_t kSparseKeys = 2;
constexpr std::size_t kDenseKeys = 3;

/// The texts of the constant behind an input; null if there is none.
const storage::HostTensor* constantOf(std::span<const GraphNode> nodes, const std::string& tensor)
{
    const std::string name = tensor.substr(0, tensor.rfind(':'));
    const auto node = std::ranges::find(nodes, name, &GraphNode::name);
    if (node == nodes.end()) {
        return nullptr;
    }
    const auto value = node->attrs.find("value");
    return value == node->attrs.end() ? nullptr
                                      : std::get_if<storage::HostTensor>(&value->second.value());
}

} // namespace

std::map<std::string, DType> parsedKeys(std::span<const GraphNode> nodes)
{
    std::map<std::string, DType> keys;
    for (const GraphNode& node : nodes) {
        if (node.op != "ParseExampleV2" || node.inputs.size() <= kDenseKeys) {
            continue;
        }
        const auto add = [&](std::size_t input, const char* types) {
            const storage::HostTensor* names = constantOf(nodes, node.inputs[input]);
            const auto attr = node.attrs.find(types);
            const auto* dtypes = attr == node.attrs.end()
                                     ? nullptr
                                     : std::get_if<std::vector<DType>>(&attr->second.value());
            for (std::size_t i = 0; dtypes != nullptr && names != nullptr && i < dtypes->size() &&
                                    i < names->strings.size();
                 ++i) {
                keys[names->strings[i]] = (*dtypes)[i];
            }
        };
        add(kSparseKeys, "sparse_types");
        add(kDenseKeys, "Tdense");
    }
    return keys;
}

} // namespace cannery::exporting
