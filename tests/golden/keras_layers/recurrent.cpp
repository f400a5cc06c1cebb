// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

/// Ours keeps no states between calls.
bool isPlainCall(const Json& config)
{
    return !config.value("stateful", false);
}

std::optional<spec::Activation::Function> functionAt(const Json& config, const char* key)
{
    return functionOf({{"activation", config.value(key, Json("linear"))}});
}

template <typename Message>
bool setCell(const Json& config, Message& message)
{
    const auto function = functionOf(config);
    message.set_units(config["units"]);
    message.set_use_bias(config["use_bias"]);
    message.set_activation(function.value_or(spec::Activation::linear));
    return function.has_value() && config.value("dropout", 0.0) == 0.0 &&
           config.value("recurrent_dropout", 0.0) == 0.0;
}

template <typename Message>
bool setGates(const Json& config, Message& message)
{
    const auto function = functionAt(config, "recurrent_activation");
    message.set_recurrent_activation(function.value_or(spec::Activation::linear));
    return setCell(config, message) && function.has_value();
}

/// Sets the layer of a message with members simple_rnn, lstm and gru; null if there is none.
template <typename Owner, typename SetSteps>
bool setRecurrent(const std::string& cell, const Json& config, Owner& owner, SetSteps&& setSteps)
{
    if (cell == "SimpleRNN") {
        setSteps(*owner.mutable_simple_rnn());
        return setCell(config, *owner.mutable_simple_rnn());
    }
    if (cell == "LSTM") {
        setSteps(*owner.mutable_lstm());
        owner.mutable_lstm()->set_unit_forget_bias(config["unit_forget_bias"]);
        return setGates(config, *owner.mutable_lstm());
    }
    if (cell == "GRU") {
        setSteps(*owner.mutable_gru());
        owner.mutable_gru()->set_reset_after(config["reset_after"]);
        return setGates(config, *owner.mutable_gru());
    }
    return false;
}

/// `steps` says how the cell runs; in the classes of one cell that is the same config.
template <typename Owner>
bool convert(const std::string& cell, const Json& config, const Json& steps, Owner& owner)
{
    const auto setSteps = [&](auto& message) {
        message.set_return_sequences(steps["return_sequences"]);
        message.set_go_backwards(steps["go_backwards"]);
    };
    return isPlainCall(steps) && setRecurrent(cell, config, owner, setSteps);
}

bool ofSimpleRnn(const Json& config, spec::Layer& layer)
{
    return convert("SimpleRNN", config, config, layer);
}

bool ofLstm(const Json& config, spec::Layer& layer)
{
    return convert("LSTM", config, config, layer);
}

bool ofGru(const Json& config, spec::Layer& layer)
{
    return convert("GRU", config, config, layer);
}

/// Of one cell. Ours repeats the output of a masked step, which zero_output_for_mask may forbid:
/// see layer_network.cpp.
bool ofRnn(const Json& config, spec::Layer& layer)
{
    const Json& cell = config["cell"];
    std::string name = cell["class_name"];
    if (!name.ends_with("Cell")) {
        return false;
    }
    name.resize(name.size() - std::string_view("Cell").size());
    return convert(name, cell["config"], config, layer);
}

/// Of one layer for both directions. Two outputs (no merge mode) are the halves of ours.
bool ofBidirectional(const Json& config, spec::Layer& layer)
{
    spec::MergeMode::Kind mode = spec::MergeMode::concat;
    const Json& merged = config["merge_mode"];
    const bool isKnown =
        merged.is_null() ||
        (merged.is_string() && spec::MergeMode::Kind_Parse(merged.get<std::string>(), &mode));
    if (!isKnown || config.contains("backward_layer") ||
        config["layer"]["config"].value("time_major", false)) {
        return false;
    }
    spec::BidirectionalLayer& message = *layer.mutable_bidirectional();
    message.set_merge_mode(mode);
    const Json& inner = config["layer"];
    return convert(inner["class_name"], inner["config"], inner["config"], message);
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"Bidirectional", ofBidirectional},
    {"GRU", ofGru},
    {"LSTM", ofLstm},
    {"RNN", ofRnn},
    {"SimpleRNN", ofSimpleRnn},
});

} // namespace

std::span<const ConversionRow> recurrentConversions()
{
    return kConversions;
}

} // namespace cannery::tests
