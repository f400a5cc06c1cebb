// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/graph/layer_graph.h"
#include "core/layers/layer.h"
#include "core/plan/gradients.h"
#include "core/plan/step_trace.h"
#include "core/plan/variables.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cannery::plan {

/// The optimizer of a variable, as far as the network's layout depends on it.
struct Training
{
    bool trained = false;
    bool untouchedRowsStay = false; ///< see layers::VariableBuffer
};

/// The gradient of a table's rows.
struct SparsePart
{
    kernels::SparseGradient* gradient = nullptr;
    std::int64_t tableRows = 0;
};

/// What a shard tells besides its gradients.
enum StepFact : std::size_t
{
    kLosses, ///< its loss
    kVotes,  ///< see Model::voteAgainstStep
    kStepFacts,
};

/// Bytes of dense gradients that travel together, at least; the first ones leave early.
struct PackSizes
{
    std::int64_t first = 0;
    std::int64_t others = 0;
};

/// Some of Network::denseParts(), complete after the backward pass of node `node` and all above.
struct Pack
{
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::size_t node = 0;

    bool operator==(const Pack&) const = default;
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
    /// Errors: those of layers::makeLayer, "plan.value_used_twice".
    static Result<std::unique_ptr<Network>> create(const graph::LayerGraph& graph,
                                                   std::vector<Training> training);

    /// Lays out all buffers for batches of at most this many rows; invalidates what gradient()
    /// returned before.
    void prepare(Variables& variables, std::int64_t maxRows);
    std::int64_t maxRows() const { return m_maxRows; }

    /// Reads the batch in place; it must outlive the passes over it. At most maxRows rows.
    void bindInputs(const features::EncodedRows& batch);
    /// For placing: an input of the graph, by its index, is at `values` (an address that the
    /// program knows), or its ids are there.
    void bindPlaced(std::size_t input, const float* values, const kernels::DeviceIds& ids);
    /// A sequence, see layers::ValueBuffer::placedSteps.
    void bindPlaced(std::size_t input, const kernels::MatrixView& steps);
    /// The steps that a sequence had there; their numbers are nowhere else. Until the next pass.
    void bindStepOffsets(graph::ValueId id, std::span<const std::int64_t> stepOffsets);
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

    /// The passes over one batch as operations of an accelerator, which has mirrors of the
    /// variables, valueMemory() and denseParts(); and updateStatistics(1). Errors: those of
    /// layers::Layer, with the name of the node.
    Result<void> placeForward(const layers::Placement& placement)
    {
        return placeForward(placement, nodeCount());
    }
    /// Of the first nodes alone.
    Result<void> placeForward(const layers::Placement& placement, std::size_t end);
    Result<void> placeBackward(const layers::Placement& placement);
    void placeStatistics(const layers::Placement& placement);
    /// What the nodes make of a batch, and the gradients of that.
    std::span<float> valueMemory() { return m_valueArena->span(0, m_valueArena->size()); }

    /// Nodes whose layers can look across shards, in order.
    const std::vector<std::size_t>& nodesAcrossShards() const { return m_nodesAcross; }
    layers::AcrossShards& acrossShards(std::size_t node) { return *m_layers[node]->acrossShards(); }
    /// Whether a backward pass passes through this node.
    bool goesBackThrough(std::size_t node) const;

    /// Of this many rows; of a sequence, all steps of the last batch.
    kernels::ConstMatrixView valuesOf(graph::ValueId id, std::int64_t rows) const;
    const layers::ValueBuffer& buffer(graph::ValueId id) const;
    kernels::MatrixView gradientOf(graph::ValueId id, std::int64_t rows);
    /// Null if the variable is not trained.
    VariableGradient* gradient(graph::VariableId id);

    /// What a backward pass leaves and shards add up, besides sparseParts(): all dense gradients,
    /// the statistics of layers, and stepFacts(). Contiguous; padding is 0.
    std::span<float> denseParts() { return m_gradientArena->span(0, m_gradientArena->size()); }
    std::int64_t denseSize() const { return m_gradientArena->size(); }
    std::span<const SparsePart> sparseParts() const { return m_sparseParts; }
    /// A few numbers of a shard, by StepFact.
    std::span<float> stepFacts() { return m_gradientArena->span(m_factsOffset, kStepFacts); }
    /// denseParts() from its end to its beginning, in the order in which packs become complete. The
    /// first one includes the facts, which must be there before the backward pass; the last one the
    /// statistics, which layers need in theirs.
    std::vector<Pack> packs(const PackSizes& sizes) const;
    /// Whether a layer's statistics change this variable.
    bool hasStatistics(graph::VariableId id) const;
    /// Updates what follows the layers' statistics, given the sum over this many shards.
    void updateStatistics(std::int64_t shards);

private:
    explicit Network(const graph::LayerGraph& graph) : m_graph(graph) {}
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
    void sumGradients(const layers::StepContext& step);
    void layOutValues(std::int64_t maxRows);
    void layOutGradients();
    void findSparseParts();
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
    std::vector<bool> m_wantsGradient; ///< per value
    std::vector<layers::ValueBuffer> m_values;
    std::unique_ptr<FloatArena> m_valueArena;
    std::vector<std::unique_ptr<VariableGradient>> m_gradients;
    std::unique_ptr<FloatArena> m_gradientArena; ///< statistics, gradients, facts
    std::vector<std::int64_t> m_statistics;      ///< by layer: offset in it
    std::int64_t m_factsOffset = 0;
    std::vector<SparsePart> m_sparseParts;
    std::int64_t m_maxRows = 0;
};

} // namespace cannery::plan
