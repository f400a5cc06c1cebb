// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/layers/lookup.h"
#include "core/layers/sequence_emission.h"

namespace cannery::layers {

namespace {

using kernels::RecurrentCell;
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

/// The nodes of one recurrent layer.
class RecurrentNodes
{
public:
    RecurrentNodes(const EmitContext& context, const RecurrentEmission& layer)
        : m_context(context), m_graph(context.graph), m_layer(layer),
          m_width(kernels::gateCount(layer.cell) * layer.units)
    {}

    storage::EmittedValue emit();

private:
    NodeRef unary(const char* op, const NodeRef& value)
    {
        return m_graph.add(op, op, {value}, {{"T", DType::Float32}});
    }
    NodeRef binary(const char* op, const NodeRef& left, const NodeRef& right)
    {
        return m_graph.add(op, op, {left, right}, {{"T", DType::Float32}});
    }
    NodeRef number(std::int64_t value)
    {
        return m_graph.constant("number", static_cast<std::int32_t>(value));
    }
    NodeRef product(const NodeRef& left, const NodeRef& right)
    {
        return m_graph.add("MatMul", "MatMul", {left, right}, {{"T", DType::Float32}});
    }
    NodeRef reshaped(const NodeRef& value, const NodeRef& shape, DType dtype = DType::Float32)
    {
        return m_graph.add("Reshape", "Reshape", {value, shape},
                           {{"T", dtype}, {"Tshape", DType::Int32}});
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
    std::vector<NodeRef> gates(const NodeRef& sums);
    NodeRef bias(std::int64_t row);
    void projectInput();
    NodeRef nextState(WhileLoop& loop, const NodeRef& sums, const std::vector<std::size_t>& states);
    NodeRef emitLoop();

    const EmitContext& m_context;
    storage::GraphDefBuilder& m_graph;
    RecurrentEmission m_layer;
    std::int64_t m_width;
    NodeRef m_steps;    ///< int32 scalar
    NodeRef m_sums;     ///< products of the input, [steps, batch, m_width]
    NodeRef m_axis;     ///< 1, in the loop
    NodeRef m_kernel;   ///< recurrent, in the loop
    NodeRef m_lastBias; ///< of the recurrent sums of a GRU, in the loop
    NodeRef m_newState; ///< of an LSTM
};

std::vector<NodeRef> RecurrentNodes::gates(const NodeRef& sums)
{
    const std::int64_t count = kernels::gateCount(m_layer.cell);
    const NodeRef split = m_graph.add("Split", "split", {m_axis, sums},
                                      {{"num_split", count}, {"T", DType::Float32}});
    std::vector<NodeRef> parts;
    for (int part = 0; part < count; ++part) {
        parts.push_back({split.node, part});
    }
    return parts;
}

NodeRef RecurrentNodes::bias(std::int64_t row)
{
    const NodeRef& all = m_context.variables[2]->read;
    // Row 0 is added to the products of the input, row 1 to the recurrent ones (reset_after of
    // Keras).
    return m_layer.cell == RecurrentCell::Gru ? gathered("bias", all, number(row), number(0)) : all;
}

void RecurrentNodes::projectInput()
{
    const NodeRef input = nodeRef(m_context.inputs[0].dense);
    const std::int64_t inputs = m_context.layers.value(m_context.node.inputs[0]).width;
    const NodeRef shape = m_graph.add("Shape", "input_shape", {input},
                                      {{"T", DType::Float32}, {"out_type", DType::Int32}});
    m_steps = gathered("steps", shape, number(1), number(0), DType::Int32);
    // One product for all steps, outside of the loop, as in training.
    const NodeRef flat = reshaped(withoutBatchFirst(input), shapeOf({number(-1), number(inputs)}));
    const NodeRef sums =
        m_graph.add("BiasAdd", "BiasAdd", {product(flat, m_context.variables[0]->read), bias(0)},
                    {{"T", DType::Float32}});
    m_sums = reshaped(sums, shapeOf({m_steps, m_context.batchSize, number(m_width)}));
}

/// The output after one step; see recurrent_formulas.h. `states`: output, and state of an LSTM.
NodeRef RecurrentNodes::nextState(WhileLoop& loop, const NodeRef& sums,
                                  const std::vector<std::size_t>& states)
{
    const NodeRef last = loop.current(states[0]);
    const NodeRef recurrent = product(last, m_kernel);
    if (m_layer.cell == RecurrentCell::Simple) {
        return unary("Tanh", binary("AddV2", sums, recurrent));
    }
    // The order of gates in Keras's kernels: input, forget, candidate, output.
    if (m_layer.cell == RecurrentCell::Lstm) {
        const std::vector<NodeRef> parts = gates(binary("AddV2", sums, recurrent));
        const NodeRef kept = binary("Mul", unary("Sigmoid", parts[1]), loop.current(states[1]));
        const NodeRef added = binary("Mul", unary("Sigmoid", parts[0]), unary("Tanh", parts[2]));
        m_newState = binary("AddV2", kept, added);
        return binary("Mul", unary("Sigmoid", parts[3]), unary("Tanh", m_newState));
    }
    // The order of gates in Keras's GRU: update, reset, candidate.
    // The reset gate multiplies the product, after its bias: reset_after of Keras.
    const std::vector<NodeRef> ofInput = gates(sums);
    const std::vector<NodeRef> ofLast = gates(binary("AddV2", recurrent, m_lastBias));
    const NodeRef update = unary("Sigmoid", binary("AddV2", ofInput[0], ofLast[0]));
    const NodeRef reset = unary("Sigmoid", binary("AddV2", ofInput[1], ofLast[1]));
    const NodeRef candidate =
        unary("Tanh", binary("AddV2", ofInput[2], binary("Mul", reset, ofLast[2])));
    return binary("AddV2", candidate, binary("Mul", update, binary("Sub", last, candidate)));
}

NodeRef RecurrentNodes::emitLoop()
{
    const NodeRef units = number(m_layer.units);
    const NodeRef counts =
        m_graph.add("Cast", "step_counts", {nodeRef(m_context.inputs[0].stepCounts)},
                    {{"SrcT", DType::Int64}, {"DstT", DType::Int32}});
    // Filled in step by step; what no step reaches stays 0.
    const NodeRef outputs =
        m_layer.returnSequences ? zerosOf({m_steps, m_context.batchSize, units}) : NodeRef{};
    const auto scope = m_graph.enterScope("while");
    WhileLoop loop(m_graph);
    const std::size_t time = loop.variable(number(0), DType::Int32);
    std::vector<std::size_t> states;
    const NodeRef zeros = zerosOf({m_context.batchSize, units});
    const std::size_t stateCount = m_layer.cell == RecurrentCell::Lstm ? 2 : 1;
    while (states.size() < stateCount) {
        states.push_back(loop.variable(zeros, DType::Float32));
    }
    const std::size_t all =
        m_layer.returnSequences ? loop.variable(outputs, DType::Float32) : states[0];
    loop.setCondition(m_graph.add("Less", "Less",
                                  {loop.merged(time), loop.invariant(m_steps, DType::Int32)},
                                  {{"T", DType::Int32}}));
    m_axis = loop.invariant(number(1), DType::Int32);
    const NodeRef first = loop.invariant(number(0), DType::Int32);
    m_kernel = loop.invariant(m_context.variables[1]->read, DType::Float32);
    if (m_layer.cell == RecurrentCell::Gru) {
        m_lastBias = loop.invariant(bias(1), DType::Float32);
    }
    const NodeRef now = loop.current(time);
    const NodeRef sums = gathered("sums", loop.invariant(m_sums, DType::Float32), now, first);
    const NodeRef isStep = m_graph.add(
        "Less", "is_step", {now, loop.invariant(counts, DType::Int32)}, {{"T", DType::Int32}});
    const NodeRef mask = expanded("mask", isStep, m_axis, DType::Bool);
    const auto kept = [&](const NodeRef& value, std::size_t state) {
        // A row whose steps are over keeps its state, so at the end all rows have that of their
        // last step.
        const NodeRef chosen = m_graph.add("SelectV2", "kept", {mask, value, loop.current(state)},
                                           {{"T", DType::Float32}});
        loop.setNext(state, chosen);
        return chosen;
    };
    const NodeRef output = kept(nextState(loop, sums, states), states[0]);
    if (m_layer.cell == RecurrentCell::Lstm) {
        kept(m_newState, states[1]);
    }
    if (m_layer.returnSequences) {
        const NodeRef place = reshaped(
            now, loop.invariant(shapeOf({number(1), number(1)}), DType::Int32), DType::Int32);
        loop.setNext(all, m_graph.add("TensorScatterUpdate", "outputs",
                                      {loop.current(all), place,
                                       expanded("output", output, first, DType::Float32)},
                                      {{"T", DType::Float32}, {"Tindices", DType::Int32}}));
    }
    loop.setNext(time, m_graph.add("AddV2", "next", {now, m_axis}, {{"T", DType::Int32}}));
    return loop.result(all);
}

storage::EmittedValue RecurrentNodes::emit()
{
    projectInput();
    const NodeRef result = emitLoop();
    if (!m_layer.returnSequences) {
        return {.dense = result.input()};
    }
    return {.dense = withoutBatchFirst(result).input(),
            .stepCounts = m_context.inputs[0].stepCounts};
}

} // namespace

storage::EmittedValue emitRecurrent(const EmitContext& context, const RecurrentEmission& layer)
{
    return RecurrentNodes(context, layer).emit();
}

} // namespace cannery::layers
