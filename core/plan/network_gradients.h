// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"
#include "core/layers/layer.h"
#include "core/plan/float_arena.h"
#include "core/plan/gradients.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cannery::plan {

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

/// Some of NetworkGradients::denseParts(), complete after the backward pass of node `node` and all
/// above.
struct Pack
{
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::size_t node = 0;

    bool operator==(const Pack&) const = default;
};

/// What a backward pass leaves and shards add up: the gradients of a network's variables, the
/// statistics of its layers, and a few facts. Statistics and facts lie beside the dense gradients:
/// what adds up these over shards adds up those.
class NetworkGradients
{
public:
    using Layers = std::vector<std::unique_ptr<layers::Layer>>;
    /// Of a network, which outlives this.
    NetworkGradients(const graph::LayerGraph& graph, const Layers& layers)
        : m_graph(graph), m_layers(layers)
    {}

    /// Before the layers are prepared: forgets the parts. Invalidates what of() returned before.
    void begin();
    /// Where a node writes its part of the gradient of a variable of this shape.
    Segments* addPart(graph::VariableId id, std::int64_t rows, std::int64_t cols);
    /// Once the layers are prepared.
    void layOut();

    /// Null if the variable is not trained.
    VariableGradient* of(graph::VariableId id);
    /// After the backward pass of nodes [first, end) and all above: adds up the parts of variables
    /// whose first node is among them, so that these are complete.
    void sum(std::size_t first, std::size_t end, kernels::SparseScratch& scratch);
    /// The same on an accelerator, once the nodes have placed their parts. Errors:
    /// "layers.shared_not_placed".
    Result<void> placeSums(kernels::AcceleratorProgram& program);

    /// All dense gradients, the statistics of layers, and stepFacts(). Contiguous; padding is 0.
    std::span<float> denseParts() { return m_arena->span(0, m_arena->size()); }
    std::int64_t denseSize() const { return m_arena->size(); }
    std::span<const SparsePart> sparseParts() const { return m_sparseParts; }
    /// A few numbers of a shard, by StepFact.
    std::span<float> stepFacts() { return m_arena->span(m_factsOffset, kStepFacts); }
    /// denseParts() from its end to its beginning, in the order in which packs become complete. The
    /// first one includes the facts, which must be there before the backward pass; the last one the
    /// statistics, which layers need in theirs.
    std::vector<Pack> packs(const PackSizes& sizes) const;

    /// Whether a layer's statistics change this variable.
    bool hasStatistics(graph::VariableId id) const;
    /// Updates what follows the layers' statistics, given the sum over this many shards.
    void updateStatistics(std::int64_t shards);

private:
    void findSparseParts();
    /// By variable: the first of the nodes that write its gradient, which is the last to do so.
    std::vector<std::size_t> firstNodes() const;

    const graph::LayerGraph& m_graph;
    const Layers& m_layers;
    std::vector<std::unique_ptr<VariableGradient>> m_gradients;
    std::unique_ptr<FloatArena> m_arena;    ///< statistics, gradients, facts
    std::unique_ptr<FloatArena> m_parts;    ///< of gradients that several nodes write
    std::vector<std::size_t> m_firstNodes;  ///< by variable: firstNodes()
    std::vector<std::int64_t> m_statistics; ///< by layer: offset in it
    std::int64_t m_factsOffset = 0;
    std::vector<SparsePart> m_sparseParts;
};

} // namespace cannery::plan
