// SPDX-License-Identifier: Apache-2.0
#include "core/spec/networks/token_catalog.h"

#include "core/spec/networks/network_layout.h"

#include <algorithm>
#include <array>
#include <set>

namespace cannery::spec {

namespace {

/// Layers that give the numbers that they read, in other places, and perhaps 0, which is an id.
constexpr std::array kKeepers{
    NetworkLayer::kFlatten, NetworkLayer::kReshape,      NetworkLayer::kConcatenate,
    NetworkLayer::kPermute, NetworkLayer::kRepeatVector, NetworkLayer::kZeroPadding1D,
};

bool keepsNumbers(const NetworkLayer& layer)
{
    return std::ranges::find(kKeepers, layer.kind_case()) != kKeepers.end();
}

bool hasTokens(const google::protobuf::RepeatedPtrField<NetworkLayer>& layers)
{
    return std::ranges::any_of(layers, [](const NetworkLayer& layer) {
        return layer.has_token_embedding() ||
               (layer.has_block() && hasTokens(layer.block().layer()));
    });
}

TokenSource sourceOf(int layer, const UnfoldedNetwork& network)
{
    TokenSource source{.layer = layer};
    std::set<int> seen;
    std::vector<int> waiting = network.layers[static_cast<std::size_t>(layer)].inputs;
    while (!waiting.empty()) {
        const int from = waiting.back();
        waiting.pop_back();
        if (!seen.insert(from).second) {
            continue;
        }
        const UnfoldedLayer& read = network.layers[static_cast<std::size_t>(from)];
        if (read.layer->has_input_layer()) {
            source.inputs.push_back(from);
        } else if (keepsNumbers(*read.layer)) {
            waiting.insert(waiting.end(), read.inputs.begin(), read.inputs.end());
        } else {
            source.changedBy = from;
        }
    }
    std::ranges::sort(source.inputs);
    return source;
}

} // namespace

std::vector<TokenSource> tokenSourcesOf(const UnfoldedNetwork& network)
{
    std::vector<TokenSource> sources;
    for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
        if (network.layers[layer].layer->has_token_embedding()) {
            sources.push_back(sourceOf(static_cast<int>(layer), network));
        }
    }
    return sources;
}

std::optional<std::int64_t> tokenIdsOf(const Experiment& experiment, const std::string& column)
{
    const NetworkGraph* network = networkOf(experiment.estimator());
    // Unfolding is not free, and columns are asked one by one.
    if (network == nullptr || !hasTokens(network->layer())) {
        return std::nullopt;
    }
    std::optional<std::int64_t> ids;
    const UnfoldedNetwork unfolded = unfold(*network);
    const auto layerAt = [&](int index) -> const NetworkLayer& {
        return *unfolded.layers[static_cast<std::size_t>(index)].layer;
    };
    for (const TokenSource& source : tokenSourcesOf(unfolded)) {
        const std::int64_t own = layerAt(source.layer).token_embedding().input_dim();
        const bool reads = std::ranges::any_of(source.inputs, [&](int input) {
            const auto& named = layerAt(input).input_layer().feature_columns();
            return named.empty() || std::ranges::find(named, column) != named.end();
        });
        if (reads) {
            ids = std::min(ids.value_or(own), own);
        }
    }
    return ids;
}

} // namespace cannery::spec
