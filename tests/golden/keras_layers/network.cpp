// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/network.h"

#include "core/spec/message_access.h"
#include "tests/golden/keras_layers/optimizers.h"
#include "tests/golden/layer_case.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string_view>

namespace cannery::tests {

namespace {

using ModelJson = nlohmann::json;
using google::protobuf::Message;

constexpr const char* kSoftmax = "_softmax";
constexpr ErrorKind kNoLayer{"golden.no_layer", "There is no layer of ours for {} ({})."};
constexpr ErrorKind kNoRule{"golden.no_rule", "There is no penalty or constraint like {} of {}."};

/// The weight of "recurrent_regularizer" is called otherwise.
std::string weightOf(const std::string& prefix)
{
    static const std::map<std::string, std::string> names{{"recurrent", "recurrent_kernel"},
                                                          {"depthwise", "depthwise_kernel"},
                                                          {"pointwise", "pointwise_kernel"}};
    const auto found = names.find(prefix);
    return found == names.end() ? prefix : found->second;
}

bool setArguments(const ModelJson& config, Message& message)
{
    return std::ranges::all_of(config.items(), [&](const auto& entry) {
        const ModelJson list = entry.value().is_array() || entry.key() != "axis"
                                   ? entry.value()
                                   : ModelJson::array({entry.value()});
        return setArgument(message, entry.key(), list);
    });
}

bool setRegularizer(const ModelJson& object, spec::Regularizer& regularizer)
{
    const std::string name = object["class_name"];
    if (name == "OrthogonalRegularizer") {
        regularizer.mutable_orthogonal()->set_factor(object["config"]["factor"]);
        regularizer.mutable_orthogonal()->set_mode(object["config"]["mode"] == "columns"
                                                       ? spec::OrthogonalMode::columns
                                                       : spec::OrthogonalMode::rows);
        return true;
    }
    return (name == "L1" || name == "L2" || name == "L1L2") &&
           setArguments(object["config"], *regularizer.mutable_l1_l2());
}

bool setConstraint(const ModelJson& object, spec::Constraint& constraint)
{
    const std::map<std::string, Message* (*)(spec::Constraint&)> kinds{
        {"MaxNorm", [](spec::Constraint& c) -> Message* { return c.mutable_max_norm(); }},
        {"MinMaxNorm", [](spec::Constraint& c) -> Message* { return c.mutable_min_max_norm(); }},
        {"UnitNorm", [](spec::Constraint& c) -> Message* { return c.mutable_unit_norm(); }},
        {"NonNeg", [](spec::Constraint& c) -> Message* { return c.mutable_non_negative(); }},
        {"RadialConstraint", [](spec::Constraint& c) -> Message* { return c.mutable_radial(); }}};
    const auto kind = kinds.find(object["class_name"].get<std::string>());
    return kind != kinds.end() && setArguments(object["config"], *kind->second(constraint));
}

spec::LayerWeight& weightIn(spec::NetworkLayer& layer, const std::string& name)
{
    const auto found = std::ranges::find(*layer.mutable_weights(), name, &spec::LayerWeight::name);
    if (found != layer.mutable_weights()->end()) {
        return *found;
    }
    layer.add_weights()->set_name(name);
    return *layer.mutable_weights()->rbegin();
}

/// Initial values are given, so initializers do not matter.
Result<void> setRules(const ModelJson& config, spec::NetworkLayer& layer)
{
    constexpr std::string_view kPenalty = "_regularizer";
    constexpr std::string_view kConstraint = "_constraint";
    for (const auto& [key, object] : config.items()) {
        bool isSet = true;
        if (object.is_null()) {
            continue;
        }
        if (key == "activity_regularizer") {
            isSet = setArguments(object["config"], *layer.mutable_activity_regularizer());
        } else if (key.ends_with(kPenalty)) {
            const std::string name = weightOf(key.substr(0, key.size() - kPenalty.size()));
            isSet = setRegularizer(object, *weightIn(layer, name).mutable_regularizer());
        } else if (key.ends_with(kConstraint)) {
            const std::string name = weightOf(key.substr(0, key.size() - kConstraint.size()));
            isSet = setConstraint(object, *weightIn(layer, name).mutable_constraint());
        }
        if (!isSet) {
            return fail(ErrorCode::Unimplemented, kNoRule, key, layer.name());
        }
    }
    return {};
}

/// The layers that one call of a layer reads: its arguments in order, then those by name, as value
/// and key of an attention are.
std::vector<std::string> inputsOf(const ModelJson& layer)
{
    std::vector<std::string> names;
    for (const ModelJson& argument : layer["inbound_nodes"][0]) {
        names.push_back(argument[0].get<std::string>());
        if (argument.size() < 4) {
            continue;
        }
        for (const char* name : {"value", "key"}) {
            if (argument[3].contains(name) && argument[3][name].is_array()) {
                names.push_back(argument[3][name][0].get<std::string>());
            }
        }
    }
    return names;
}

void addInput(const std::string& name, const ModelJson& batchShape, spec::Experiment& experiment)
{
    spec::FeatureColumn& column = *experiment.add_feature_column();
    column.set_name(name);
    column.mutable_numeric_column()->set_key(name);
    for (std::size_t i = 1; i < batchShape.size(); ++i) {
        column.mutable_numeric_column()->add_shape(batchShape[i]);
    }
    spec::CustomEstimator& estimator = *experiment.mutable_estimator()->mutable_custom_estimator();
    estimator.add_feature_columns(name);
    spec::NetworkLayer& layer = *estimator.mutable_graph()->add_layer();
    const bool hasShape = batchShape.size() > 2;
    layer.set_name(hasShape ? name + "_numbers" : name);
    layer.mutable_input_layer()->add_feature_columns(name);
    if (!hasShape) {
        return;
    }
    // Columns have no shape in a network of ours.
    spec::NetworkLayer& shaped = *estimator.mutable_graph()->add_layer();
    shaped.set_name(name);
    shaped.add_inputs(name + "_numbers");
    for (std::size_t i = 1; i < batchShape.size(); ++i) {
        shaped.mutable_reshape()->add_target_shape(batchShape[i]);
    }
}

/// The layer that gives what this one of Keras does.
std::string valueOf(const std::string& name, const spec::NetworkGraph& graph)
{
    const bool hasSoftmax = std::ranges::any_of(
        graph.layer(), [&](const auto& layer) { return layer.name() == name + kSoftmax; });
    return hasSoftmax ? name + kSoftmax : name;
}

Result<void> addLayer(const ModelJson& keras, const std::vector<std::string>& inputs,
                      bool givesLogits, spec::NetworkGraph& graph)
{
    ModelJson config = keras["config"];
    const std::string name = config["name"];
    const std::string className = keras["class_name"];
    const bool hasSoftmax =
        className == "Dense" && config.value("activation", ModelJson()) == "softmax";
    if (hasSoftmax || (givesLogits && config.value("activation", ModelJson()) == "softmax")) {
        config["activation"] = "linear";
    }
    const std::optional<spec::Layer> own = layerOfKeras(className, config);
    if (!own) {
        return fail(ErrorCode::Unimplemented, kNoLayer, name, className);
    }
    spec::NetworkLayer& layer = *graph.add_layer();
    layer.set_name(name);
    for (const std::string& input : inputs) {
        layer.add_inputs(valueOf(input, graph));
    }
    if (!config.value("trainable", true)) {
        layer.set_trainable(false);
    }
    // Both have the kind under one name.
    const auto* kind =
        spec::NetworkLayer::descriptor()->FindFieldByName(spec::memberField(*own)->name());
    layer.GetReflection()->MutableMessage(&layer, kind)->CopyFrom(*spec::memberOf(*own));
    CANNERY_TRY(setRules(config, layer));
    if (hasSoftmax && !givesLogits) {
        // Ours is a layer of its own.
        spec::NetworkLayer& softmax = *graph.add_layer();
        softmax.set_name(name + kSoftmax);
        softmax.add_inputs(name);
        softmax.mutable_softmax();
    }
    return {};
}

/// The layer of a single output last, as ours wants it.
void moveLast(const std::string& name, spec::NetworkGraph& graph)
{
    auto& layers = *graph.mutable_layer();
    const auto found = std::ranges::find(layers, name, &spec::NetworkLayer::name);
    std::rotate(found, found + 1, layers.end());
}

} // namespace

std::vector<ModelOutput> outputsOfKeras(const nlohmann::json& model)
{
    const ModelJson& config = model["config"];
    if (model["class_name"] == "Sequential") {
        const std::string last = config["layers"].back()["config"]["name"];
        return {{last, last}};
    }
    std::vector<ModelOutput> outputs;
    for (const auto& [name, place] : config["output_layers"].items()) {
        const std::string layer = place[0];
        outputs.push_back({config["output_layers"].is_object() ? name : layer, layer});
    }
    return outputs;
}

Result<void> networkOfKeras(const nlohmann::json& model, const std::vector<std::string>& logits,
                            spec::Experiment& experiment)
{
    const bool isChain = model["class_name"] == "Sequential";
    spec::NetworkGraph& graph =
        *experiment.mutable_estimator()->mutable_custom_estimator()->mutable_graph();
    std::string before;
    for (const ModelJson& layer : model["config"]["layers"]) {
        const std::string name = layer["config"]["name"];
        if (layer["class_name"] == "InputLayer") {
            addInput(name, layer["config"]["batch_input_shape"], experiment);
        } else {
            if (isChain && before.empty()) {
                before = name + "_input";
                addInput(before, layer["config"]["batch_input_shape"], experiment);
            }
            CANNERY_TRY(addLayer(layer, isChain ? std::vector{before} : inputsOf(layer),
                                 std::ranges::find(logits, name) != logits.end(), graph));
        }
        before = name;
    }
    const std::vector<ModelOutput> outputs = outputsOfKeras(model);
    if (outputs.size() == 1) {
        moveLast(valueOf(outputs.front().layer, graph), graph);
    } else {
        for (const ModelOutput& output : outputs) {
            graph.add_outputs(valueOf(output.layer, graph));
        }
    }
    return {};
}

} // namespace cannery::tests
