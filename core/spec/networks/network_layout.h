// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/spec/estimators.pb.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::spec {

/// A layer that has no place in a network, and why.
struct NetworkProblem
{
    int layer = 0;   ///< its index in NetworkGraph::layer
    int input = -1;  ///< its index in NetworkLayer::inputs; -1: the layer itself
    int output = -1; ///< its index in NetworkGraph::outputs instead; -1: a layer's problem
    Error error;
};

/// What a layer of a block reads by the name "input": whatever the block reads.
inline constexpr int kInputOfBlock = -1;

/// How the layers of a custom_estimator, or those of a block, are connected; indices are those of
/// NetworkGraph::layer or BlockLayer::layer. A block among them is one layer.
struct NetworkLayout
{
    std::vector<std::string> names;       ///< as written, or made from the kind: "dense", "dense_1"
    std::vector<std::vector<int>> inputs; ///< in the order of NetworkLayer::inputs
    /// As NetworkGraph::outputs; without any, and of a block, the last layer.
    std::vector<int> outputs;
    std::vector<int> order;               ///< each layer after its inputs; otherwise as written
    std::vector<NetworkProblem> problems; ///< if there are any, `order` is not complete
};

/// The layers of an estimator that has a network of its own; null for others.
const NetworkGraph* networkOf(const Estimator& estimator);

/// Problems: "spec.layer_name_taken", "spec.unknown_layer", "spec.layer_without_input",
/// "spec.layer_cycle", "spec.unused_layer".
NetworkLayout layoutOf(const NetworkGraph& network);

/// Why its outputs do not fit the head: one for each head of a multi_head, otherwise one, or none
/// named. "spec.output_count".
std::optional<Error> outputMisfit(const NetworkGraph& network, const Head& head);

/// Problems: also "spec.layer_called_input".
NetworkLayout layoutOf(const BlockLayer& block);

/// Whether the layer begins a network: it reads columns instead of layers. So does a block whose
/// first layer does, unless another one of its layers reads what the block reads.
bool beginsNetwork(const NetworkLayer& layer);

/// The layer without its name and inputs; not of a block, which is several (network_blocks.h).
Layer layerOf(const NetworkLayer& layer);

} // namespace cannery::spec
