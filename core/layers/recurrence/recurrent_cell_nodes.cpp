// SPDX-License-Identifier: Apache-2.0
#include "core/layers/recurrence/recurrent_cell_nodes.h"

#include "core/layers/activations/activation_emission.h"
#include "core/layers/inputs/lookup.h"

#include <algorithm>
#include <numbers>

namespace cannery::layers {

using storage::NodeRef;

NodeRef CellNodes::bias(const EmitContext& context, int row) const
{
    const NodeRef& all = context.variables[2]->read;
    if (!hasRecurrentBias()) {
        return all;
    }
    // Row 0 is added to the products of the input, row 1 to the recurrent ones (reset_after of
    // Keras).
    storage::GraphDefBuilder& graph = m_nodes.graph();
    const NodeRef rows =
        graph.add("Split", "bias_rows", {graph.constant("bias_axis", std::int32_t{0}), all},
                  {{"num_split", 2}, {"T", DType::Float32}});
    return m_nodes.flat(rows.at(row));
}

std::vector<NodeRef> CellNodes::recurrentKernels(const EmitContext& context) const
{
    const NodeRef& all = context.variables[1]->read;
    if (!m_options.rule.resetsBefore()) {
        return {all};
    }
    storage::GraphDefBuilder& graph = m_nodes.graph();
    const NodeRef split = graph.add("Split", "recurrent_kernels",
                                    {graph.constant("kernel_axis", std::int32_t{1}), all},
                                    {{"num_split", 3}, {"T", DType::Float32}});
    return {split.at(0), split.at(1), split.at(2)};
}

NodeRef CellNodes::project(const EmitContext& context, const NodeRef& rows) const
{
    const NodeRef product = m_nodes.product(rows, context.variables[0]->read);
    return m_options.useBias ? m_nodes.apply("BiasAdd", {product, bias(context, 0)}) : product;
}

/// As emitActivation(), whose constants would stand outside of a loop.
NodeRef CellNodes::activated(kernels::Activation activation, const NodeRef& sums) const
{
    if (m_constant && activation == kernels::Activation::HardSigmoid) {
        const NodeRef line =
            m_nodes.add(m_nodes.multiply(sums, m_constant(0.2F)), m_constant(0.5F));
        return m_nodes.larger(m_nodes.smaller(line, m_constant(1.0F)), m_constant(0.0F));
    }
    if (m_constant && activation == kernels::Activation::Gelu) {
        const NodeRef root = m_constant(static_cast<float>(std::numbers::sqrt2));
        const NodeRef error = m_nodes.apply("Erf", {m_nodes.divide(sums, root)});
        return m_nodes.multiply(m_nodes.multiply(m_constant(0.5F), sums),
                                m_nodes.add(m_constant(1.0F), error));
    }
    return emitActivation(m_nodes.graph(), activation, sums);
}

std::vector<NodeRef> CellNodes::gates(const NodeRef& sums) const
{
    const std::int64_t count = kernels::gateCount(m_options.rule.cell);
    const NodeRef split = m_nodes.graph().add("Split", "split", {m_axis, sums},
                                              {{"num_split", count}, {"T", DType::Float32}});
    std::vector<NodeRef> parts;
    for (int part = 0; part < count; ++part) {
        parts.push_back(split.at(part));
    }
    return parts;
}

/// The order of gates in Keras's kernels: input, forget, candidate, output.
CellState CellNodes::nextLstm(const NodeRef& sums, const CellState& last) const
{
    const NodeRef recurrent = m_nodes.product(last.output, m_kernels[0]);
    const std::vector<NodeRef> parts = gates(m_nodes.add(sums, recurrent));
    const NodeRef kept = m_nodes.multiply(ofGate(parts[1]), last.state);
    const NodeRef added = m_nodes.multiply(ofGate(parts[0]), ofOutput(parts[2]));
    const NodeRef state = m_nodes.add(kept, added);
    return {.output = m_nodes.multiply(ofGate(parts[3]), ofOutput(state)), .state = state};
}

/// z h + (1 - z) n
CellState CellNodes::mixed(const NodeRef& update, const NodeRef& candidate,
                           const CellState& last) const
{
    const NodeRef change = m_nodes.multiply(update, m_nodes.subtract(last.output, candidate));
    return {.output = m_nodes.add(candidate, change), .state = {}};
}

/// The order of gates in Keras's GRU: update, reset, candidate. The reset gate multiplies the
/// product, after its bias: reset_after of Keras.
CellState CellNodes::nextGru(const NodeRef& sums, const CellState& last) const
{
    const NodeRef product = m_nodes.product(last.output, m_kernels[0]);
    const std::vector<NodeRef> ofInput = gates(sums);
    const std::vector<NodeRef> ofLast =
        gates(hasRecurrentBias() ? m_nodes.add(product, m_bias) : product);
    const NodeRef update = ofGate(m_nodes.add(ofInput[0], ofLast[0]));
    const NodeRef reset = ofGate(m_nodes.add(ofInput[1], ofLast[1]));
    const NodeRef candidate = ofOutput(m_nodes.add(ofInput[2], m_nodes.multiply(reset, ofLast[2])));
    return mixed(update, candidate, last);
}

CellState CellNodes::nextEarlyGru(const NodeRef& sums, const CellState& last) const
{
    const std::vector<NodeRef> ofInput = gates(sums);
    const auto sum = [&](std::size_t gate, const NodeRef& from) {
        return m_nodes.add(ofInput[gate], m_nodes.product(from, m_kernels[gate]));
    };
    const NodeRef update = ofGate(sum(0, last.output));
    const NodeRef reset = ofGate(sum(1, last.output));
    return mixed(update, ofOutput(sum(2, m_nodes.multiply(reset, last.output))), last);
}

CellState CellNodes::next(const NodeRef& sums, const CellState& last) const
{
    if (m_options.isLstm()) {
        return nextLstm(sums, last);
    }
    if (m_options.rule.resetsBefore()) {
        return nextEarlyGru(sums, last);
    }
    if (m_options.isGru()) {
        return nextGru(sums, last);
    }
    const NodeRef recurrent = m_nodes.product(last.output, m_kernels[0]);
    return {.output = ofOutput(m_nodes.add(sums, recurrent)), .state = {}};
}

namespace {

/// A recurrent layer's steps as nodes of their own.
class UnrolledNodes
{
public:
    UnrolledNodes(const EmitContext& context, const RecurrentOptions& options)
        : m_context(context), m_graph(context.graph), m_nodes(context.graph), m_options(options),
          m_cell(context.graph, options), m_rows(graph::rowShape(valueOf(0)))
    {}

    NodeRef emit();

private:
    const graph::Value& valueOf(std::size_t input) const
    {
        return m_context.layers.value(m_context.node.inputs[input]);
    }
    NodeRef inputOf(std::size_t input) const { return nodeRef(m_context.inputs[input].dense); }
    bool isMasked() const
    {
        return m_context.inputs.size() > 1 && graph::rowShape(valueOf(1)).size() == 2;
    }
    std::vector<NodeRef> unpacked(const NodeRef& value, DType dtype) const
    {
        const NodeRef all = m_graph.add("Unpack", "unstack", {value},
                                        {{"T", dtype}, {"num", m_rows[0]}, {"axis", 1}});
        std::vector<NodeRef> steps;
        for (int step = 0; step < m_rows[0]; ++step) {
            steps.push_back(all.at(step));
        }
        return steps;
    }
    std::vector<NodeRef> sums() const;
    std::vector<NodeRef> masks() const;
    CellState beginning(const NodeRef& zeros) const;

    const EmitContext& m_context;
    storage::GraphDefBuilder& m_graph;
    storage::FloatNodes m_nodes;
    RecurrentOptions m_options;
    CellNodes m_cell;
    std::vector<std::int64_t> m_rows; ///< time, channels
};

/// By time, [batch, gates].
std::vector<NodeRef> UnrolledNodes::sums() const
{
    const auto channels = static_cast<std::int32_t>(m_rows[1]);
    // One product for all steps, as in training.
    const NodeRef flat = m_nodes.reshape(inputOf(0), {-1, channels});
    const NodeRef projected = m_nodes.reshape(m_cell.project(m_context, flat),
                                              {-1, static_cast<std::int32_t>(m_rows[0]),
                                               static_cast<std::int32_t>(m_options.gateWidth())});
    return unpacked(projected, DType::Float32);
}

/// By time, bool [batch, 1]; none without a mask.
std::vector<NodeRef> UnrolledNodes::masks() const
{
    if (!isMasked()) {
        return {};
    }
    return unpacked(m_nodes.holds("NotEqual", inputOf(1), m_nodes.number(0.0F)), DType::Bool);
}

CellState UnrolledNodes::beginning(const NodeRef& zeros) const
{
    const std::size_t first = isMasked() ? 2 : 1;
    if (m_context.inputs.size() == first) {
        return {.output = zeros, .state = zeros};
    }
    return {.output = inputOf(first), .state = m_options.isLstm() ? inputOf(first + 1) : NodeRef{}};
}

NodeRef UnrolledNodes::emit()
{
    m_cell.bind(m_cell.recurrentKernels(m_context),
                m_cell.hasRecurrentBias() ? m_cell.recurrentBias(m_context) : NodeRef{},
                m_graph.constant("split_axis", std::int32_t{1}));
    std::vector<NodeRef> sumsByTime = sums();
    std::vector<NodeRef> maskByTime = masks();
    if (m_options.goBackwards) {
        std::reverse(sumsByTime.begin(), sumsByTime.end());
        std::reverse(maskByTime.begin(), maskByTime.end());
    }
    const NodeRef shape =
        m_graph.add("Pack", "state_shape",
                    {m_context.batchSize,
                     m_graph.constant("units", static_cast<std::int32_t>(m_options.units))},
                    {{"N", 2}, {"T", DType::Int32}});
    const NodeRef zeros = m_graph.add("Fill", "zeros", {shape, m_nodes.number(0.0F)},
                                      {{"T", DType::Float32}, {"index_type", DType::Int32}});
    CellState state = beginning(zeros);
    NodeRef shown = zeros;
    std::vector<NodeRef> outputs;
    for (std::size_t time = 0; time < sumsByTime.size(); ++time) {
        const auto scope = m_graph.enterScope("step");
        CellState next = m_cell.next(sumsByTime[time], state);
        if (maskByTime.empty()) {
            shown = next.output;
        } else {
            // A skipped step keeps the state and repeats the output.
            const NodeRef& isStep = maskByTime[time];
            const bool zeroes = m_options.isDirection && m_options.returnSequences;
            shown = m_nodes.select(isStep, next.output, zeroes ? zeros : shown);
            next.output = m_nodes.select(isStep, next.output, state.output);
            if (m_options.isLstm()) {
                next.state = m_nodes.select(isStep, next.state, state.state);
            }
        }
        state = next;
        outputs.push_back(shown);
    }
    if (!m_options.returnSequences) {
        return shown;
    }
    if (m_options.goBackwards && m_options.isDirection) {
        std::reverse(outputs.begin(), outputs.end());
    }
    return m_nodes.reshape(m_nodes.columns(outputs), {-1, static_cast<std::int32_t>(m_rows[0]),
                                                      static_cast<std::int32_t>(m_options.units)});
}

} // namespace

NodeRef emitUnrolled(const EmitContext& context, const RecurrentOptions& options)
{
    return UnrolledNodes(context, options).emit();
}

} // namespace cannery::layers
