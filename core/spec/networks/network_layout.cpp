// SPDX-License-Identifier: Apache-2.0
#include "core/spec/networks/network_layout.h"

#include "core/base/catalog.h"
#include "core/spec/message_access.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>

namespace cannery::spec {

namespace {

constexpr ErrorKind kNameTaken{"spec.layer_name_taken",
                               "Two layers are called '{}': give one of them another name."};
constexpr ErrorKind kUnknownLayer{"spec.unknown_layer", "There is no layer '{}'.{}"};
constexpr ErrorKind kUnknownInBlock{
    "spec.unknown_layer_in_block",
    "There is no layer '{}' in this block.{} The layers of a block read each other, and what the "
    "block reads as 'input'."};
constexpr ErrorKind kCalledInput{
    "spec.layer_called_input",
    "In a block, 'input' is what the block reads: give the layer another name."};
constexpr ErrorKind kNoInput{
    "spec.layer_without_input",
    "The first layer reads nothing: put an input_layer or a sequence_input before it, or name its "
    "inputs."};
constexpr ErrorKind kLayerCycle{"spec.layer_cycle",
                                "The layers {} read each other in a circle: let one of them read "
                                "another layer."};
constexpr ErrorKind kUnusedLayer{
    "spec.unused_layer",
    "No layer reads '{}': name it in the inputs of another layer, or remove it."};

constexpr ErrorKind kOutputCount{
    "spec.output_count",
    "The network has {} and the estimator {}: name one layer for each head, in their "
    "order."};

/// Layers of a circle that a message names.
constexpr std::size_t kMostNamed = 8;

constexpr std::string_view kInput = "input";

using NetworkLayers = google::protobuf::RepeatedPtrField<NetworkLayer>;

class LayoutFinder
{
public:
    explicit LayoutFinder(const NetworkGraph& network)
        : m_layers(network.layer()), m_outputs(&network.outputs())
    {}
    explicit LayoutFinder(const BlockLayer& block) : m_layers(block.layer()) {}

    NetworkLayout find()
    {
        nameLayers();
        connect();
        findOutputs();
        if (m_layout.problems.empty()) {
            sort();
        }
        if (m_layout.problems.empty()) {
            findUnused();
        }
        return std::move(m_layout);
    }

private:
    int count() const { return m_layers.size(); }
    bool isBlock() const { return m_outputs == nullptr; }
    const std::vector<int>& inputsOf(int layer) const
    {
        return m_layout.inputs[static_cast<std::size_t>(layer)];
    }
    void report(int layer, int input, Error error)
    {
        m_layout.problems.push_back({.layer = layer, .input = input, .error = std::move(error)});
    }
    void nameLayers();
    void connect();
    void connect(int layer, int input);
    void findOutputs();
    void sort();
    void reportCycle(const std::vector<std::size_t>& pending);
    void findUnused();

    const NetworkLayers& m_layers;
    const google::protobuf::RepeatedPtrField<std::string>* m_outputs = nullptr; ///< null: a block
    NetworkLayout m_layout;
    std::unordered_map<std::string, int> m_byName;
};

void LayoutFinder::nameLayers()
{
    m_layout.names.resize(static_cast<std::size_t>(count()));
    // Names that a person gives count first, so that a made one never takes them.
    for (int i = 0; i < count(); ++i) {
        const std::string& name = m_layers[i].name();
        if (!name.empty() && !m_byName.emplace(name, i).second) {
            report(i, -1, error(ErrorCode::AlreadyExists, kNameTaken, name));
        }
        if (isBlock() && name == kInput) {
            report(i, -1, error(ErrorCode::InvalidArgument, kCalledInput));
        }
        m_layout.names[static_cast<std::size_t>(i)] = name;
    }
    std::map<std::string, int> numbers;
    for (int i = 0; i < count(); ++i) {
        std::string& name = m_layout.names[static_cast<std::size_t>(i)];
        const auto* kind = memberField(m_layers[i]);
        if (!name.empty() || kind == nullptr) {
            continue;
        }
        // Numbered as Keras does: "dense", "dense_1".
        do {
            const int number = numbers[kind->name()]++;
            name = number == 0 ? kind->name() : fmt::format("{}_{}", kind->name(), number);
        } while (!m_byName.emplace(name, i).second);
    }
}

void LayoutFinder::connect()
{
    m_layout.inputs.resize(static_cast<std::size_t>(count()));
    for (int i = 0; i < count(); ++i) {
        const NetworkLayer& layer = m_layers[i];
        std::vector<int>& inputs = m_layout.inputs[static_cast<std::size_t>(i)];
        for (int input = 0; input < layer.inputs_size(); ++input) {
            connect(i, input);
        }
        if (layer.inputs_size() == 0 && !beginsNetwork(layer)) {
            if (i > 0) {
                inputs.push_back(i - 1);
            } else if (isBlock()) {
                inputs.push_back(kInputOfBlock);
            } else {
                report(i, -1, error(ErrorCode::InvalidArgument, kNoInput));
            }
        }
    }
}

void LayoutFinder::connect(int layer, int input)
{
    const std::string& name = m_layers[layer].inputs(input);
    std::vector<int>& inputs = m_layout.inputs[static_cast<std::size_t>(layer)];
    const auto found = m_byName.find(name);
    if (isBlock() && name == kInput) {
        inputs.push_back(kInputOfBlock);
    } else if (found != m_byName.end()) {
        inputs.push_back(found->second);
    } else {
        report(layer, input,
               error(ErrorCode::NotFound, isBlock() ? kUnknownInBlock : kUnknownLayer, name,
                     suggestion(name, m_layout.names)));
    }
}

void LayoutFinder::findOutputs()
{
    for (int i = 0; !isBlock() && i < m_outputs->size(); ++i) {
        const std::string& name = (*m_outputs)[i];
        const auto found = m_byName.find(name);
        if (found != m_byName.end()) {
            m_layout.outputs.push_back(found->second);
        } else {
            m_layout.problems.push_back({.output = i,
                                         .error = error(ErrorCode::NotFound, kUnknownLayer, name,
                                                        suggestion(name, m_layout.names))});
        }
    }
    const bool areNamed = !isBlock() && !m_outputs->empty();
    if (!areNamed && count() > 0) {
        m_layout.outputs.push_back(count() - 1);
    }
}

/// Kahn's algorithm; of the layers that are ready, the one that is written first comes first.
void LayoutFinder::sort()
{
    std::vector<std::size_t> pending(static_cast<std::size_t>(count()));
    std::vector<std::vector<int>> readers(static_cast<std::size_t>(count()));
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int layer = 0; layer < count(); ++layer) {
        for (const int input : inputsOf(layer)) {
            if (input != kInputOfBlock) {
                ++pending[static_cast<std::size_t>(layer)];
                readers[static_cast<std::size_t>(input)].push_back(layer);
            }
        }
        if (pending[static_cast<std::size_t>(layer)] == 0) {
            ready.push(layer);
        }
    }
    while (!ready.empty()) {
        const int layer = ready.top();
        ready.pop();
        m_layout.order.push_back(layer);
        for (const int reader : readers[static_cast<std::size_t>(layer)]) {
            if (--pending[static_cast<std::size_t>(reader)] == 0) {
                ready.push(reader);
            }
        }
    }
    reportCycle(pending);
}

/// Layers that still wait for an input are on a circle, or behind one.
void LayoutFinder::reportCycle(const std::vector<std::size_t>& pending)
{
    const auto waits = [&](int layer) {
        return layer != kInputOfBlock && pending[static_cast<std::size_t>(layer)] > 0;
    };
    int layer = 0;
    while (layer < count() && !waits(layer)) {
        ++layer;
    }
    if (layer == count()) {
        return;
    }
    // From input to input one comes onto a circle, and then around it.
    std::vector<int> path;
    while (std::ranges::find(path, layer) == path.end()) {
        path.push_back(layer);
        layer = *std::ranges::find_if(inputsOf(layer), waits);
    }
    path.erase(path.begin(), std::ranges::find(path, layer));
    std::vector<std::string> names;
    for (auto on = path.rbegin(); on != path.rend() && names.size() < kMostNamed; ++on) {
        names.push_back(fmt::format("'{}'", m_layout.names[static_cast<std::size_t>(*on)]));
    }
    if (path.size() > names.size()) {
        names.emplace_back("...");
    }
    report(
        layer, -1,
        error(ErrorCode::InvalidArgument, kLayerCycle, fmt::format("{}", fmt::join(names, ", "))));
}

/// Of a branch that leads nowhere, its end is reported.
void LayoutFinder::findUnused()
{
    std::vector<bool> isRead(static_cast<std::size_t>(count()), false);
    for (const int output : m_layout.outputs) {
        isRead[static_cast<std::size_t>(output)] = true;
    }
    for (int layer = 0; layer < count(); ++layer) {
        for (const int input : inputsOf(layer)) {
            if (input != kInputOfBlock) {
                isRead[static_cast<std::size_t>(input)] = true;
            }
        }
    }
    for (int layer = 0; layer < count(); ++layer) {
        if (!isRead[static_cast<std::size_t>(layer)]) {
            report(layer, -1,
                   error(ErrorCode::InvalidArgument, kUnusedLayer,
                         m_layout.names[static_cast<std::size_t>(layer)]));
        }
    }
}

} // namespace

const NetworkGraph* networkOf(const Estimator& estimator)
{
    const google::protobuf::Message* member = memberOf(estimator);
    const auto* graph =
        member == nullptr ? nullptr : member->GetDescriptor()->FindFieldByName("graph");
    // By its type, so that another estimator with a network needs no line here.
    if (graph == nullptr || graph->message_type() != NetworkGraph::descriptor()) {
        return nullptr;
    }
    return dynamic_cast<const NetworkGraph*>(&member->GetReflection()->GetMessage(*member, graph));
}

std::optional<Error> outputMisfit(const NetworkGraph& network, const Head& head)
{
    const int heads = head.has_multi_head() ? head.multi_head().heads_size() : 1;
    if (network.outputs_size() == 0 || heads == 0 || network.outputs_size() == heads) {
        return std::nullopt;
    }
    const auto counted = [](int count, const char* word) {
        return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
    };
    return error(ErrorCode::InvalidArgument, kOutputCount,
                 counted(network.outputs_size(), "output"), counted(heads, "head"));
}

NetworkLayout layoutOf(const NetworkGraph& network)
{
    return LayoutFinder(network).find();
}

NetworkLayout layoutOf(const BlockLayer& block)
{
    return LayoutFinder(block).find();
}

bool beginsNetwork(const NetworkLayer& layer)
{
    if (layer.has_block()) {
        const NetworkLayers& layers = layer.block().layer();
        return !layers.empty() && beginsNetwork(layers[0]) &&
               std::ranges::none_of(layers, [](const NetworkLayer& inner) {
                   return std::ranges::count(inner.inputs(), kInput) > 0;
               });
    }
    const auto* kind = memberField(layer);
    return kind != nullptr &&
           kind->message_type()->options().GetExtension(about).reads() == MessageInfo::NONE;
}

Layer layerOf(const NetworkLayer& layer)
{
    Layer result;
    // Both have the kind under one name.
    if (const auto* kind = memberField(layer); kind != nullptr) {
        const auto* own = Layer::descriptor()->FindFieldByName(kind->name());
        result.GetReflection()->MutableMessage(&result, own)->CopyFrom(*memberOf(layer));
    }
    result.set_trainable(layer.trainable());
    *result.mutable_weights() = layer.weights();
    if (layer.has_activity_regularizer()) {
        *result.mutable_activity_regularizer() = layer.activity_regularizer();
    }
    return result;
}

} // namespace cannery::spec
