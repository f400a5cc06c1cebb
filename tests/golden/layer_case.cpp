// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/layer_case.h"

#include "core/layers/activity_penalty_layer.h"
#include "core/layers/layer_catalog.h"
#include "core/layers/layer_weights.h"
#include "core/plan/weights/weight_penalty.h"
#include "kernels/device/flush_denormals.h"
#include "tests/golden/json_tensor.h"
#include "tests/golden/keras_layers/attention.h"
#include "tests/golden/keras_layers/conversions.h"
#include "tests/golden/keras_layers/weights.h"
#include "tests/golden/layer_network.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;
using Numbers = std::vector<std::int64_t>;

bool isDefault(const Json& config, const char* key, const Json& value)
{
    return !config.contains(key) || config[key].is_null() || config[key] == value;
}

/// Nothing if no group has the class.
Conversion conversionOf(std::string_view kerasClass)
{
    for (const auto group :
         {activationConversions(), attentionConversions(), convolutionConversions(),
          coreConversions(), mergingConversions(), normalizationConversions(), pictureConversions(),
          poolingConversions(), recurrentConversions(), reshapingConversions()}) {
        for (const ConversionRow& row : group) {
            if (row.kerasClass == kerasClass) {
                return row.convert;
            }
        }
    }
    return nullptr;
}

const std::set<std::string>& recurrentClasses()
{
    static const std::set<std::string> classes{"Bidirectional", "GRU", "LSTM", "RNN", "SimpleRNN"};
    return classes;
}

/// The inputs of a layer of ours: those of the case, then what a recurrent layer of Keras takes as
/// arguments of the call, which have to be inputs of ours: the mask, a number for each step, and
/// what the states begin with.
Json inputsOf(const Json& layerCase)
{
    Json inputs = layerCase["inputs"];
    const Json call = layerCase.value("call", Json::object());
    if (recurrentClasses().contains(layerCase["class"])) {
        if (call.contains("mask")) {
            inputs.push_back(call["mask"]);
            inputs.back()["shape"].push_back(1);
        }
        for (const Json& state : call.value("initial_state", Json::array())) {
            inputs.push_back(state);
        }
    }
    return inputs;
}

/// The gradients of all of them.
Json inputGradientsOf(const Json& layerCase)
{
    Json gradients = layerCase["input_gradients"];
    const Json call = layerCase.value("call", Json::object());
    if (recurrentClasses().contains(layerCase["class"])) {
        if (call.contains("mask")) {
            Json zeros = call["mask"];
            zeros["values"] = std::vector<float>(zeros["values"].size(), 0.0F);
            gradients.push_back(std::move(zeros));
        }
        for (const Json& gradient : layerCase.value("call_gradients", Json::array())) {
            gradients.push_back(gradient);
        }
    }
    return gradients;
}

/// A layer with memory of its own: one row of buffers for each input, the output and the variables.
class LayerRun
{
public:
    LayerRun(const Json& layerCase, spec::Layer message, std::unique_ptr<layers::Layer> layer)
        : m_case(layerCase), m_message(std::move(message)), m_tensors(inputsOf(layerCase)),
          m_expectedGradients(inputGradientsOf(layerCase)), m_layer(std::move(layer))
    {}

    /// Nothing if ours has not the penalties or constraints of the case.
    Result<std::optional<std::vector<std::string>>> compare();

private:
    void describeInputs();
    void bind(const layers::LayerSignature& signature);
    void bindVariables(const layers::LayerSignature& signature);
    void expect(const std::string& what, std::span<const float> actual, const Json& tensor);
    Json expectedOutput() const;
    Json expectedGradient(std::size_t input) const;
    void compareGradients();
    void compareLosses(const layers::StepContext& step);

    const Json& m_case;
    spec::Layer m_message;
    const Json m_tensors; ///< of the inputs
    const Json m_expectedGradients;
    std::unique_ptr<layers::Layer> m_layer;
    std::int64_t m_rows = 0;
    std::deque<graph::Value> m_inputs;
    std::vector<layers::LayerVariable> m_variables;
    std::deque<std::vector<float>> m_memory; ///< grows without moving
    std::deque<layers::ValueBuffer> m_values;
    layers::ValueBuffer m_output;
    std::deque<std::vector<layers::GradientSegment>> m_gradients; ///< by variable
    layers::LayerBuffers m_buffers;
    std::vector<std::string> m_differences;
};

void LayerRun::describeInputs()
{
    for (const Json& input : m_tensors) {
        auto shape = input["shape"].get<Numbers>();
        m_rows = shape.front();
        shape.erase(shape.begin());
        graph::Value value{.name = "input"};
        value.width = Shape(shape).elementCount();
        value.shape = shape.size() > 1 ? shape : Numbers();
        m_inputs.push_back(std::move(value));
    }
}

void LayerRun::bind(const layers::LayerSignature& signature)
{
    const auto memory = [&](std::vector<float> values) {
        return m_memory.emplace_back(std::move(values)).data();
    };
    const auto fill = [&](layers::ValueBuffer& buffer, const graph::Value& value,
                          std::vector<float> values) {
        buffer.width = value.width;
        buffer.shape = graph::rowShape(value);
        const std::size_t size = values.size();
        buffer.writable = memory(std::move(values));
        buffer.data = buffer.writable;
        // Whatever a layer leaves unset shows as a wrong gradient.
        buffer.grad = memory(std::vector<float>(size, 777.0F));
    };
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        fill(m_values.emplace_back(), m_inputs[i], floatsOf(m_tensors[i]));
        m_buffers.inputs.push_back(&m_values.back());
    }
    fill(m_output, signature.output,
         std::vector<float>(static_cast<std::size_t>(m_rows * signature.output.width)));
    m_buffers.output = &m_output;
    m_buffers.maxRows = m_rows;
    bindVariables(signature);
}

void LayerRun::bindVariables(const layers::LayerSignature& signature)
{
    for (std::size_t i = 0; i < signature.variables.size(); ++i) {
        std::vector<float>& values = m_memory.emplace_back(floatsOf(m_case["weights"][i]));
        const Shape& shape = signature.variables[i].shape;
        const std::int64_t rows = shape.rank() == 2 ? shape.dims[0] : 1;
        layers::VariableBuffer buffer{
            .values = kernels::matrixView(std::span<float>(values), rows,
                                          static_cast<std::int64_t>(values.size()) / rows)};
        m_gradients.emplace_back();
        buffer.gradient = signature.variables[i].trainable ? &m_gradients.back() : nullptr;
        m_buffers.variables.push_back(buffer);
    }
}

void LayerRun::expect(const std::string& what, std::span<const float> actual, const Json& tensor)
{
    if (auto difference = differenceOf(what, actual, floatsOf(tensor), toleranceOf(m_case))) {
        m_differences.push_back(*std::move(difference));
    }
}

/// TensorFlow's selu takes e^x - 1, which is 0 for x from -6e-8 on, and then the slope on the right
/// of 0; ours is exact there. Of no use to follow, so these elements are left out.
Json LayerRun::expectedGradient(std::size_t input) const
{
    Json gradient = m_expectedGradients[input];
    if (m_case["config"].value("activation", Json()) == "selu" && m_case["class"] == "Activation") {
        const layers::ValueBuffer& buffer = m_values[input];
        for (std::size_t i = 0; i < gradient["values"].size(); ++i) {
            if (buffer.data[i] < 0.0F && buffer.data[i] > -6e-8F) {
                gradient["values"][i] = buffer.grad[i];
            }
        }
    }
    return gradient;
}

/// TensorFlow's softmax of numbers with NaN or infinity among them gives 0 for the others, ours NaN
/// for all, as their sum is.
Json LayerRun::expectedOutput() const
{
    Json output = m_case["outputs"][0];
    if (m_case["config"].value("activation", Json()) == "softmax" || m_case["class"] == "Softmax") {
        for (std::size_t i = 0; i < output["values"].size(); ++i) {
            if (std::isnan(m_output.data[i]) && output["values"][i] == 0.0) {
                output["values"][i] = "NaN";
            }
        }
    }
    return output;
}

void LayerRun::compareGradients()
{
    if (m_case.value("only_output", false)) {
        return;
    }
    if (m_case.value("key_is_value", false)) {
        const std::span<float> value = m_values[1].gradient(m_rows).flat();
        const std::span<float> key = m_values[2].gradient(m_rows).flat();
        std::ranges::transform(value, key, value.begin(), std::plus<>());
        std::ranges::fill(key, 0.0F);
    }
    // Integer inputs have none.
    for (std::size_t i = 0; i < m_case["input_gradients"].size(); ++i) {
        expect(fmt::format("the gradient of input {}", i), m_values[i].gradient(m_rows).flat(),
               expectedGradient(i));
    }
    for (std::size_t i = 0; i < m_gradients.size(); ++i) {
        const std::string name = m_case["weights"][i]["name"];
        if (m_buffers.variables[i].gradient != nullptr) {
            expect("the gradient of " + name, m_gradients[i].front().dense.flat(),
                   m_case["weight_gradients"][name]);
        }
        if (const auto updates = m_case.find("updates");
            updates != m_case.end() && updates->contains(name)) {
            expect(name + " after the call", m_buffers.variables[i].values.flat(),
                   (*updates)[name]);
        }
    }
}

/// Penalties: of the output, then of the weights in their order.
void LayerRun::compareLosses(const layers::StepContext& step)
{
    std::vector<float> losses;
    if (m_message.has_activity_regularizer()) {
        layers::ActivityPenaltyLayer layer(m_message.activity_regularizer());
        layers::ValueBuffer copy = m_output;
        layer.prepare({.inputs = {&m_output}, .output = &copy, .maxRows = m_rows});
        losses.push_back(static_cast<float>(layer.penalty(step)));
    }
    for (std::size_t i = 0; i < m_variables.size(); ++i) {
        if (m_variables[i].regularizer.kind_case() != spec::Regularizer::KIND_NOT_SET) {
            plan::WeightPenalty penalty(m_variables[i].regularizer, m_variables[i].shape);
            losses.push_back(static_cast<float>(
                penalty.compute(step.pool, m_buffers.variables[i].values.flat(), {})));
        }
    }
    if (!losses.empty() || m_case.contains("losses")) {
        expect("the losses", losses, {{"values", m_case.value("losses", Json::array())}});
    }
}

Result<std::optional<std::vector<std::string>>> LayerRun::compare()
{
    describeInputs();
    std::vector<const graph::Value*> inputs;
    for (const graph::Value& input : m_inputs) {
        inputs.push_back(&input);
    }
    CANNERY_TRY_ASSIGN(layers::LayerSignature signature, m_layer->signature(inputs));
    if (!takeWeightRules(m_case["config"], signature.variables, m_message)) {
        return std::nullopt;
    }
    CANNERY_TRY(
        layers::setWeights({.name = "layer", .layer = m_message, .inputs = {}, .variables = {}},
                           true, signature.variables));
    m_variables = signature.variables;
    bind(signature);
    m_layer->prepare(m_buffers);
    for (std::size_t i = 0; i < m_gradients.size(); ++i) {
        for (layers::GradientSegment& segment : m_gradients[i]) {
            std::vector<float>& memory =
                m_memory.emplace_back(m_case["weights"][i]["values"].size(), 777.0F);
            segment.dense =
                kernels::matrixView(std::span<float>(memory), m_buffers.variables[i].values.rows,
                                    m_buffers.variables[i].values.cols);
        }
    }
    m_layer->bindStatistics(
        m_memory.emplace_back(static_cast<std::size_t>(m_layer->statisticsCount())));
    const bool isTraining = m_case.contains("call") && m_case["call"].value("training", false);
    kernels::ThreadPool pool(2);
    std::vector<layers::Worker> workers(2);
    const layers::StepContext step{.pool = pool,
                                   .workers = workers,
                                   .mode =
                                       isTraining ? layers::Mode::Train : layers::Mode::Evaluate,
                                   .rows = m_rows};
    const kernels::FlushDenormals flush; // as steps do, and TensorFlow
    m_layer->forward(step);
    expect("the output", m_output.values(m_rows).flat(), expectedOutput());
    compareLosses(step);
    // README.md: the gradient of a sum with these factors.
    for (std::int64_t i = 0; i < m_rows * m_output.width; ++i) {
        m_output.grad[i] = static_cast<float>((7 * i + 3) % 11 - 5) / 8.0F;
    }
    m_layer->backward(step);
    if (isTraining) {
        m_layer->updateStatistics(1.0F);
    }
    compareGradients();
    return std::optional(m_differences);
}

/// What no layer of ours does, whatever its class.
bool isBeyondUs(const Json& layerCase)
{
    const Json& config = layerCase["config"];
    const Json call = layerCase.value("call", Json::object());
    return !isDefault(config, "data_format", "channels_last") ||
           layerCase.contains("input_masks") ||
           (call.contains("mask") && !recurrentClasses().contains(layerCase["class"])) ||
           (layerCase["inputs"][0]["shape"].size() < 2 && layerCase["class"] != "Flatten");
}

} // namespace

std::optional<spec::Layer> layerOfKeras(const std::string& className, const nlohmann::json& config)
{
    const Conversion convert = conversionOf(className);
    spec::Layer layer;
    return convert != nullptr && convert(config, layer) ? std::optional(layer) : std::nullopt;
}

std::optional<std::vector<std::string>> compareLayerCase(const nlohmann::json& kerasCase)
{
    if (isNetworkCase(kerasCase)) {
        return compareNetworkCase(kerasCase);
    }
    const Json layerCase = withMasksAsInputs(kerasCase);
    if (isBeyondUs(layerCase)) {
        return std::nullopt;
    }
    const auto message = layerOfKeras(layerCase["class"], layerCase["config"]);
    if (!message) {
        return std::nullopt;
    }
    Result<std::unique_ptr<layers::Layer>> layer = layers::makeLayer(*message);
    if (!layer) {
        return std::vector<std::string>{layer.error().message()};
    }
    if (layerCase["config"].value("trainable", true) == false) {
        (*layer)->freeze();
    }
    const auto differences = LayerRun(layerCase, *message, *std::move(layer)).compare();
    return differences ? *differences : std::vector<std::string>{differences.error().message()};
}

} // namespace cannery::tests
