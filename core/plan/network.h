// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/graph/layer_graph.h"
#include "core/layers/layer.h"
#include "core/plan/network_gradients.h"
#include "core/plan/network_placement.h"
#include "core/plan/step_trace.h"
#include "core/plan/value_uses.h"
#include "core/plan/variables.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::plan {

/// The optimizer of a variable, as far as the network's layout depends on it.
struct Training
{
    bool trained = false;
    bool untouchedRowsStay = false; ///< this and the others: see layers::VariableBuffer
    bool clipsSlices = false;
    std::optional<float> clipvalue;
};

/// What somebody does while a backward pass goes on.
class BackwardListener
{
public:
    virtual ~BackwardListener() = default;
    /// This node is done, and so are all above.
    virtual void nodeDone(std::size_t node) = 0;
};

/// Whether a layer can look across shards. Errors: those of layers::makeLayer.
Result<bool> looksAcrossShards(const graph::LayerGraph& graph);

/// The layers of a graph with their buffers: runs forward and backward over a batch.
class Network
{
public:
    /// Errors: those of layers::makeLayer, "plan.steps_used_twice".
    static Result<std::unique_ptr<Network>> create(const graph::LayerGraph& graph,
                                                   std::vector<Training> training);

    /// Lays out all buffers for batches of at most this many rows; invalidates what gradients()
    /// returned before.
    void prepare(Variables& variables, std::int64_t maxRows);
    std::int64_t maxRows() const { return m_maxRows; }

    /// Reads the batch in place; it must outlive the passes over it. At most maxRows rows.
    void bindInputs(const features::EncodedRows& batch);
    void forward(const layers::StepContext& step) { forward(step, 0, nodeCount()); }
    /// Nodes [first, end) of the pass. All of them are one part of it, or it is cut before or after
    /// nodes of nodesAcrossShards().
    void forward(const layers::StepContext& step, std::size_t first, std::size_t end);
    /// From gradientOf(logits) to the gradients of the variables, in parts as forward(). `listener`
    /// may be null.
    void backward(const layers::StepContext& step, std::size_t first, std::size_t end,
                  BackwardListener* listener);
    std::size_t nodeCount() const { return m_layers.size(); }
    /// Where the passes add their events, until another call; null: nowhere.
    void setTrace(StepTrace* trace) { m_trace = trace; }
    StepTrace* trace() const { return m_trace; }

    /// The passes as operations of an accelerator.
    NetworkPlacement& placement() { return m_placement; }
    /// What the nodes make of a batch, and the gradients of that.
    std::span<float> valueMemory() { return m_valueArena->span(0, m_valueArena->size()); }

    /// Nodes whose layers can look across shards, in order.
    const std::vector<std::size_t>& nodesAcrossShards() const { return m_nodesAcross; }
    layers::AcrossShards& acrossShards(std::size_t node) { return *m_layers[node]->acrossShards(); }
    /// Whether a backward pass passes through this node.
    bool goesBackThrough(std::size_t node) const;

    /// After forward(): what layers add to the loss of the batch (layers::Layer::penalty).
    double penalty(const layers::StepContext& step);

    /// Of this many rows; of a sequence, all steps of the last batch.
    kernels::ConstMatrixView valuesOf(graph::ValueId id, std::int64_t rows) const;
    const layers::ValueBuffer& buffer(graph::ValueId id) const;
    kernels::MatrixView gradientOf(graph::ValueId id, std::int64_t rows);
    /// What a backward pass leaves.
    NetworkGradients& gradients() { return m_gradients; }
    const NetworkGradients& gradients() const { return m_gradients; }

private:
    explicit Network(const graph::LayerGraph& graph);
    Result<void> findGradientPaths();
    void findNeighbours();
    void forwardBeside(const layers::StepContext& step, std::size_t first, std::size_t count);
    void backwardBeside(const layers::StepContext& step, std::size_t first, std::size_t count);
    void forwardNode(std::size_t node, const layers::StepContext& step);
    void backwardNode(std::size_t node, const layers::StepContext& step);
    bool isWorthCutting(std::size_t first, std::size_t count, std::int64_t rows) const;
    void findWeightTasks();
    std::int64_t rowParts(const layers::StepContext& step) const;
    template <typename Pass>
    void runParts(const layers::StepContext& step, std::int64_t parts, const Pass& pass);
    void backwardByRows(const layers::StepContext& step, std::int64_t parts);
    void layOutValues(std::int64_t maxRows);
    layers::LayerBuffers buffersOf(std::size_t node, Variables& variables);

    const graph::LayerGraph& m_graph;
    std::vector<Training> m_training;
    std::vector<std::unique_ptr<layers::Layer>> m_layers;
    std::vector<std::string> m_operations; ///< by node: what its layer is, once prepared
    StepTrace* m_trace = nullptr;
    std::vector<std::size_t> m_neighbours; ///< per node: how many nodes from it on run in parallel
    /// A piece of the gradients of variables: see layers::Layer::backwardWeights.
    struct WeightTask
    {
        std::size_t node = 0;
        std::size_t task = 0;
        std::int64_t cost = 0; ///< multiplications per row
    };
    std::vector<WeightTask> m_weightTasks; ///< the longest ones first
    std::int64_t m_costOfRow = 0;          ///< of all of them
    bool m_runsByRows = false;             ///< every layer does
    std::vector<std::size_t> m_nodesAcross;
    std::vector<std::size_t> m_penalized; ///< nodes whose layers add to the loss
    std::vector<bool> m_wantsGradient;    ///< per value
    std::vector<layers::ValueBuffer> m_values;
    ValueUses m_uses;
    std::unique_ptr<FloatArena> m_valueArena;
    NetworkGradients m_gradients;
    NetworkPlacement m_placement;
    std::int64_t m_maxRows = 0;
};

} // namespace cannery::plan
