// SPDX-License-Identifier: Apache-2.0
#include "core/plan/network.h"

#include "core/base/catalog.h"
#include "core/layers/layer_catalog.h"
#include "kernels/device/row_blocks.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace cannery::plan {

namespace {

/// What the layer of a node is, and by which kernel, for people: "dense, onednn".
std::string operationOf(const graph::Node& node, const layers::Layer& layer)
{
    std::string operation = node.kind;
    if (operation.empty()) {
        const layers::LayerRow* row = findRow(layers::layerCatalog(), node.layer.kind_case());
        operation = row == nullptr ? std::string_view() : row->name;
    }
    const std::string_view kernel = layer.implementation();
    return kernel.empty() ? operation : fmt::format("{}, {}", operation, kernel);
}

std::int64_t lengthOf(const layers::ValueBuffer& value, std::int64_t rows)
{
    return value.kind == graph::ValueKind::Sequence ? value.stepCount() : rows;
}

/// Multiplications of a pass that are worth two threads, which takes about two microseconds to
/// arrange; and those of a part.
constexpr std::int64_t kFewestProducts = 512 * 1024;
constexpr std::int64_t kFewestProductsOfPart = 128 * 1024;
/// Each product of a pass with more than this is cut by itself, into tiles that fit the caches.
constexpr std::int64_t kMostProducts = 16 * 1024 * 1024;

std::size_t at(std::int32_t id)
{
    return static_cast<std::size_t>(id);
}

} // namespace

Result<bool> looksAcrossShards(const graph::LayerGraph& graph)
{
    for (const graph::Node& node : graph.nodes) {
        CANNERY_TRY_ASSIGN(const std::unique_ptr<layers::Layer> layer, layers::makeLayer(node));
        if (layer->acrossShards() != nullptr) {
            return true;
        }
    }
    return false;
}

Network::Network(const graph::LayerGraph& graph)
    : m_graph(graph), m_gradients(graph, m_layers), m_placement({.graph = graph,
                                                                 .layers = m_layers,
                                                                 .values = m_values,
                                                                 .wantsGradient = m_wantsGradient,
                                                                 .uses = m_uses,
                                                                 .gradients = m_gradients})
{}

Result<std::unique_ptr<Network>> Network::create(const graph::LayerGraph& graph,
                                                 std::vector<Training> training)
{
    auto network = std::unique_ptr<Network>(new Network(graph));
    network->m_training = std::move(training);
    for (const graph::Node& node : graph.nodes) {
        CANNERY_TRY_ASSIGN(std::unique_ptr<layers::Layer> layer, layers::makeLayer(node));
        if (layer->acrossShards() != nullptr) {
            network->m_nodesAcross.push_back(network->m_layers.size());
        }
        if (layer->hasPenalty()) {
            network->m_penalized.push_back(network->m_layers.size());
        }
        network->m_layers.push_back(std::move(layer));
    }
    CANNERY_TRY(network->findGradientPaths());
    network->findNeighbours();
    return network;
}

/// Mostly embeddings: many small layers, one after the other.
void Network::findNeighbours()
{
    m_neighbours.assign(m_layers.size(), 1);
    for (std::size_t first = 0; first < m_layers.size();) {
        std::size_t end = first;
        while (end < m_layers.size() && m_layers[end]->runsBesideOthers()) {
            ++end;
        }
        end = std::max(end, first + 1);
        for (std::size_t node = first; node < end; ++node) {
            m_neighbours[node] = end - first;
        }
        first = end;
    }
}

bool Network::isWorthCutting(std::size_t first, std::size_t count, std::int64_t rows) const
{
    std::int64_t width = 0;
    for (std::size_t node = first; node < first + count; ++node) {
        width += m_values[at(m_graph.nodes[node].output)].width;
    }
    return count > 1 && rows * width >= kernels::kBlockElements;
}

/// A value needs a gradient if a trained variable precedes it.
Result<void> Network::findGradientPaths()
{
    m_wantsGradient.assign(m_graph.values.size(), false);
    for (const graph::Node& node : m_graph.nodes) {
        bool wants = false;
        for (const graph::ValueId input : node.inputs) {
            wants = wants || m_wantsGradient[at(input)];
        }
        for (const graph::VariableId variable : node.variables) {
            wants = wants || m_training[at(variable)].trained;
        }
        m_wantsGradient[at(node.output)] = wants;
    }
    return m_uses.find(m_graph, m_wantsGradient);
}

void Network::prepare(Variables& variables, std::int64_t maxRows)
{
    m_maxRows = maxRows;
    layOutValues(maxRows);
    m_gradients.begin();
    m_operations.clear();
    for (std::size_t node = 0; node < m_graph.nodes.size(); ++node) {
        m_layers[node]->prepare(buffersOf(node, variables));
        m_operations.push_back(operationOf(m_graph.nodes[node], *m_layers[node]));
    }
    m_gradients.layOut();
    findWeightTasks();
}

/// The most expensive tasks first, so that threads end at about the same time.
void Network::findWeightTasks()
{
    m_weightTasks.clear();
    m_costOfRow = 0;
    m_runsByRows = m_nodesAcross.empty() && std::ranges::all_of(m_layers, [](const auto& layer) {
                       return layer->runsByRows() && layer->statisticsCount() == 0;
                   });
    for (std::size_t node = 0; node < m_layers.size(); ++node) {
        const std::vector<std::int64_t> costs = m_layers[node]->weightTasks();
        for (std::size_t task = 0; task < costs.size(); ++task) {
            m_weightTasks.push_back({.node = node, .task = task, .cost = costs[task]});
            m_costOfRow += costs[task];
        }
    }
    std::ranges::stable_sort(m_weightTasks, std::ranges::greater(), &WeightTask::cost);
}

/// How many parts of a batch pass at the same time; 1: the layers are cut, one after the other.
std::int64_t Network::rowParts(const layers::StepContext& step) const
{
    const int threads = step.pool.threadCount();
    const std::int64_t products = step.rows * m_costOfRow;
    if (!m_runsByRows || threads == 1 || products < kFewestProducts || products > kMostProducts) {
        return 1;
    }
    return std::min({static_cast<std::int64_t>(threads), products / kFewestProductsOfPart,
                     step.rows, static_cast<std::int64_t>(layers::kMostRowParts)});
}

/// Calls pass(part) for equal parts of the rows.
template <typename Pass>
void Network::runParts(const layers::StepContext& step, std::int64_t parts, const Pass& pass)
{
    const auto one = [&](std::int64_t index, int worker) {
        layers::StepContext part = step.on(worker);
        part.rowBegin = step.rows * index / parts;
        part.rows = step.rows * (index + 1) / parts - part.rowBegin;
        part.part = static_cast<std::size_t>(index);
        pass(part);
    };
    step.pool.parallelFor(parts, one);
}

void Network::layOutValues(std::int64_t maxRows)
{
    m_values.assign(m_graph.values.size(), {});
    m_valueArena = std::make_unique<FloatArena>();
    std::vector<std::int64_t> outputs(m_values.size(), -1);
    std::vector<std::int64_t> grads(m_values.size(), -1);
    for (std::size_t index = 0; index < m_values.size(); ++index) {
        m_values[index].kind = m_graph.values[index].kind;
        m_values[index].width = m_graph.values[index].width;
        m_values[index].shape = graph::rowShape(m_graph.values[index]);
        m_values[index].wantsGradient = m_wantsGradient[index];
    }
    for (const graph::Node& node : m_graph.nodes) {
        const layers::ValueBuffer& value = m_values[at(node.output)];
        if (value.kind == graph::ValueKind::Dense) {
            outputs[at(node.output)] = m_valueArena->add(maxRows * value.width);
            if (m_wantsGradient[at(node.output)]) {
                grads[at(node.output)] = m_valueArena->add(maxRows * value.width);
            }
        }
    }
    m_uses.reserve(*m_valueArena, m_graph, maxRows);
    m_valueArena->allocate();
    for (std::size_t index = 0; index < m_values.size(); ++index) {
        if (outputs[index] >= 0) {
            m_values[index].writable = m_valueArena->at(outputs[index]);
            m_values[index].data = m_values[index].writable;
        }
        if (grads[index] >= 0) {
            m_values[index].grad = m_valueArena->at(grads[index]);
        }
    }
    m_uses.bind(*m_valueArena, m_values);
}

layers::LayerBuffers Network::buffersOf(std::size_t index, Variables& variables)
{
    const graph::Node& node = m_graph.nodes[index];
    layers::LayerBuffers buffers;
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
        const layers::ValueBuffer* own = m_uses.bufferOf(index, input);
        buffers.inputs.push_back(own != nullptr ? own : &m_values[at(node.inputs[input])]);
    }
    buffers.output = &m_values[at(node.output)];
    for (const graph::VariableId id : node.variables) {
        const Training& training = m_training[at(id)];
        layers::VariableBuffer buffer{.values = variables.values(id),
                                      .untouchedRowsStay = training.untouchedRowsStay,
                                      .clipsSlices = training.clipsSlices,
                                      .clipvalue = training.clipvalue};
        if (training.trained) {
            buffer.gradient = m_gradients.addPart(id, buffer.values.rows, buffer.values.cols);
        }
        buffers.variables.push_back(buffer);
    }
    buffers.maxRows = m_maxRows;
    buffers.layerIndex = static_cast<std::uint32_t>(index);
    return buffers;
}

void Network::bindInputs(const features::EncodedRows& batch)
{
    for (const graph::Input& input : m_graph.inputs) {
        layers::ValueBuffer& value = m_values[at(input.value)];
        if (value.kind == graph::ValueKind::Dense) {
            value.data = batch.dense[at(input.block)].values.data();
        } else if (value.kind == graph::ValueKind::Sequence) {
            const features::SequenceBlock& block = batch.sequences[at(input.block)];
            value.data = block.values.data();
            value.stepOffsets = block.rowOffsets;
        } else {
            const features::IdBlock& block = batch.ids[at(input.block)];
            value.ids = {
                .rowOffsets = block.rowOffsets, .ids = block.ids, .weights = block.weights};
            value.mostIds = static_cast<std::int64_t>(block.ids.capacity());
        }
    }
}

void Network::forward(const layers::StepContext& step, std::size_t first, std::size_t end)
{
    if (const std::int64_t parts = rowParts(step); parts > 1) {
        runParts(step, parts, [&](const layers::StepContext& part) {
            for (std::size_t node = first; node < end; ++node) {
                forwardNode(node, part);
            }
        });
        return;
    }
    for (std::size_t node = first; node < end; node += m_neighbours[node]) {
        forwardBeside(step, node, std::min(m_neighbours[node], end - node));
    }
}

void Network::forwardBeside(const layers::StepContext& step, std::size_t first, std::size_t count)
{
    if (isWorthCutting(first, count, step.rows)) {
        const auto one = [&](std::int64_t index, int worker) {
            forwardNode(first + static_cast<std::size_t>(index), step.on(worker));
        };
        step.pool.parallelFor(static_cast<std::int64_t>(count), one);
        return;
    }
    for (std::size_t node = first; node < first + count; ++node) {
        forwardNode(node, step);
    }
}

void Network::forwardNode(std::size_t node, const layers::StepContext& step)
{
    const TraceSpan span(m_trace, TracePhase::Forward, m_graph.nodes[node].name,
                         m_operations[node]);
    m_layers[node]->forward(step);
}

void Network::backwardNode(std::size_t node, const layers::StepContext& step)
{
    if (goesBackThrough(node)) {
        const TraceSpan span(m_trace, TracePhase::Backward, m_graph.nodes[node].name,
                             m_operations[node]);
        m_uses.sum(m_graph.nodes[node].output, step);
        m_layers[node]->backward(step);
    }
}

void Network::backwardBeside(const layers::StepContext& step, std::size_t first, std::size_t count)
{
    if (isWorthCutting(first, count, step.rows)) {
        const auto onWorker = [&](std::int64_t index, int worker) {
            backwardNode(first + static_cast<std::size_t>(index), step.on(worker));
        };
        step.pool.parallelFor(static_cast<std::int64_t>(count), onWorker);
        return;
    }
    for (std::size_t node = first + count; node-- > first;) {
        backwardNode(node, step);
    }
}

bool Network::goesBackThrough(std::size_t node) const
{
    return m_wantsGradient[at(m_graph.nodes[node].output)];
}

void Network::backward(const layers::StepContext& step, std::size_t first, std::size_t end,
                       BackwardListener* listener)
{
    // Cut by rows, all gradients become complete at the end; a listener wants them layer by layer.
    if (const std::int64_t parts = rowParts(step); parts > 1 && listener == nullptr) {
        backwardByRows(step, parts);
        m_gradients.sum(0, m_layers.size(), step.scratch());
        return;
    }
    while (end > first) {
        const std::size_t count = m_neighbours[end - 1];
        end -= count;
        backwardBeside(step, end, count);
        m_gradients.sum(end, end + count, step.scratch());
        if (listener != nullptr) {
            listener->nodeDone(end);
        }
    }
}

/// The parts pass all layers, then threads share the gradients of variables, each of which is one
/// sum over the batch.
void Network::backwardByRows(const layers::StepContext& step, std::int64_t parts)
{
    runParts(step, parts, [&](const layers::StepContext& part) {
        for (std::size_t node = m_layers.size(); node-- > 0;) {
            if (goesBackThrough(node)) {
                const TraceSpan span(m_trace, TracePhase::Backward, m_graph.nodes[node].name,
                                     m_operations[node]);
                m_uses.sum(m_graph.nodes[node].output, part);
                m_layers[node]->backwardRows(part);
            }
        }
    });
    const auto one = [&](std::int64_t index, int worker) {
        const WeightTask& task = m_weightTasks[static_cast<std::size_t>(index)];
        if (goesBackThrough(task.node)) {
            const TraceSpan span(m_trace, TracePhase::Backward, m_graph.nodes[task.node].name,
                                 m_operations[task.node]);
            m_layers[task.node]->backwardWeights(step.on(worker), task.task);
        }
    };
    step.pool.parallelFor(static_cast<std::int64_t>(m_weightTasks.size()), one);
}

double Network::penalty(const layers::StepContext& step)
{
    double sum = 0.0;
    for (const std::size_t node : m_penalized) {
        sum += m_layers[node]->penalty(step);
    }
    return sum;
}

kernels::ConstMatrixView Network::valuesOf(graph::ValueId id, std::int64_t rows) const
{
    return m_values[at(id)].values(lengthOf(m_values[at(id)], rows));
}

const layers::ValueBuffer& Network::buffer(graph::ValueId id) const
{
    return m_values[at(id)];
}

kernels::MatrixView Network::gradientOf(graph::ValueId id, std::int64_t rows)
{
    return m_values[at(id)].gradient(lengthOf(m_values[at(id)], rows));
}

} // namespace cannery::plan
