// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/layer_network.h"

#include "core/layers/layer_catalog.h"
#include "core/layers/masks/mask_flow.h"
#include "kernels/device/flush_denormals.h"
#include "tests/golden/json_tensor.h"
#include "tests/golden/keras_layers/output_places.h"
#include "tests/golden/layer_case.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <set>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;
using Chain = std::vector<spec::Layer>;

bool isRecurrent(const Json& layerCase)
{
    static const std::set<std::string> classes{"Bidirectional", "GRU", "LSTM", "RNN", "SimpleRNN"};
    return classes.contains(layerCase["class"]);
}

bool isStacked(const Json& config)
{
    return config.contains("cell") && config["cell"]["class_name"] == "StackedRNNCells";
}

/// Outputs of hidden steps are zeros: those of our layer times the mask.
bool zeroesHidden(const Json& layerCase)
{
    return layerCase["config"].value("zero_output_for_mask", false);
}

bool hasMask(const Json& masks)
{
    return std::ranges::any_of(masks, [](const Json& mask) { return !mask.is_null(); });
}

/// Rows first, then steps, or the other way round.
void swapFirstAxes(Json& tensor)
{
    Json& shape = tensor["shape"];
    const std::size_t rows = shape[0];
    const std::size_t steps = shape[1];
    const Json values = tensor["values"];
    const std::size_t width = values.size() / (rows * steps);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t row = i / width / steps;
        const std::size_t step = i / width % steps;
        tensor["values"][(step * rows + row) * width + i % width] = values[i];
    }
    std::swap(shape[0], shape[1]);
}

/// The case with all masks where masks of Keras tensors are, and rows first. Outputs stay: see
/// outputPlacesOf().
Json prepared(Json layerCase)
{
    Json call = layerCase.value("call", Json::object());
    if (call.contains("mask") && call["mask"].is_object()) {
        layerCase["input_masks"] = Json::array({call["mask"]});
        call.erase("mask");
        layerCase["call"] = call;
    }
    if (layerCase["config"].value("time_major", false)) {
        for (const char* key : {"inputs", "input_gradients", "input_masks"}) {
            if (layerCase.contains(key) && !layerCase[key].empty() &&
                !layerCase[key][0].is_null()) {
                swapFirstAxes(layerCase[key][0]);
            }
        }
    }
    if (call.value("use_causal_mask", false)) {
        layerCase["config"]["causal"] = true;
    }
    if (layerCase["inputs"][0]["shape"].size() == 1) {
        layerCase["inputs"][0]["shape"].push_back(1);
    }
    for (const Json& state : call.value("initial_state", Json::array())) {
        layerCase["inputs"].push_back(state);
    }
    for (const Json& gradient : layerCase.value("call_gradients", Json::array())) {
        layerCase["input_gradients"].push_back(gradient);
    }
    return layerCase;
}

/// A layer for each cell; all but the last give every step.
std::optional<Chain> chainOfCells(const Json& config)
{
    Chain chain;
    const Json& cells = config["cell"]["config"]["cells"];
    for (std::size_t i = 0; i < cells.size(); ++i) {
        Json own = config;
        own["cell"] = cells[i];
        own["return_sequences"] = i + 1 < cells.size() || config["return_sequences"] == true;
        const auto layer = layerOfKeras("RNN", own);
        // Steps that are turned twice come out in another order.
        if (!layer || config.value("go_backwards", false)) {
            return std::nullopt;
        }
        chain.push_back(*layer);
    }
    return chain;
}

/// Channels first: they move behind the other dimensions before all become one.
Chain chainOfFlatten(const Json& input)
{
    const auto rank = static_cast<std::int64_t>(input["shape"].size());
    Chain chain(2);
    for (std::int64_t axis = 2; axis < rank; ++axis) {
        chain[0].mutable_permute()->add_dims(axis);
    }
    chain[0].mutable_permute()->add_dims(1);
    chain[1].mutable_flatten();
    return chain;
}

std::optional<Chain> chainOf(const Json& layerCase)
{
    const Json& config = layerCase["config"];
    if (isStacked(config)) {
        const bool begins = layerCase["inputs"].size() > 1;
        return begins ? std::nullopt : chainOfCells(config);
    }
    if (layerCase["class"] == "Flatten" && layerCase["inputs"][0]["shape"].size() > 2) {
        return chainOfFlatten(layerCase["inputs"][0]);
    }
    const auto layer = layerOfKeras(layerCase["class"], config);
    return layer ? std::optional(Chain{*layer}) : std::nullopt;
}

float factorOf(std::size_t i)
{
    // README.md: the gradient of a sum with these factors.
    return static_cast<float>((7 * static_cast<std::int64_t>(i) + 3) % 11 - 5) / 8.0F;
}

/// A graph with memory of its own; each input of a node of the chain has a gradient of its own.
class NetworkRun
{
public:
    explicit NetworkRun(const Json& layerCase) : m_case(layerCase), m_flow(m_builder) {}

    Result<std::vector<std::string>> compare(const Chain& chain);

private:
    struct Node
    {
        std::unique_ptr<layers::Layer> layer;
        layers::LayerBuffers buffers;
        std::deque<layers::ValueBuffer> uses; ///< of its inputs
        std::deque<std::vector<layers::GradientSegment>> gradients;
        bool isOfChain = false;
    };

    static std::size_t at(graph::ValueId id) { return static_cast<std::size_t>(id); }
    const graph::LayerGraph& graph() const { return m_builder.graph(); }
    float* memory(std::vector<float> values)
    {
        return m_memory.emplace_back(std::move(values)).data();
    }
    graph::ValueId addValue(const Json& tensor);
    Result<void> build(const Chain& chain);
    Result<void> multiplyByMask();
    Result<void> bindNodes();
    void bindVariables(Node& node, const graph::Node& described);
    void bindSegments(Node& node);
    void backward(const layers::StepContext& step);
    std::vector<float> gradientOf(graph::ValueId value) const;
    void expect(const std::string& what, std::span<const float> actual,
                std::span<const float> expected);
    void compareOutputs();
    void compareMask();
    void compareGradients();

    const Json& m_case;
    layers::LayerGraphBuilder m_builder;
    layers::MaskFlow m_flow;
    std::int64_t m_rows = 0;
    std::vector<graph::ValueId> m_inputs; ///< of the case
    graph::ValueId m_output = -1;
    std::optional<graph::ValueId> m_outputMask;
    std::set<graph::ValueId> m_ofChain;       ///< outputs of its layers
    std::deque<std::vector<float>> m_memory;  ///< grows without moving
    std::deque<layers::ValueBuffer> m_values; ///< by value
    std::deque<Node> m_nodes;
    std::size_t m_weights = 0; ///< of the case, bound so far
    OutputPlaces m_places;
    std::vector<std::string> m_differences;
};

graph::ValueId NetworkRun::addValue(const Json& tensor)
{
    auto shape = tensor["shape"].get<std::vector<std::int64_t>>();
    m_rows = shape.front();
    shape.erase(shape.begin());
    graph::Value value{.name = "input"};
    value.width = Shape(shape).elementCount();
    value.shape = shape.size() > 1 ? shape : std::vector<std::int64_t>();
    layers::ValueBuffer& buffer = m_values.emplace_back();
    buffer.writable = memory(floatsOf(tensor));
    return m_builder.addInput(std::move(value), {});
}

Result<void> NetworkRun::build(const Chain& chain)
{
    for (const Json& input : m_case["inputs"]) {
        m_inputs.push_back(addValue(input));
    }
    const Json masks = m_case.value("input_masks", Json::array());
    for (std::size_t i = 0; i < masks.size(); ++i) {
        if (!masks[i].is_null()) {
            const graph::ValueId mask = addValue(masks[i]);
            m_flow.setMask(m_inputs[i], [mask] { return mask; });
        }
    }
    std::vector<graph::ValueId> inputs = m_inputs;
    for (std::size_t i = 0; i < chain.size(); ++i) {
        CANNERY_TRY_ASSIGN(m_output,
                           m_flow.addNode(fmt::format("layer_{}", i), chain[i], std::move(inputs)));
        m_ofChain.insert(m_output);
        inputs = {m_output};
    }
    if (zeroesHidden(m_case) && m_flow.hasMask(m_inputs.front())) {
        CANNERY_TRY(multiplyByMask());
    }
    if (m_flow.hasMask(m_output)) {
        CANNERY_TRY_ASSIGN(m_outputMask, m_flow.maskOf(m_output));
    }
    return {};
}

Result<void> NetworkRun::multiplyByMask()
{
    CANNERY_TRY_ASSIGN(const graph::ValueId mask, m_flow.maskOf(m_inputs.front()));
    spec::Layer steps;
    steps.mutable_reshape()->add_target_shape(-1);
    steps.mutable_reshape()->add_target_shape(1);
    CANNERY_TRY_ASSIGN(const graph::ValueId ofSteps, m_flow.addNode("steps", steps, {mask}));
    spec::Layer product;
    product.mutable_multiply();
    CANNERY_TRY_ASSIGN(m_output, m_flow.addNode("shown", product, {m_output, ofSteps}));
    m_ofChain.insert(m_output);
    return {};
}

Result<void> NetworkRun::bindNodes()
{
    const auto sizeOf = [&](graph::ValueId id) {
        return static_cast<std::size_t>(m_rows * graph().value(id).width);
    };
    while (m_values.size() < graph().values.size()) {
        const auto id = static_cast<graph::ValueId>(m_values.size());
        m_values.emplace_back().writable = memory(std::vector<float>(sizeOf(id)));
    }
    for (std::size_t id = 0; id < m_values.size(); ++id) {
        layers::ValueBuffer& buffer = m_values[id];
        buffer.width = graph().values[id].width;
        buffer.shape = graph::rowShape(graph().values[id]);
        buffer.data = buffer.writable;
        buffer.grad = memory(std::vector<float>(sizeOf(static_cast<graph::ValueId>(id))));
    }
    for (const graph::Node& described : graph().nodes) {
        Node& node = m_nodes.emplace_back();
        CANNERY_TRY_ASSIGN(node.layer, layers::makeLayer(described));
        node.isOfChain = m_ofChain.contains(described.output);
        for (const graph::ValueId input : described.inputs) {
            // Whatever a layer leaves unset shows as a wrong gradient.
            layers::ValueBuffer& use = node.uses.emplace_back(m_values[at(input)]);
            use.grad = memory(std::vector<float>(sizeOf(input), 777.0F));
            node.buffers.inputs.push_back(&use);
        }
        node.buffers.output = &m_values[at(described.output)];
        node.buffers.maxRows = m_rows;
        bindVariables(node, described);
        node.layer->prepare(node.buffers);
        bindSegments(node);
    }
    return {};
}

void NetworkRun::bindVariables(Node& node, const graph::Node& described)
{
    for (const graph::VariableId id : described.variables) {
        std::vector<float>& values =
            m_memory.emplace_back(floatsOf(m_case["weights"][m_weights++]));
        const Shape& shape = graph().variable(id).shape;
        const std::int64_t rows = shape.rank() == 2 ? shape.dims[0] : 1;
        node.gradients.emplace_back();
        node.buffers.variables.push_back(
            {.values = kernels::matrixView(std::span<float>(values), rows,
                                           static_cast<std::int64_t>(values.size()) / rows),
             .gradient = &node.gradients.back()});
    }
}

void NetworkRun::bindSegments(Node& node)
{
    for (std::size_t i = 0; i < node.gradients.size(); ++i) {
        const kernels::MatrixView values = node.buffers.variables[i].values;
        for (layers::GradientSegment& segment : node.gradients[i]) {
            const auto size = static_cast<std::size_t>(values.rows * values.cols);
            segment.dense = kernels::matrixView(
                std::span<float>(m_memory.emplace_back(size, segment.sparse ? 0.0F : 777.0F)),
                values.rows, values.cols);
        }
    }
}

void NetworkRun::expect(const std::string& what, std::span<const float> actual,
                        std::span<const float> expected)
{
    if (auto difference = differenceOf(what, actual, expected, toleranceOf(m_case))) {
        m_differences.push_back(*std::move(difference));
    }
}

void NetworkRun::compareOutputs()
{
    const layers::ValueBuffer& output = m_values[at(m_output)];
    for (std::size_t k = 0; k < m_places.size(); ++k) {
        const std::vector<float> all = floatsOf(m_case["outputs"][k]);
        std::vector<float> actual;
        std::vector<float> expected;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (m_places[k][i] >= 0) {
                actual.push_back(output.data[m_places[k][i]]);
                expected.push_back(all[i]);
                output.grad[m_places[k][i]] += factorOf(i);
            }
        }
        expect(fmt::format("output {}", k), actual, expected);
    }
}

void NetworkRun::compareMask()
{
    const Json masks = m_case.value("output_masks", Json::array());
    const bool hasOne = !masks.empty() && !masks[0].is_null();
    if (masks.empty() || !hasOne) {
        // Cases without this key say nothing about the mask.
        if (!masks.empty() && m_outputMask) {
            m_differences.emplace_back("the output has a mask, which Keras's has not");
        }
        return;
    }
    if (!m_outputMask) {
        m_differences.emplace_back("the output has no mask");
        return;
    }
    expect("the mask", m_values[at(*m_outputMask)].values(m_rows).flat(), floatsOf(masks[0]));
}

/// Over all layers of the chain that read it.
std::vector<float> NetworkRun::gradientOf(graph::ValueId value) const
{
    std::vector<float> sum(static_cast<std::size_t>(m_rows * graph().value(value).width));
    for (std::size_t node = 0; node < m_nodes.size(); ++node) {
        const std::vector<graph::ValueId>& inputs = graph().nodes[node].inputs;
        for (std::size_t input = 0; m_nodes[node].isOfChain && input < inputs.size(); ++input) {
            if (inputs[input] == value) {
                const auto own = m_nodes[node].uses[input].gradient(m_rows).flat();
                std::ranges::transform(sum, own, sum.begin(), std::plus<>());
            }
        }
    }
    return sum;
}

void NetworkRun::backward(const layers::StepContext& step)
{
    for (std::size_t node = m_nodes.size(); node-- > 0;) {
        const graph::ValueId output = graph().nodes[node].output;
        if (!m_nodes[node].isOfChain) {
            continue;
        }
        if (output != m_output) {
            std::ranges::copy(gradientOf(output), m_values[at(output)].grad);
        }
        m_nodes[node].layer->backward(step);
    }
}

void NetworkRun::compareGradients()
{
    // Integer inputs have none.
    for (std::size_t i = 0; i < m_case["input_gradients"].size(); ++i) {
        expect(fmt::format("the gradient of input {}", i), gradientOf(m_inputs[i]),
               floatsOf(m_case["input_gradients"][i]));
    }
    std::size_t weight = 0;
    for (Node& node : m_nodes) {
        for (std::vector<layers::GradientSegment>& gradient : node.gradients) {
            const std::string name = m_case["weights"][weight++]["name"];
            layers::GradientSegment& segment = gradient.front();
            for (std::size_t row = 0; segment.sparse && row < segment.rows.rows.size(); ++row) {
                std::ranges::copy(segment.rows.view().row(static_cast<std::int64_t>(row)),
                                  segment.dense.at(segment.rows.rows[row]));
            }
            expect("the gradient of " + name, segment.dense.flat(),
                   floatsOf(m_case["weight_gradients"][name]));
        }
    }
}

Result<std::vector<std::string>> NetworkRun::compare(const Chain& chain)
{
    CANNERY_TRY(build(chain));
    CANNERY_TRY(bindNodes());
    m_places = outputPlacesOf(m_case);
    kernels::ThreadPool pool(2);
    std::vector<layers::Worker> workers(2);
    const layers::StepContext step{
        .pool = pool, .workers = workers, .mode = layers::Mode::Evaluate, .rows = m_rows};
    const kernels::FlushDenormals flush; // as steps do, and TensorFlow
    for (Node& node : m_nodes) {
        node.layer->forward(step);
    }
    compareOutputs();
    compareMask();
    const bool isWhole = std::ranges::none_of(m_places, [](const auto& places) {
        return std::ranges::find(places, kNowhere) != places.end();
    });
    if (isWhole) {
        backward(step);
        compareGradients();
    }
    return m_differences;
}

/// Training would change what is compared, and states that stay are no part of a network.
bool isBeyondNetworks(const Json& layerCase)
{
    const Json& config = layerCase["config"];
    const Json call = layerCase.value("call", Json::object());
    const bool isPenalized = std::ranges::any_of(config.items(), [](const auto& entry) {
        return (entry.key().ends_with("_regularizer") || entry.key().ends_with("_constraint")) &&
               !entry.value().is_null();
    });
    // Of the last step alone nobody can tell whether it is hidden.
    const bool isHiddenLast = zeroesHidden(layerCase) && !config["return_sequences"].get<bool>();
    return isPenalized || isHiddenLast || call.value("training", false) || call.contains("mask") ||
           layerCase.contains("calls");
}

} // namespace

bool isNetworkCase(const Json& layerCase)
{
    const Json call = layerCase.value("call", Json::object());
    const bool isPooledMask =
        layerCase["class"] == "GlobalAveragePooling1D" && call.contains("mask");
    const bool isChannelsFirst =
        layerCase["class"] == "Flatten" && layerCase["config"]["data_format"] == "channels_first";
    const bool isOfParts =
        isRecurrent(layerCase) &&
        (layerCase["outputs"].size() > 1 || layerCase["config"].value("time_major", false) ||
         isStacked(layerCase["config"]) || zeroesHidden(layerCase));
    return (hasMask(layerCase.value("input_masks", Json::array())) &&
            !call.contains("attention_mask")) ||
           layerCase.contains("output_masks") || layerCase["class"] == "Embedding" ||
           isPooledMask || isChannelsFirst || isOfParts;
}

std::optional<std::vector<std::string>> compareNetworkCase(const Json& kerasCase)
{
    const Json layerCase = prepared(kerasCase);
    if (isBeyondNetworks(layerCase)) {
        return std::nullopt;
    }
    const auto chain = chainOf(layerCase);
    if (!chain) {
        return std::nullopt;
    }
    const auto differences = NetworkRun(layerCase).compare(*chain);
    return differences ? *differences : std::vector<std::string>{differences.error().message()};
}

} // namespace cannery::tests
