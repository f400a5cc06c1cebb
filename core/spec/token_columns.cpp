// SPDX-License-Identifier: Apache-2.0
#include "core/spec/token_columns.h"

#include "core/spec/message_access.h"

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

TokenSource sourceOf(int layer, const NetworkGraph& network, const NetworkLayout& layout)
{
    TokenSource source{.layer = layer};
    std::set<int> seen;
    std::vector<int> waiting = layout.inputs[static_cast<std::size_t>(layer)];
    while (!waiting.empty()) {
        const int from = waiting.back();
        waiting.pop_back();
        if (!seen.insert(from).second) {
            continue;
        }
        const NetworkLayer& read = network.layer(from);
        if (read.has_input_layer()) {
            source.inputs.push_back(from);
        } else if (keepsNumbers(read)) {
            const std::vector<int>& inputs = layout.inputs[static_cast<std::size_t>(from)];
            waiting.insert(waiting.end(), inputs.begin(), inputs.end());
        } else {
            source.changedBy = from;
        }
    }
    std::ranges::sort(source.inputs);
    return source;
}

} // namespace

std::vector<TokenSource> tokenSourcesOf(const NetworkGraph& network, const NetworkLayout& layout)
{
    std::vector<TokenSource> sources;
    for (int layer = 0; layout.problems.empty() && layer < network.layer_size(); ++layer) {
        if (network.layer(layer).has_token_embedding()) {
            sources.push_back(sourceOf(layer, network, layout));
        }
    }
    return sources;
}

std::optional<std::int64_t> tokenIdsOf(const Experiment& experiment, const std::string& column)
{
    const NetworkGraph* network = networkOf(experiment.estimator());
    const bool hasTokens =
        network != nullptr && std::ranges::any_of(network->layer(), [](const NetworkLayer& layer) {
            return layer.has_token_embedding();
        });
    // A layout is not free, and columns are asked one by one.
    if (!hasTokens) {
        return std::nullopt;
    }
    std::optional<std::int64_t> ids;
    for (const TokenSource& source : tokenSourcesOf(*network, layoutOf(*network))) {
        const std::int64_t own = network->layer(source.layer).token_embedding().input_dim();
        const bool reads = std::ranges::any_of(source.inputs, [&](int input) {
            const auto& named = network->layer(input).input_layer().feature_columns();
            return named.empty() || std::ranges::find(named, column) != named.end();
        });
        if (reads) {
            ids = std::min(ids.value_or(own), own);
        }
    }
    return ids;
}

} // namespace cannery::spec
