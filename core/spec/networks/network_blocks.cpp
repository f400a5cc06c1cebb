// SPDX-License-Identifier: Apache-2.0
#include "core/spec/networks/network_blocks.h"

#include "core/base/catalog.h"
#include "core/spec/message_access.h"
#include "core/spec/networks/network_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace cannery::spec {

namespace {

constexpr ErrorKind kEmptyBlock{"spec.empty_block",
                                "The block has no layers: put one into it, or remove it."};
constexpr ErrorKind kTooManyLayers{
    "spec.too_many_layers",
    "With its blocks unfolded the network has more than {} layers: repeat blocks less often."};
constexpr ErrorKind kInputUnread{
    "spec.block_input_unread",
    "No layer of the block reads 'input', so what the block reads has no use: name 'input' in the "
    "inputs of one of its layers, or remove the inputs of the block."};
constexpr ErrorKind kSettingOfBlock{"spec.setting_of_block",
                                    "A block has no {} of its own: set it in its layers."};
constexpr ErrorKind kUnknownOwner{
    "spec.shared_unknown",
    "There is no layer '{}' whose weights this one could use.{} A layer of the same block has its "
    "own name, any other one that of its block before it: 'block/dense'."};
constexpr ErrorKind kOtherKind{
    "spec.shared_kind",
    "A layer shares the weights of one of its own kind, but '{}' is a layer {} and not {}: name "
    "another layer."};
constexpr ErrorKind kNothingToShare{
    "spec.shared_nothing",
    "A layer {} has no weights of its own to share: remove shares_weights_with."};
constexpr ErrorKind kOwnerLater{
    "spec.shared_later",
    "'{}' is computed after this layer: let it share the weights of this one instead."};
constexpr ErrorKind kOtherTrainable{
    "spec.shared_trainable",
    "'{}' has the same weights, so both layers must be trained or neither: make `trainable` the "
    "same."};
constexpr ErrorKind kOwnSettings{
    "spec.shared_settings",
    "The layer uses the weights of '{}', so it has none of its own to describe: remove `weights`."};

using LayerList = google::protobuf::RepeatedPtrField<NetworkLayer>;

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

/// A frozen experiment may not have been checked, so a wrong number counts as the nearest right
/// one.
std::int64_t repetitionsOf(const BlockLayer& block)
{
    return std::clamp(block.repeat(), std::int64_t{1}, kMostLayers + 1);
}

/// The layers of a network or of one repetition of a block, and where they stand.
struct Scope
{
    const LayerList& layers;
    const NetworkLayout& layout;
    SpecPath path;          ///< of their list
    std::string prefix;     ///< of their names
    bool isTrainable;       ///< every block around them is
    int first;              ///< index of the first of them, unfolded
    std::vector<int> input; ///< what "input" is
};

class Unfolder
{
public:
    explicit Unfolder(const NetworkGraph& network) : m_network(network) {}

    UnfoldedNetwork unfold()
    {
        const SpecPath path = SpecPath{}.child("layer");
        const std::int64_t count = countOf(m_network.layer(), path);
        if (count > kMostLayers) {
            report(SpecPath{}, error(ErrorCode::InvalidArgument, kTooManyLayers, kMostLayers));
        }
        if (hasProblems()) {
            return std::move(m_result);
        }
        NetworkLayout layout = layoutOf(m_network);
        take(layout.problems, path);
        findLayouts(m_network.layer(), path);
        if (hasProblems()) {
            return std::move(m_result);
        }
        m_result.layers.resize(static_cast<std::size_t>(count));
        place({m_network.layer(), layout, path, "", true, 0, {}});
        placeOutputs(layout);
        findOwners();
        if (hasProblems()) {
            m_result.layers.clear();
            m_result.outputs.clear();
            m_result.order.clear();
        }
        return std::move(m_result);
    }

private:
    bool hasProblems() const { return !m_result.problems.empty(); }
    void report(const SpecPath& path, Error error)
    {
        m_result.problems.push_back({path, std::move(error)});
    }
    std::int64_t countOf(const LayerList& layers, const SpecPath& path);
    std::int64_t sizeOf(const NetworkLayer& layer) const
    {
        return layer.has_block() ? m_sizes.at(&layer) : 1;
    }
    void checkBlock(const NetworkLayer& layer, const SpecPath& path);
    void take(const std::vector<NetworkProblem>& problems, const SpecPath& path);
    void findLayouts(const LayerList& layers, const SpecPath& path);
    std::vector<int> endsOf(const LayerList& layers, int first) const;
    void place(const Scope& scope);
    void placeBlock(const Scope& scope, int index, int first, std::vector<int> inputs);
    void placeOutputs(const NetworkLayout& layout);
    void findOwners();
    void findOwner(int index, const std::map<std::string, int>& byName,
                   const std::vector<int>& positions);

    const NetworkGraph& m_network;
    UnfoldedNetwork m_result;
    std::unordered_map<const NetworkLayer*, std::int64_t> m_sizes; ///< of blocks
    std::unordered_map<const NetworkLayer*, NetworkLayout> m_layouts;
    std::map<int, std::string> m_wantedOwners; ///< names within the same block, with its prefix
};

/// Of all of them together, at most one more than a network may have. Sizes of blocks stay below
/// that, so nothing overflows.
std::int64_t Unfolder::countOf(const LayerList& layers, const SpecPath& path)
{
    std::int64_t count = 0;
    for (int i = 0; i < layers.size(); ++i) {
        if (layers[i].has_block()) {
            const BlockLayer& block = layers[i].block();
            const SpecPath own = path.element(i);
            checkBlock(layers[i], own);
            const std::int64_t inner = countOf(block.layer(), own.child("block").child("layer"));
            m_sizes[&layers[i]] = std::min(inner * repetitionsOf(block), kMostLayers + 1);
        }
        count = std::min(count + sizeOf(layers[i]), kMostLayers + 1);
    }
    return count;
}

/// What a block has as any layer does, but cannot mean.
void Unfolder::checkBlock(const NetworkLayer& layer, const SpecPath& path)
{
    if (layer.block().layer().empty()) {
        report(path.child("block").child("layer"), error(ErrorCode::InvalidArgument, kEmptyBlock));
    }
    const auto refuse = [&](bool isSet, const char* field) {
        if (isSet) {
            report(path.child(field), error(ErrorCode::InvalidArgument, kSettingOfBlock, field));
        }
    };
    refuse(layer.weights_size() > 0, "weights");
    refuse(layer.has_activity_regularizer(), "activity_regularizer");
    refuse(layer.has_shares_weights_with(), "shares_weights_with");
}

void Unfolder::take(const std::vector<NetworkProblem>& problems, const SpecPath& path)
{
    for (const NetworkProblem& problem : problems) {
        if (problem.output >= 0) {
            report(SpecPath{}.child("outputs").element(problem.output), problem.error);
            continue;
        }
        const SpecPath layer = path.element(problem.layer);
        report(problem.input < 0 ? layer : layer.child("inputs").element(problem.input),
               problem.error);
    }
}

/// Once for each block, however often it is repeated, so that its problems are told once.
void Unfolder::findLayouts(const LayerList& layers, const SpecPath& path)
{
    for (int i = 0; i < layers.size(); ++i) {
        if (!layers[i].has_block()) {
            continue;
        }
        const SpecPath own = path.element(i);
        const SpecPath list = own.child("block").child("layer");
        const NetworkLayout& layout = m_layouts[&layers[i]] = layoutOf(layers[i].block());
        take(layout.problems, list);
        const bool isRead = std::ranges::any_of(layout.inputs, [](const std::vector<int>& inputs) {
            return std::ranges::count(inputs, kInputOfBlock) > 0;
        });
        if (!isRead && layers[i].inputs_size() > 0) {
            report(own.child("inputs"), error(ErrorCode::InvalidArgument, kInputUnread));
        }
        findLayouts(layers[i].block().layer(), list);
    }
}

/// Behind the last layer of each, which is what others read of a block. `first`: where they begin.
std::vector<int> Unfolder::endsOf(const LayerList& layers, int first) const
{
    std::vector<int> ends;
    for (const NetworkLayer& layer : layers) {
        first += static_cast<int>(sizeOf(layer));
        ends.push_back(first);
    }
    return ends;
}

void Unfolder::place(const Scope& scope)
{
    const std::vector<int> ends = endsOf(scope.layers, scope.first);
    for (const int i : scope.layout.order) {
        std::vector<int> inputs;
        for (const int input : scope.layout.inputs[at(i)]) {
            if (input == kInputOfBlock) {
                inputs.insert(inputs.end(), scope.input.begin(), scope.input.end());
            } else {
                inputs.push_back(ends[at(input)] - 1);
            }
        }
        const NetworkLayer& layer = scope.layers[i];
        const int first = ends[at(i)] - static_cast<int>(sizeOf(layer));
        if (layer.has_block()) {
            placeBlock(scope, i, first, std::move(inputs));
            continue;
        }
        m_result.layers[at(first)] = {.layer = &layer,
                                      .path = scope.path.element(i),
                                      .name = scope.prefix + scope.layout.names[at(i)],
                                      .isTrainable = scope.isTrainable && layer.trainable(),
                                      .inputs = std::move(inputs)};
        m_result.order.push_back(first);
        if (layer.has_shares_weights_with()) {
            m_wantedOwners[first] = scope.prefix + layer.shares_weights_with();
        }
    }
}

/// Each repetition reads the last layer of the one before it.
void Unfolder::placeBlock(const Scope& scope, int index, int first, std::vector<int> inputs)
{
    const NetworkLayer& layer = scope.layers[index];
    const std::int64_t repetitions = repetitionsOf(layer.block());
    const int size = static_cast<int>(sizeOf(layer) / repetitions);
    const std::string name = scope.prefix + scope.layout.names[at(index)];
    for (std::int64_t i = 0; i < repetitions; ++i) {
        place({layer.block().layer(), m_layouts.at(&layer),
               scope.path.element(index).child("block").child("layer"),
               repetitions == 1 ? name + "/" : fmt::format("{}/{}/", name, i + 1),
               scope.isTrainable && layer.trainable(), first, std::move(inputs)});
        first += size;
        inputs = {first - 1};
    }
}

void Unfolder::placeOutputs(const NetworkLayout& layout)
{
    const std::vector<int> ends = endsOf(m_network.layer(), 0);
    for (const int output : layout.outputs) {
        m_result.outputs.push_back(ends[at(output)] - 1);
    }
}

void Unfolder::findOwners()
{
    std::map<std::string, int> byName;
    for (std::size_t i = 0; i < m_result.layers.size(); ++i) {
        byName.emplace(m_result.layers[i].name, static_cast<int>(i));
    }
    std::vector<int> positions(m_result.layers.size());
    for (std::size_t i = 0; i < m_result.order.size(); ++i) {
        positions[at(m_result.order[i])] = static_cast<int>(i);
    }
    // In the order of evaluation, so that the owner of an owner is known.
    std::set<const NetworkLayer*> wrong; // told once, however often their block is repeated
    for (const int index : m_result.order) {
        const std::size_t before = m_result.problems.size();
        const NetworkLayer* layer = m_result.layers[at(index)].layer;
        if (m_wantedOwners.contains(index) && !wrong.contains(layer)) {
            findOwner(index, byName, positions);
        }
        if (m_result.problems.size() > before) {
            wrong.insert(layer);
        }
    }
}

/// A layer beside it in the block, or any other one by its whole name.
void Unfolder::findOwner(int index, const std::map<std::string, int>& byName,
                         const std::vector<int>& positions)
{
    UnfoldedLayer& layer = m_result.layers[at(index)];
    const std::string& wanted = layer.layer->shares_weights_with();
    const SpecPath path = layer.path.child("shares_weights_with");
    auto found = byName.find(m_wantedOwners.at(index));
    found = found == byName.end() ? byName.find(wanted) : found;
    if (found == byName.end()) {
        std::vector<std::string> names;
        for (const auto& [name, other] : byName) {
            names.push_back(name);
        }
        report(path, error(ErrorCode::NotFound, kUnknownOwner, wanted, suggestion(wanted, names)));
        return;
    }
    const UnfoldedLayer& owner = m_result.layers[at(found->second)];
    const auto* kind = memberField(*layer.layer);
    const auto* ownersKind = memberField(*owner.layer);
    if (kind != ownersKind || kind == nullptr) {
        const auto text = [](const auto* field) { return field == nullptr ? "" : field->name(); };
        report(path,
               error(ErrorCode::InvalidArgument, kOtherKind, wanted, text(ownersKind), text(kind)));
    } else if (beginsNetwork(*layer.layer)) {
        report(path, error(ErrorCode::InvalidArgument, kNothingToShare, kind->name()));
    } else if (positions[at(found->second)] >= positions[at(index)]) {
        report(path, error(ErrorCode::InvalidArgument, kOwnerLater, wanted));
    } else if (owner.isTrainable != layer.isTrainable) {
        report(path, error(ErrorCode::InvalidArgument, kOtherTrainable, wanted));
    } else if (layer.layer->weights_size() > 0) {
        report(layer.path.child("weights"),
               error(ErrorCode::InvalidArgument, kOwnSettings, wanted));
    }
    layer.sharesWeightsWith = owner.sharesWeightsWith < 0 ? found->second : owner.sharesWeightsWith;
}

} // namespace

UnfoldedNetwork unfold(const NetworkGraph& network)
{
    return Unfolder(network).unfold();
}

Layer layerOf(const UnfoldedLayer& layer)
{
    Layer result = layerOf(*layer.layer);
    result.set_trainable(layer.isTrainable);
    return result;
}

} // namespace cannery::spec
