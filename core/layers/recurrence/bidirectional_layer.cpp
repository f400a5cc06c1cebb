// SPDX-License-Identifier: Apache-2.0
#include "core/layers/recurrence/bidirectional_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/recurrence/sequence_emission.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr std::string_view kBidirectional = "bidirectional";

constexpr ErrorKind kNoDirection{
    "layers.bidirectional_empty",
    "A bidirectional layer has no units to run both ways: give it simple_rnn, lstm or gru with "
    "units, as in lstm {{ units: 16 }}."};
constexpr ErrorKind kTurned{
    "layers.bidirectional_turned",
    "The layer {} of a bidirectional one goes backwards itself, but both directions are read "
    "anyway: remove go_backwards."};
RecurrentOptions directionOf(RecurrentOptions options, bool backwards)
{
    options.goBackwards = backwards;
    options.isDirection = true;
    return options;
}

RecurrentOptions innerOptions(const spec::BidirectionalLayer& message)
{
    if (message.has_simple_rnn()) {
        return recurrentOptionsOf(message.simple_rnn());
    }
    if (message.has_lstm()) {
        return recurrentOptionsOf(message.lstm());
    }
    return message.has_gru() ? recurrentOptionsOf(message.gru()) : RecurrentOptions{};
}

/// The inputs of one direction: steps and mask, and its half of the initial states.
template <typename Input>
std::vector<Input> inputsOf(std::span<const Input> all, std::size_t shared, std::size_t direction)
{
    const std::size_t each = (all.size() - shared) / 2;
    std::vector<Input> inputs(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shared));
    const auto own = all.subspan(shared + direction * each, each);
    inputs.insert(inputs.end(), own.begin(), own.end());
    return inputs;
}

} // namespace

BidirectionalLayer::BidirectionalLayer(const RecurrentOptions& options, spec::MergeMode::Kind mode)
    : m_mode(mode), m_isTurned(options.goBackwards),
      m_directions{{{directionOf(options, false), RecurrentLayer(directionOf(options, false))},
                    {directionOf(options, true), RecurrentLayer(directionOf(options, true))}}}
{}

Result<LayerSignature>
BidirectionalLayer::signature(std::span<const graph::Value* const> inputs) const
{
    const RecurrentOptions& options = m_directions[0].options;
    const std::string_view cell = nameOf(options.rule.cell);
    if (options.units < 1) {
        return fail(ErrorCode::InvalidArgument, kNoDirection);
    }
    if (m_isTurned) {
        return fail(ErrorCode::InvalidArgument, kTurned, cell);
    }
    CANNERY_TRY(
        expectRecurrentInputs(kBidirectional, inputs, options.units, 2 * options.stateCount()));
    LayerSignature signature{.output =
                                 recurrentOutput(*inputs[0], (isConcat() ? 2 : 1) * options.units,
                                                 options.returnSequences)};
    for (const char* direction : {"forward", "backward"}) {
        for (LayerVariable& variable : recurrentVariables(options, *inputs[0])) {
            // Keras's names.
            variable.suffix =
                fmt::format("{}_{}/{}_cell/{}", direction, cell, cell, variable.suffix);
            signature.variables.push_back(std::move(variable));
        }
    }
    return signature;
}

void BidirectionalLayer::prepareDirection(std::size_t index)
{
    Direction& direction = m_directions[index];
    const ValueBuffer& output = *m_buffers.output;
    const std::int64_t units = direction.options.units;
    direction.steps = *m_buffers.inputs[0];
    direction.output = {.kind = output.kind, .width = units, .shape = {units}};
    direction.output.wantsGradient = output.wantsGradient;
    if (output.kind == graph::ValueKind::Dense) {
        const std::int64_t steps = direction.options.returnSequences ? output.shape.front() : 1;
        if (direction.options.returnSequences) {
            direction.output.shape = {steps, units};
        }
        direction.output.width = steps * units;
        const auto size = static_cast<std::size_t>(m_buffers.maxRows * steps * units);
        direction.outputMemory.resize(2 * size);
        direction.output.writable = direction.outputMemory.data();
        direction.output.data = direction.output.writable;
        direction.output.grad = output.grad == nullptr ? nullptr : direction.output.writable + size;
    }
    const bool isMasked = m_buffers.inputs.size() > 1 && m_buffers.inputs[1]->shape.size() == 2;
    LayerBuffers buffers{.inputs = inputsOf(std::span<const ValueBuffer* const>(m_buffers.inputs),
                                            isMasked ? 2 : 1, index),
                         .output = &direction.output,
                         .maxRows = m_buffers.maxRows,
                         .layerIndex = m_buffers.layerIndex};
    buffers.inputs[0] = &direction.steps;
    const std::size_t each = m_buffers.variables.size() / 2;
    const auto first = m_buffers.variables.begin() + static_cast<std::ptrdiff_t>(index * each);
    buffers.variables.assign(first, first + static_cast<std::ptrdiff_t>(each));
    direction.layer.prepare(buffers);
}

void BidirectionalLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    for (std::size_t index = 0; index < m_directions.size(); ++index) {
        prepareDirection(index);
    }
}

/// Where the input of this batch is.
void BidirectionalLayer::bindSteps(const StepContext& step)
{
    const ValueBuffer& input = *m_buffers.inputs[0];
    for (Direction& direction : m_directions) {
        direction.steps.data = input.data;
        direction.steps.stepOffsets = input.stepOffsets;
        direction.steps.grad = input.grad;
    }
    if (input.grad != nullptr) {
        const std::int64_t rows =
            input.kind == graph::ValueKind::Sequence ? input.stepCount() : step.rows;
        const auto size = static_cast<std::size_t>(rows * input.width);
        m_inputGradient.resize(std::max(m_inputGradient.size(), size));
        m_directions[1].steps.grad = m_inputGradient.data();
    }
}

std::int64_t BidirectionalLayer::outputSteps(std::int64_t rows) const
{
    const ValueBuffer& output = *m_buffers.output;
    if (output.kind == graph::ValueKind::Sequence) {
        return m_buffers.inputs[0]->stepCount();
    }
    return rows * (output.width / output.shape.back());
}

void BidirectionalLayer::merge(const StepContext& step)
{
    const kernels::VectorKernels& vectors = kernels::vectorKernels();
    ValueBuffer& output = *m_buffers.output;
    if (output.kind == graph::ValueKind::Sequence) {
        m_memory.bind(m_buffers.inputs[0]->stepOffsets, output);
    }
    const std::int64_t steps = outputSteps(step.rows);
    const std::int64_t units = m_directions[0].options.units;
    const auto view = [&](const ValueBuffer& value) {
        return kernels::ConstMatrixView{value.data, steps, units, units};
    };
    const std::int64_t width = isConcat() ? 2 * units : units;
    const kernels::MatrixView all{output.writable, steps, width, width};
    vectors.copy(step.pool, view(m_directions[0].output), all.columns(0, units));
    const kernels::ConstMatrixView other = view(m_directions[1].output);
    if (isConcat()) {
        vectors.copy(step.pool, other, all.columns(units, units));
    } else if (m_mode == spec::MergeMode::mul) {
        vectors.multiply(step.pool, other, all);
    } else {
        vectors.add(step.pool, other, all);
    }
    if (m_mode == spec::MergeMode::ave) {
        vectors.scale(step.pool, all.flat(), 0.5F);
    }
}

void BidirectionalLayer::forward(const StepContext& step)
{
    bindSteps(step);
    for (Direction& direction : m_directions) {
        direction.layer.forward(step);
    }
    merge(step);
}

void BidirectionalLayer::splitGradient(const StepContext& step)
{
    const kernels::VectorKernels& vectors = kernels::vectorKernels();
    const std::int64_t steps = outputSteps(step.rows);
    const std::int64_t units = m_directions[0].options.units;
    const std::int64_t width = isConcat() ? 2 * units : units;
    const kernels::ConstMatrixView grad{m_buffers.output->grad, steps, width, width};
    for (std::size_t index = 0; index < m_directions.size(); ++index) {
        const std::int64_t first = isConcat() && index == 1 ? units : 0;
        const kernels::MatrixView own{m_directions[index].output.grad, steps, units, units};
        vectors.copy(step.pool, grad.columns(first, units), own);
        if (m_mode == spec::MergeMode::mul) {
            const ValueBuffer& other = m_directions[1 - index].output;
            vectors.multiply(step.pool, {other.data, steps, units, units}, own);
        } else if (m_mode == spec::MergeMode::ave) {
            vectors.scale(step.pool, own.flat(), 0.5F);
        }
    }
}

void BidirectionalLayer::backward(const StepContext& step)
{
    splitGradient(step);
    for (Direction& direction : m_directions) {
        direction.layer.backward(step);
    }
    const ValueBuffer& input = *m_buffers.inputs[0];
    if (input.grad != nullptr) {
        const std::int64_t rows =
            input.kind == graph::ValueKind::Sequence ? input.stepCount() : step.rows;
        kernels::vectorKernels().add(step.pool, m_directions[1].steps.gradient(rows),
                                     input.gradient(rows));
    }
}

storage::EmittedValue BidirectionalLayer::emit(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const bool isMasked = context.inputs.size() > 1 &&
                          graph::rowShape(context.layers.value(context.node.inputs[1])).size() == 2;
    std::vector<storage::NodeRef> outputs;
    storage::EmittedValue result;
    for (std::size_t index = 0; index < m_directions.size(); ++index) {
        const RecurrentOptions& options = m_directions[index].options;
        const auto scope = context.graph.enterScope(
            fmt::format("{}_{}", index == 0 ? "forward" : "backward", nameOf(options.rule.cell)));
        const auto inputs = inputsOf(context.inputs, isMasked ? 2 : 1, index);
        graph::Node node = context.node;
        node.inputs =
            inputsOf(std::span<const graph::ValueId>(context.node.inputs), isMasked ? 2 : 1, index);
        const std::size_t each = context.variables.size() / 2;
        const auto first = context.variables.begin() + static_cast<std::ptrdiff_t>(index * each);
        const storage::EmittedValue output =
            emitRecurrent({context.graph,
                           context.layers,
                           node,
                           inputs,
                           {first, first + static_cast<std::ptrdiff_t>(each)},
                           context.batchSize},
                          options);
        outputs.push_back(nodeRef(output.dense));
        result.stepCounts = output.stepCounts;
    }
    if (isConcat()) {
        const bool everyStep = m_directions[0].options.returnSequences;
        outputs.push_back(context.graph.constant("axis", std::int32_t{everyStep ? 2 : 1}));
        result.dense = context.graph
                           .add("ConcatV2", "concat", outputs,
                                {{"N", 2}, {"T", DType::Float32}, {"Tidx", DType::Int32}})
                           .input();
    } else if (m_mode == spec::MergeMode::mul) {
        result.dense = nodes.multiply(outputs[0], outputs[1]).input();
    } else {
        const storage::NodeRef sum = nodes.add(outputs[0], outputs[1]);
        result.dense =
            (m_mode == spec::MergeMode::sum ? sum : nodes.multiply(sum, nodes.number(0.5F)))
                .input();
    }
    return result;
}

std::unique_ptr<Layer> makeBidirectionalLayer(const spec::Layer& message)
{
    return std::make_unique<BidirectionalLayer>(innerOptions(message.bidirectional()),
                                                message.bidirectional().merge_mode());
}

} // namespace cannery::layers
