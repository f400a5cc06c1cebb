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
constexpr std::size_t kFirstDefault = 5;

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

template <typename T>
std::vector<T> listOf(const GraphNode& node, const char* attr)
{
    const auto found = node.attrs.find(attr);
    const auto* list =
        found == node.attrs.end() ? nullptr : std::get_if<std::vector<T>>(&found->second.value());
    return list == nullptr ? std::vector<T>() : *list;
}

std::vector<std::string> textsOf(std::span<const GraphNode> nodes, const std::string& tensor)
{
    const storage::HostTensor* names = constantOf(nodes, tensor);
    return names == nullptr ? std::vector<std::string>() : names->strings;
}

/// Sizes of lists are compared, since a damaged graph may have types without names.
/// The features of one ParseExampleV2.
void addFeatures(std::span<const GraphNode> nodes, const GraphNode& node,
                 std::vector<ParsedFeature>& features)
{
    const auto sparseTypes = listOf<DType>(node, "sparse_types");
    const auto sparse = textsOf(nodes, node.inputs[kSparseKeys]);
    for (std::size_t i = 0; i < std::min(sparse.size(), sparseTypes.size()); ++i) {
        features.push_back({.key = sparse[i], .dtype = sparseTypes[i], .isList = true});
    }
    const auto types = listOf<DType>(node, "Tdense");
    const auto shapes = listOf<Shape>(node, "dense_shapes");
    const auto dense = textsOf(nodes, node.inputs[kDenseKeys]);
    for (std::size_t i = 0; i < std::min(dense.size(), types.size()); ++i) {
        ParsedFeature& feature = features.emplace_back();
        feature.key = dense[i];
        feature.dtype = types[i];
        feature.shape = i < shapes.size() ? shapes[i] : Shape{};
        const storage::HostTensor* fallback =
            kFirstDefault + i < node.inputs.size()
                ? constantOf(nodes, node.inputs[kFirstDefault + i])
                : nullptr;
        // TensorFlow marks a required feature by an empty default.
        if (fallback != nullptr && fallback->shape.elementCount() > 0) {
            feature.fallback = *fallback;
        }
    }
}

} // namespace

std::vector<ParsedFeature> parsedFeatures(std::span<const GraphNode> nodes)
{
    std::vector<ParsedFeature> features;
    for (const GraphNode& node : nodes) {
        if (node.op == "ParseExampleV2" && node.inputs.size() > kDenseKeys) {
            addFeatures(nodes, node, features);
        }
    }
    // A graph has one parsing node for features; labels may be parsed by another one with some of
    // the same keys.
    std::ranges::sort(features, {}, &ParsedFeature::key);
    const auto isRepeated = [](const auto& one, const auto& next) { return one.key == next.key; };
    features.erase(std::unique(features.begin(), features.end(), isRepeated), features.end());
    return features;
}

std::map<std::string, DType> parsedKeys(std::span<const GraphNode> nodes)
{
    std::map<std::string, DType> keys;
    for (const ParsedFeature& feature : parsedFeatures(nodes)) {
        keys[feature.key] = feature.dtype;
    }
    return keys;
}

} // namespace cannery::exporting
