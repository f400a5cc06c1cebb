// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/recurrence/recurrent_cell_nodes.h"
#include "core/layers/recurrence/sequence_emission.h"

namespace cannery::layers {

namespace {

using storage::NodeRef;

/// tf.while_loop in a graph: values enter a frame, are merged with those of the next iteration, and
/// leave it when the condition is false. First all variables, then the condition, then the body.
/// What the body reads from outside must enter too, constants included.
class WhileLoop
{
public:
    explicit WhileLoop(storage::GraphDefBuilder& graph) : m_graph(graph), m_frame(graph.scope()) {}

    NodeRef invariant(const NodeRef& value, DType dtype) { return enter(value, dtype, true); }
    /// Returns its index.
    std::size_t variable(const NodeRef& initial, DType dtype)
    {
        // The merge refers to a node that comes later, so its name is fixed beforehand and checked
        // below.
        const std::string next = fmt::format("NextIteration_{}", m_variables.size());
        const NodeRef merge =
            m_graph.add("Merge", "Merge", {enter(initial, dtype, false), {m_frame + "/" + next, 0}},
                        {{"T", dtype}, {"N", 2}});
        m_variables.push_back({.dtype = dtype, .next = next, .merge = merge});
        return m_variables.size() - 1;
    }
    /// A variable as the condition sees it.
    const NodeRef& merged(std::size_t index) const { return m_variables[index].merge; }
    void setCondition(const NodeRef& condition)
    {
        const NodeRef goesOn = m_graph.add("LoopCond", "LoopCond", {condition});
        for (Variable& variable : m_variables) {
            variable.choice =
                m_graph.add("Switch", "Switch", {variable.merge, goesOn}, {{"T", variable.dtype}});
        }
    }
    /// A variable as the body sees it.
    NodeRef current(std::size_t index) const { return {m_variables[index].choice.node, 1}; }
    void setNext(std::size_t index, const NodeRef& value)
    {
        const Variable& variable = m_variables[index];
        const NodeRef added =
            m_graph.add("NextIteration", variable.next, {value}, {{"T", variable.dtype}});
        CANNERY_CHECK(added.node == m_frame + "/" + variable.next);
    }
    NodeRef result(std::size_t index)
    {
        const Variable& variable = m_variables[index];
        return m_graph.add("Exit", "Exit", {{variable.choice.node, 0}}, {{"T", variable.dtype}});
    }

private:
    struct Variable
    {
        DType dtype = DType::Float32;
        std::string next;
        NodeRef merge;
        NodeRef choice; ///< output 0 leaves the loop, output 1 goes on
    };
    NodeRef enter(const NodeRef& value, DType dtype, bool isConstant)
    {
        return m_graph.add("Enter", "Enter", {value},
                           {{"T", dtype}, {"frame_name", m_frame}, {"is_constant", isConstant}});
    }

    storage::GraphDefBuilder& m_graph;
    std::string m_frame;
    std::vector<Variable> m_variables;
};

/// The nodes of a recurrent layer over a sequence.
class SequenceNodes
{
public:
    SequenceNodes(const EmitContext& context, const RecurrentOptions& options)
        : m_context(context), m_graph(context.graph), m_nodes(context.graph), m_options(options),
          m_cell(context.graph, options)
    {}

    storage::EmittedValue emit();

private:
    NodeRef number(std::int64_t value)
    {
        return m_graph.constant("number", static_cast<std::int32_t>(value));
    }
    NodeRef shapeOf(const std::vector<NodeRef>& dims)
    {
        return m_graph.add("Pack", "shape", dims,
                           {{"N", static_cast<std::int64_t>(dims.size())}, {"T", DType::Int32}});
    }
    NodeRef zerosOf(const std::vector<NodeRef>& dims)
    {
        return m_graph.add("Fill", "zeros", {shapeOf(dims), m_graph.constant("zero", 0.0F)},
                           {{"T", DType::Float32}, {"index_type", DType::Int32}});
    }
    NodeRef withoutBatchFirst(const NodeRef& sequence)
    {
        // Time first, as the loop gathers one time after the other.
        return m_graph.add("Transpose", "transpose",
                           {sequence, m_graph.constant("perm", std::vector<std::int32_t>{1, 0, 2})},
                           {{"T", DType::Float32}, {"Tperm", DType::Int32}});
    }
    NodeRef gathered(const char* name, const NodeRef& from, const NodeRef& place,
                     const NodeRef& axis, DType dtype = DType::Float32)
    {
        return m_graph.add(
            "GatherV2", name, {from, place, axis},
            {{"Tparams", dtype}, {"Tindices", DType::Int32}, {"Taxis", DType::Int32}});
    }
    NodeRef expanded(const char* name, const NodeRef& value, const NodeRef& axis, DType dtype)
    {
        return m_graph.add("ExpandDims", name, {value, axis},
                           {{"T", dtype}, {"Tdim", DType::Int32}});
    }
    NodeRef counts() const { return nodeRef(m_context.inputs[0].stepCounts); }
    NodeRef turned(const NodeRef& sequence);
    bool isGiven() const { return m_context.inputs.size() > 1; }
    void projectInput();
    std::vector<NodeRef> beginning();
    void enterCell(WhileLoop& loop, std::vector<NodeRef> kernels, const NodeRef& bias,
                   const NodeRef& axis);
    NodeRef emitStep(WhileLoop& loop, const NodeRef& sums, const NodeRef& mask,
                     const std::vector<std::size_t>& states);
    NodeRef emitLoop();
    NodeRef ofRowsWithSteps(const NodeRef& last);

    const EmitContext& m_context;
    storage::GraphDefBuilder& m_graph;
    storage::FloatNodes m_nodes;
    RecurrentOptions m_options;
    CellNodes m_cell;
    NodeRef m_steps; ///< int32 scalar
    NodeRef m_sums;  ///< products of the input, [steps, batch, gates]
};

/// The steps of each row from the last to the first; the padding stays behind them.
NodeRef SequenceNodes::turned(const NodeRef& sequence)
{
    return m_graph.add("ReverseSequence", "turned", {sequence, counts()},
                       {{"T", DType::Float32}, {"Tlen", DType::Int64}, {"seq_dim", 1}});
}

void SequenceNodes::projectInput()
{
    NodeRef input = nodeRef(m_context.inputs[0].dense);
    if (m_options.goBackwards) {
        input = turned(input);
    }
    const auto channels =
        static_cast<std::int32_t>(m_context.layers.value(m_context.node.inputs[0]).width);
    const NodeRef shape = m_graph.add("Shape", "input_shape", {input},
                                      {{"T", DType::Float32}, {"out_type", DType::Int32}});
    m_steps = gathered("steps", shape, number(1), number(0), DType::Int32);
    // One product for all steps, outside of the loop, as in training.
    const NodeRef flat = m_nodes.reshape(withoutBatchFirst(input), {-1, channels});
    m_sums =
        m_nodes.reshape(m_cell.project(m_context, flat),
                        shapeOf({m_steps, m_context.batchSize, number(m_options.gateWidth())}));
}

/// Output, and state of an LSTM.
std::vector<NodeRef> SequenceNodes::beginning()
{
    if (!isGiven()) {
        return std::vector<NodeRef>(m_options.stateCount(),
                                    zerosOf({m_context.batchSize, number(m_options.units)}));
    }
    std::vector<NodeRef> states;
    for (const storage::EmittedValue& state : m_context.inputs.subspan(1)) {
        states.push_back(nodeRef(state.dense));
    }
    return states;
}

/// Lets enter what the cell reads; outside of the loop its kernels are cut.
void SequenceNodes::enterCell(WhileLoop& loop, std::vector<NodeRef> kernels, const NodeRef& bias,
                              const NodeRef& axis)
{
    for (NodeRef& kernel : kernels) {
        kernel = loop.invariant(kernel, DType::Float32);
    }
    m_cell.bind(std::move(kernels), bias.node.empty() ? bias : loop.invariant(bias, DType::Float32),
                axis);
    m_cell.takeConstantsFrom([this, &loop](float value) {
        return loop.invariant(m_graph.constant("constant", value), DType::Float32);
    });
}

/// One step: the next values of the states. Returns the output.
NodeRef SequenceNodes::emitStep(WhileLoop& loop, const NodeRef& sums, const NodeRef& mask,
                                const std::vector<std::size_t>& states)
{
    const auto kept = [&](const NodeRef& value, std::size_t state) {
        // A row whose steps are over keeps its state, so at the end all rows have that of their
        // last step.
        const NodeRef chosen = m_graph.add("SelectV2", "kept", {mask, value, loop.current(state)},
                                           {{"T", DType::Float32}});
        loop.setNext(state, chosen);
        return chosen;
    };
    const CellState next =
        m_cell.next(sums, {.output = loop.current(states[0]),
                           .state = m_options.isLstm() ? loop.current(states[1]) : NodeRef{}});
    const NodeRef output = kept(next.output, states[0]);
    if (m_options.isLstm()) {
        kept(next.state, states[1]);
    }
    return output;
}

NodeRef SequenceNodes::emitLoop()
{
    const NodeRef rowCounts = m_graph.add("Cast", "step_counts", {counts()},
                                          {{"SrcT", DType::Int64}, {"DstT", DType::Int32}});
    // Filled in step by step; what no step reaches stays 0.
    const NodeRef outputs = m_options.returnSequences
                                ? zerosOf({m_steps, m_context.batchSize, number(m_options.units)})
                                : NodeRef{};
    const std::vector<NodeRef> kernels = m_cell.recurrentKernels(m_context);
    const NodeRef bias = m_cell.hasRecurrentBias() ? m_cell.recurrentBias(m_context) : NodeRef{};
    const auto scope = m_graph.enterScope("while");
    WhileLoop loop(m_graph);
    const std::size_t time = loop.variable(number(0), DType::Int32);
    std::vector<std::size_t> states;
    for (const NodeRef& state : beginning()) {
        states.push_back(loop.variable(state, DType::Float32));
    }
    const std::size_t all =
        m_options.returnSequences ? loop.variable(outputs, DType::Float32) : states[0];
    loop.setCondition(m_graph.add("Less", "Less",
                                  {loop.merged(time), loop.invariant(m_steps, DType::Int32)},
                                  {{"T", DType::Int32}}));
    const NodeRef axis = loop.invariant(number(1), DType::Int32);
    const NodeRef first = loop.invariant(number(0), DType::Int32);
    enterCell(loop, kernels, bias, axis);
    const NodeRef now = loop.current(time);
    const NodeRef sums = gathered("sums", loop.invariant(m_sums, DType::Float32), now, first);
    const NodeRef isStep = m_graph.add(
        "Less", "is_step", {now, loop.invariant(rowCounts, DType::Int32)}, {{"T", DType::Int32}});
    const NodeRef output =
        emitStep(loop, sums, expanded("mask", isStep, axis, DType::Bool), states);
    if (m_options.returnSequences) {
        const NodeRef place =
            m_graph.add("Reshape", "place",
                        {now, loop.invariant(shapeOf({number(1), number(1)}), DType::Int32)},
                        {{"T", DType::Int32}, {"Tshape", DType::Int32}});
        loop.setNext(all, m_graph.add("TensorScatterUpdate", "outputs",
                                      {loop.current(all), place,
                                       expanded("output", output, first, DType::Float32)},
                                      {{"T", DType::Float32}, {"Tindices", DType::Int32}}));
    }
    loop.setNext(time, m_graph.add("AddV2", "next", {now, axis}, {{"T", DType::Int32}}));
    return loop.result(all);
}

/// A row without steps shows zeros, not what its state began with.
NodeRef SequenceNodes::ofRowsWithSteps(const NodeRef& last)
{
    if (!isGiven()) {
        return last;
    }
    const NodeRef none = m_graph.constant("no_steps", std::int64_t{0});
    const NodeRef hasSteps =
        m_graph.add("Greater", "has_steps", {counts(), none}, {{"T", DType::Int64}});
    return m_nodes.select(expanded("has_steps", hasSteps, number(1), DType::Bool), last,
                          m_nodes.number(0.0F));
}

storage::EmittedValue SequenceNodes::emit()
{
    projectInput();
    const NodeRef result = emitLoop();
    if (!m_options.returnSequences) {
        return {.dense = ofRowsWithSteps(result).input()};
    }
    NodeRef steps = withoutBatchFirst(result);
    if (m_options.goBackwards && m_options.isDirection) {
        steps = turned(steps);
    }
    return {.dense = steps.input(), .stepCounts = m_context.inputs[0].stepCounts};
}

} // namespace

storage::EmittedValue emitRecurrent(const EmitContext& context, const RecurrentOptions& options)
{
    const graph::Value& input = context.layers.value(context.node.inputs[0]);
    if (input.kind == graph::ValueKind::Sequence) {
        return SequenceNodes(context, options).emit();
    }
    return {.dense = emitUnrolled(context, options).input()};
}

} // namespace cannery::layers
