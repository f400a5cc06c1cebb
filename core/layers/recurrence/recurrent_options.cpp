// SPDX-License-Identifier: Apache-2.0
#include "core/layers/recurrence/recurrent_options.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "core/layers/recurrence/recurrent_layer.h"
#include "core/layers/spec_options.h"

#include <limits>

namespace cannery::layers {

namespace {

constexpr ErrorKind kRecurrentRows{
    "layers.recurrent_rows",
    "A layer {} reads a sequence, or rows of shape [time, channels], but '{}' has rows of shape "
    "{}: put a layer reshape with a target_shape of these two dimensions before it."};
constexpr ErrorKind kNoUnits{"layers.recurrent_units",
                             "A layer {} has no units: give it at least one, as in units: 16."};
constexpr ErrorKind kTooWide{
    "layers.recurrent_width",
    "A layer {} of {} units gives more numbers for '{}' of shape {} than can be counted: give it "
    "fewer units, or fewer steps."};
constexpr ErrorKind kRecurrentMask{
    "layers.recurrent_mask",
    "The input '{}' of shape {} cannot mask the steps of '{}' of shape {} for a layer {}: a mask "
    "has one number for each step, 0 where it is skipped, so give it the shape {}."};
constexpr ErrorKind kMaskedSequence{
    "layers.masked_sequence",
    "A layer {} cannot mask the sequence '{}' by '{}': its rows have only the steps that count, so "
    "remove that input."};
constexpr ErrorKind kInitialStates{
    "layers.initial_states",
    "A layer {} of '{}' begins with zeros or with {} vector(s), not {}: name as many inputs behind "
    "the steps."};
constexpr ErrorKind kInitialState{
    "layers.initial_state",
    "A layer {} of {} units cannot begin with '{}' of shape {}: give it a vector of {} numbers."};

Result<void> expectSteps(std::string_view layer, const graph::Value& input, std::int64_t units)
{
    if (input.kind == graph::ValueKind::Sequence) {
        return {};
    }
    if (input.kind != graph::ValueKind::Dense) {
        return fail(ErrorCode::InvalidArgument, kInputKind, layer, graph::name(input.kind),
                    input.name, "a sequence, or rows of shape [time, channels]");
    }
    if (graph::rowShape(input).size() != 2) {
        return fail(ErrorCode::InvalidArgument, kRecurrentRows, layer, input.name,
                    graph::shapeText(input));
    }
    // Of both directions.
    const std::int64_t steps = graph::rowShape(input).front();
    if (units > std::numeric_limits<std::int64_t>::max() / 2 / steps) {
        return fail(ErrorCode::InvalidArgument, kTooWide, layer, units, input.name,
                    graph::shapeText(input));
    }
    return {};
}

Result<void> expectMask(std::string_view layer, const graph::Value& mask, const graph::Value& steps)
{
    if (steps.kind == graph::ValueKind::Sequence) {
        return fail(ErrorCode::InvalidArgument, kMaskedSequence, layer, steps.name, mask.name);
    }
    const Shape fitting{graph::rowShape(steps).front(), 1};
    if (graph::rowShape(mask) != fitting.dims) {
        return fail(ErrorCode::InvalidArgument, kRecurrentMask, mask.name, graph::shapeText(mask),
                    steps.name, graph::shapeText(steps), layer, fitting.toString());
    }
    return {};
}

Result<void> expectState(std::string_view layer, const graph::Value& state, std::int64_t units)
{
    CANNERY_TRY(expectDense(layer, state));
    if (graph::rowShape(state) != std::vector<std::int64_t>{units}) {
        return fail(ErrorCode::InvalidArgument, kInitialState, layer, units, state.name,
                    graph::shapeText(state), units);
    }
    return {};
}

template <typename Message>
RecurrentOptions commonOptions(kernels::RecurrentCell cell, const Message& message)
{
    return {.rule = {.cell = cell, .activation = activationOf(message.activation())},
            .units = message.units(),
            .useBias = message.use_bias(),
            .returnSequences = message.return_sequences(),
            .goBackwards = message.go_backwards()};
}

} // namespace

std::string_view nameOf(kernels::RecurrentCell cell)
{
    constexpr std::string_view kNames[] = {"simple_rnn", "lstm", "gru"};
    return kNames[static_cast<std::size_t>(cell)];
}

RecurrentOptions recurrentOptionsOf(const spec::SimpleRnnLayer& message)
{
    return commonOptions(kernels::RecurrentCell::Simple, message);
}

RecurrentOptions recurrentOptionsOf(const spec::LstmLayer& message)
{
    RecurrentOptions options = commonOptions(kernels::RecurrentCell::Lstm, message);
    options.rule.recurrentActivation = activationOf(message.recurrent_activation());
    options.unitForgetBias = message.unit_forget_bias();
    return options;
}

RecurrentOptions recurrentOptionsOf(const spec::GruLayer& message)
{
    RecurrentOptions options = commonOptions(kernels::RecurrentCell::Gru, message);
    options.rule.recurrentActivation = activationOf(message.recurrent_activation());
    options.rule.resetAfter = message.reset_after();
    return options;
}

Result<void> expectRecurrentInputs(std::string_view layer,
                                   std::span<const graph::Value* const> inputs, std::int64_t units,
                                   std::size_t states)
{
    if (inputs.empty()) {
        return expectInputs(layer, inputs, 1);
    }
    if (units < 1) {
        return fail(ErrorCode::InvalidArgument, kNoUnits, layer);
    }
    CANNERY_TRY(expectSteps(layer, *inputs[0], units));
    const bool isMasked = inputs.size() > 1 && graph::rowShape(*inputs[1]).size() == 2;
    if (isMasked) {
        CANNERY_TRY(expectDense(layer, *inputs[1]));
        CANNERY_TRY(expectMask(layer, *inputs[1], *inputs[0]));
    }
    const auto initial = inputs.subspan(isMasked ? 2 : 1);
    if (!initial.empty() && initial.size() != states) {
        return fail(ErrorCode::InvalidArgument, kInitialStates, layer, inputs[0]->name, states,
                    initial.size());
    }
    for (const graph::Value* state : initial) {
        CANNERY_TRY(expectState(layer, *state, units));
    }
    return {};
}

graph::Value recurrentOutput(const graph::Value& input, std::int64_t width, bool returnSequences)
{
    graph::Value output{.width = width};
    if (returnSequences && input.kind == graph::ValueKind::Sequence) {
        output.kind = graph::ValueKind::Sequence;
    } else if (returnSequences) {
        const std::int64_t steps = graph::rowShape(input).front();
        output.shape = {steps, width};
        output.width = steps * width;
    }
    return output;
}

std::vector<LayerVariable> recurrentVariables(const RecurrentOptions& options,
                                              const graph::Value& input)
{
    const std::int64_t width = options.gateWidth();
    const std::int64_t channels = graph::rowShape(input).back();
    std::vector<LayerVariable> variables{
        {.suffix = "kernel", .shape = {channels, width}, .initializer = graph::glorotUniform()},
        {.suffix = "recurrent_kernel",
         .shape = {options.units, width},
         .initializer = graph::orthogonal()}};
    if (!options.useBias) {
        return variables;
    }
    const bool isOpen = options.isLstm() && options.unitForgetBias;
    variables.push_back(
        {.suffix = "bias",
         // Keras's GRU with reset_after has a second row, the bias of the recurrent product.
         .shape = options.isGru() && options.rule.resetAfter ? Shape{2, width} : Shape{width},
         .initializer = graph::zeros(),
         // unit_forget_bias of Keras: the forget gate begins with a bias of 1.
         .pattern = isOpen ? graph::InitialPattern::ForgetGateOpen : graph::InitialPattern::None});
    return variables;
}

} // namespace cannery::layers
