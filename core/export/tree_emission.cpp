// SPDX-License-Identifier: Apache-2.0
#include "core/export/tree_emission.h"

#include "core/layers/lookup.h"
#include "core/trees/ensemble.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace cannery::exporting {

namespace {

using graph::LearnerInputKind;
using storage::GraphDefBuilder;
using storage::NodeRef;

constexpr ErrorKind kBoundaries{"export.tree_boundaries",
                                "The checkpoint has no quantile boundaries of feature {}, which "
                                "the trees split; it belongs to another experiment."};

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Where the features of an input lie in the matrix of rows.
struct Placed
{
    const graph::LearnerInput* input = nullptr;
    std::int32_t column = 0;  ///< of the feature's first dimension
    std::int64_t number = -1; ///< of a number: its index among all of them
};

/// A split as the graph compares it: right if the column is above the cut, or, for a category, if
/// it is another one; a missing number goes right too if it says so.
struct NodeTest
{
    std::int32_t column = 0;
    float cut = kInfinity;
    bool isEquality = false;
    bool missingRight = false;
    std::vector<std::int32_t> categories; ///< of a set
    bool isSet = false;
};

/// Everything about the nodes of all trees, one after the other.
struct Nodes
{
    std::vector<std::int32_t> columns;
    std::vector<float> cuts;
    std::vector<std::int32_t> left;
    std::vector<std::int32_t> right;
    std::vector<bool> equality;
    std::vector<bool> missingRight;
    std::vector<std::int32_t> sets;     ///< where its set begins in setBits
    std::vector<std::int32_t> setSizes; ///< how many ids from there on
    std::vector<bool> isSet;
    std::vector<bool> setBits{true}; ///< whether an id goes right; the first is of nodes without
    std::vector<float> values;       ///< [nodes, outputs]
    std::vector<std::int32_t> roots;
    std::int32_t depth = 0;
};

bool any(const std::vector<bool>& flags)
{
    return std::ranges::find(flags, true) != flags.end();
}

class TreeEmitter
{
public:
    TreeEmitter(GraphDefBuilder& graph, const TreeEmission& emission)
        : m_graph(graph), m_emission(emission)
    {}

    Result<NodeRef> emit()
    {
        place();
        CANNERY_TRY_ASSIGN(m_ensemble, readEnsemble());
        CANNERY_TRY(flatten());
        const auto scope = m_graph.enterScope("boosted_trees");
        return m_nodes.roots.empty() ? noTrees() : descend(rows());
    }

private:
    /// Features in order, and the columns of the matrix: a category has as many as trees ask for.
    void place()
    {
        std::int64_t numbers = 0;
        for (const graph::LearnerInput& input : m_emission.learner.inputs) {
            const bool isNumber = input.kind == LearnerInputKind::Numbers;
            const bool isOneEach = isNumber || input.kind == LearnerInputKind::Indicator;
            for (std::int64_t i = 0; i < (isOneEach ? input.width : 1); ++i) {
                m_features.push_back({.input = &input, .number = isNumber ? numbers++ : -1});
            }
        }
    }

    const storage::TensorView* find(const std::string& name) const
    {
        const auto found = std::ranges::find(m_emission.tensors, name, &storage::NamedTensor::name);
        return found == m_emission.tensors.end() ? nullptr : &found->tensor;
    }

    Result<trees::Ensemble> readEnsemble() const
    {
        const storage::TensorView* bytes = find("boosted_trees:0_serialized");
        if (bytes == nullptr || bytes->strings.empty()) {
            return trees::Ensemble();
        }
        return trees::Ensemble::parse(std::as_bytes(std::span(bytes->strings.front())),
                                      static_cast<std::int32_t>(m_features.size()),
                                      m_emission.outputs);
    }

    /// How many dimensions of a feature have columns.
    std::int32_t dimensionsOf(std::size_t feature) const
    {
        const graph::LearnerInput& input = *m_features[feature].input;
        std::int32_t most = input.kind == LearnerInputKind::Buckets
                                ? static_cast<std::int32_t>(input.dimensions)
                                : 1;
        for (const trees::Tree& tree : m_ensemble.trees) {
            for (const trees::Node& node : tree.nodes) {
                if (!node.isLeaf() && static_cast<std::size_t>(node.feature) == feature) {
                    most = std::max(most, node.dimension + 1);
                }
            }
        }
        return most;
    }

    Result<void> flatten()
    {
        std::int32_t column = 0;
        for (std::size_t feature = 0; feature < m_features.size(); ++feature) {
            m_features[feature].column = column;
            column += dimensionsOf(feature);
        }
        m_width = column;
        for (const trees::Tree& tree : m_ensemble.trees) {
            CANNERY_TRY(addTree(tree));
        }
        return {};
    }

    Result<void> addTree(const trees::Tree& tree)
    {
        const auto base = static_cast<std::int32_t>(m_nodes.columns.size());
        m_nodes.roots.push_back(base);
        std::vector<std::int32_t> depths(tree.nodes.size());
        for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
            const trees::Node& node = tree.nodes[at];
            NodeTest test;
            if (!node.isLeaf()) {
                CANNERY_TRY_ASSIGN(test, testOf(node));
                depths[static_cast<std::size_t>(node.left)] = depths[at] + 1;
                depths[static_cast<std::size_t>(node.right)] = depths[at] + 1;
            }
            const auto self = base + static_cast<std::int32_t>(at);
            m_nodes.left.push_back(node.isLeaf() ? self : base + node.left);
            m_nodes.right.push_back(node.isLeaf() ? self : base + node.right);
            addTest(test);
            for (std::size_t output = 0; output < static_cast<std::size_t>(m_emission.outputs);
                 ++output) {
                const bool counts = node.isLeaf() && !node.value.empty();
                m_nodes.values.push_back(counts ? tree.weight * node.value[output] : 0.0F);
            }
            m_nodes.depth = std::max(m_nodes.depth, depths[at]);
        }
        return {};
    }

    void addTest(const NodeTest& test)
    {
        m_nodes.columns.push_back(test.column);
        m_nodes.cuts.push_back(test.cut);
        m_nodes.equality.push_back(test.isEquality);
        m_nodes.missingRight.push_back(test.missingRight);
        m_nodes.isSet.push_back(test.isSet);
        if (!test.isSet) {
            m_nodes.sets.push_back(0);
            m_nodes.setSizes.push_back(1);
            return;
        }
        const std::int32_t size = test.categories.empty() ? 1 : test.categories.back() + 2;
        const std::size_t begin = m_nodes.setBits.size();
        m_nodes.sets.push_back(static_cast<std::int32_t>(begin));
        m_nodes.setSizes.push_back(size); // the last id stands for all above
        m_nodes.setBits.resize(begin + static_cast<std::size_t>(size), true);
        for (const std::int32_t category : test.categories) {
            m_nodes.setBits[begin + static_cast<std::size_t>(category)] = false;
        }
    }

    Result<NodeTest> testOf(const trees::Node& node) const
    {
        const Placed& placed = m_features[static_cast<std::size_t>(node.feature)];
        NodeTest test{.column = placed.column + node.dimension};
        switch (node.kind) {
        case trees::SplitKind::Number:
            test.cut = node.cut;
            test.missingRight = !node.missingLeft;
            break;
        case trees::SplitKind::Category:
            test.isEquality = true;
            test.cut = static_cast<float>(node.threshold);
            break;
        case trees::SplitKind::Categories:
            test.isSet = true;
            test.missingRight = !node.missingLeft;
            test.categories = node.categories;
            break;
        default:
            CANNERY_TRY_ASSIGN(test.cut, cutOf(node, placed));
            break;
        }
        return test;
    }

    /// A threshold of buckets as one of what the matrix holds.
    Result<float> cutOf(const trees::Node& node, const Placed& placed) const
    {
        const std::int64_t threshold = node.threshold;
        if (placed.input->kind == LearnerInputKind::Indicator) {
            return threshold < 1 ? 0.5F : kInfinity;
        }
        if (placed.input->kind == LearnerInputKind::Buckets) {
            return threshold + 1 < placed.input->buckets()
                       ? static_cast<float>(node.dimension * placed.input->buckets() + threshold)
                       : kInfinity;
        }
        const storage::TensorView* view = find(
            fmt::format("boosted_trees/QuantileAccumulator:0_bucket_boundaries_{}", placed.number));
        if (view == nullptr) {
            return fail(ErrorCode::NotFound, kBoundaries, node.feature);
        }
        std::vector<float> boundaries(view->bytes.size() / sizeof(float));
        std::memcpy(boundaries.data(), view->bytes.data(), boundaries.size() * sizeof(float));
        // The last bucket has all that is above, too.
        return threshold + 1 < std::ssize(boundaries)
                   ? boundaries[static_cast<std::size_t>(threshold)]
                   : kInfinity;
    }

    NodeRef noTrees()
    {
        const NodeRef shape = m_graph.add(
            "Pack", "shape",
            {m_emission.batchSize,
             m_graph.constant("outputs", static_cast<std::int32_t>(m_emission.outputs))},
            {{"T", DType::Int32}, {"N", std::int64_t{2}}});
        return m_graph.add("Fill", "logits", {shape, m_graph.constant("zero", 0.0F)},
                           {{"T", DType::Float32}, {"index_type", DType::Int32}});
    }

    /// [batch, columns] of an input.
    NodeRef columnsOf(const Placed& placed, std::int32_t dimensions)
    {
        const graph::LearnerInput& input = *placed.input;
        const storage::EmittedValue& slot = m_emission.slots[static_cast<std::size_t>(input.slot)];
        if (input.kind == LearnerInputKind::Numbers) {
            return layers::nodeRef(slot.dense);
        }
        if (input.kind == LearnerInputKind::Indicator) {
            const graph::LayerGraph none;
            const graph::Node node;
            return layers::emitIndicator({.graph = m_graph,
                                          .layers = none,
                                          .node = node,
                                          .inputs = {},
                                          .variables = {},
                                          .batchSize = m_emission.batchSize},
                                         slot, input.width);
        }
        return cells(slot, dimensions, hasSets(input) ? -1 : 0);
    }

    /// Whether the feature is split by sets of categories, for which a missing one is none.
    bool hasSets(const graph::LearnerInput& input) const
    {
        return std::ranges::any_of(m_ensemble.trees, [&](const trees::Tree& tree) {
            return std::ranges::any_of(tree.nodes, [&](const trees::Node& node) {
                return node.kind == trees::SplitKind::Categories &&
                       m_features[static_cast<std::size_t>(node.feature)].input == &input;
            });
        });
    }

    /// The first ids of each row as floats; what is not there is `missing`, what is none of the
    /// categories -1.
    NodeRef cells(const storage::EmittedValue& slot, std::int32_t dimensions, std::int64_t missing)
    {
        const NodeRef known =
            m_graph.add("Maximum", "known",
                        {layers::nodeRef(slot.ids), m_graph.constant("unknown", std::int64_t{-1})},
                        {{"T", DType::Int64}});
        const NodeRef numbers = m_graph.add("Cast", "numbers", {known},
                                            {{"SrcT", DType::Int64}, {"DstT", DType::Float32}});
        // At least as many columns as the longest row, and as the trees read.
        const NodeRef least = m_graph.constant(
            "least", std::vector<std::int64_t>{0, static_cast<std::int64_t>(dimensions)});
        const NodeRef shape = m_graph.add(
            "Maximum", "shape", {layers::nodeRef(slot.denseShape), least}, {{"T", DType::Int64}});
        const NodeRef dense = m_graph.add("SparseToDense", "dense",
                                          {layers::nodeRef(slot.indices), shape, numbers,
                                           m_graph.constant("none", static_cast<float>(missing))},
                                          {{"T", DType::Float32}, {"Tindices", DType::Int64}});
        return m_graph.add("Slice", "cells",
                           {dense, m_graph.constant("begin", std::vector<std::int32_t>{0, 0}),
                            m_graph.constant("size", std::vector<std::int32_t>{-1, dimensions})},
                           {{"T", DType::Float32}, {"Index", DType::Int32}});
    }

    /// All features of the rows side by side: [batch, columns].
    NodeRef rows()
    {
        const auto scope = m_graph.enterScope("features");
        std::vector<NodeRef> parts;
        const graph::LearnerInput* last = nullptr;
        for (std::size_t feature = 0; feature < m_features.size(); ++feature) {
            if (m_features[feature].input != last) {
                last = m_features[feature].input;
                parts.push_back(columnsOf(m_features[feature], dimensionsOf(feature)));
            }
        }
        if (parts.size() == 1) {
            return parts.front();
        }
        const auto count = static_cast<std::int64_t>(parts.size());
        parts.push_back(m_graph.constant("axis", std::int32_t{1}));
        return m_graph.add("ConcatV2", "concat", parts,
                           {{"T", DType::Float32}, {"N", count}, {"Tidx", DType::Int32}});
    }

    NodeRef integers(std::string_view name, const std::vector<std::int32_t>& values, Shape shape)
    {
        return m_graph.constant(name, values, std::move(shape));
    }

    NodeRef flags(std::string_view name, const std::vector<bool>& values)
    {
        storage::HostTensor tensor =
            storage::HostTensor::zeros(DType::Bool, {static_cast<std::int64_t>(values.size())});
        for (std::size_t i = 0; i < values.size(); ++i) {
            tensor.bytes[i] = std::byte{values[i] ? std::uint8_t{1} : std::uint8_t{0}};
        }
        return m_graph.constant(name, tensor);
    }

    NodeRef gather(std::string_view name, const NodeRef& values, const NodeRef& places, DType dtype)
    {
        return m_graph.add(
            "GatherV2", name, {values, places, m_axis},
            {{"Tparams", dtype}, {"Tindices", DType::Int32}, {"Taxis", DType::Int32}});
    }

    NodeRef binary(std::string_view op, std::string_view name, const NodeRef& left,
                   const NodeRef& right, DType dtype)
    {
        return m_graph.add(op, name, {left, right}, {{"T", dtype}});
    }

    NodeRef choose(std::string_view name, const NodeRef& condition, const NodeRef& yes,
                   const NodeRef& no, DType dtype)
    {
        return m_graph.add("SelectV2", name, {condition, yes, no}, {{"T", dtype}});
    }

    /// Where each row begins in the matrix as one list: [batch, 1].
    NodeRef rowBegins()
    {
        const NodeRef zero = m_graph.constant("range/start", std::int32_t{0});
        const NodeRef one = m_graph.constant("range/delta", std::int32_t{1});
        const NodeRef range = m_graph.add("Range", "range", {zero, m_emission.batchSize, one},
                                          {{"Tidx", DType::Int32}});
        const NodeRef begins =
            binary("Mul", "begins", range, m_graph.constant("width", m_width), DType::Int32);
        return m_graph.add("ExpandDims", "column",
                           {begins, m_graph.constant("column/axis", std::int32_t{1})},
                           {{"T", DType::Int32}, {"Tdim", DType::Int32}});
    }

    NodeRef descend(const NodeRef& matrix)
    {
        const auto count = static_cast<std::int64_t>(m_nodes.columns.size());
        m_axis = m_graph.constant("axis", std::int32_t{0});
        m_flat =
            m_graph.add("Reshape", "flat",
                        {matrix, m_graph.constant("flat/shape", std::vector<std::int32_t>{-1})},
                        {{"T", DType::Float32}, {"Tshape", DType::Int32}});
        m_begins = rowBegins();
        m_columns = integers("columns", m_nodes.columns, {count});
        m_cuts = m_graph.constant("cuts", m_nodes.cuts);
        m_left = integers("left", m_nodes.left, {count});
        m_right = integers("right", m_nodes.right, {count});
        // Every row begins at the root of every tree.
        NodeRef node = binary(
            "AddV2", "roots",
            binary("Mul", "zeros", m_begins, m_graph.constant("zero", std::int32_t{0}),
                   DType::Int32),
            integers("first", m_nodes.roots, {1, static_cast<std::int64_t>(m_nodes.roots.size())}),
            DType::Int32);
        for (std::int32_t layer = 0; layer < m_nodes.depth; ++layer) {
            const auto scope = m_graph.enterScope("layer_" + std::to_string(layer));
            node = choose("node", goesRight(node), gather("right", m_right, node, DType::Int32),
                          gather("left", m_left, node, DType::Int32), DType::Int32);
        }
        const NodeRef values =
            m_graph.constant("values", m_nodes.values, Shape{count, m_emission.outputs});
        return m_graph.add("Sum", "logits",
                           {gather("leaves", values, node, DType::Float32),
                            m_graph.constant("trees", std::int32_t{1})},
                           {{"T", DType::Float32}, {"Tidx", DType::Int32}});
    }

    NodeRef goesRight(const NodeRef& node)
    {
        const NodeRef place =
            binary("AddV2", "place", gather("columns", m_columns, node, DType::Int32), m_begins,
                   DType::Int32);
        const NodeRef cell = gather("cell", m_flat, place, DType::Float32);
        const NodeRef cut = gather("cut", m_cuts, node, DType::Float32);
        NodeRef right = binary("Greater", "above", cell, cut, DType::Float32);
        if (any(m_nodes.equality)) {
            right =
                choose("by_kind",
                       gather("equality", flags("equalities", m_nodes.equality), node, DType::Bool),
                       m_graph.add("NotEqual", "other", {cell, cut}, {{"T", DType::Float32}}),
                       right, DType::Bool);
        }
        if (any(m_nodes.missingRight)) {
            const NodeRef isMissing =
                m_graph.add("NotEqual", "missing", {cell, cell}, {{"T", DType::Float32}});
            right = m_graph.add("LogicalOr", "or_missing",
                                {right, m_graph.add("LogicalAnd", "missing_right",
                                                    {isMissing, missingRight(node)})});
        }
        return any(m_nodes.isSet) ? orOfSet(node, cell, right) : right;
    }

    NodeRef missingRight(const NodeRef& node)
    {
        return gather("directions", flags("missing_goes_right", m_nodes.missingRight), node,
                      DType::Bool);
    }

    /// For the nodes with a set of categories: whether the row's is none of them.
    NodeRef orOfSet(const NodeRef& node, const NodeRef& cell, const NodeRef& right)
    {
        const auto count = static_cast<std::int64_t>(m_nodes.columns.size());
        const NodeRef id =
            m_graph.add("Cast", "id", {cell}, {{"SrcT", DType::Float32}, {"DstT", DType::Int32}});
        std::vector<std::int32_t> last = m_nodes.setSizes;
        for (std::int32_t& size : last) {
            --size;
        }
        const NodeRef bound =
            gather("last_ids", integers("lasts", last, {count}), node, DType::Int32);
        const NodeRef inside = binary("Minimum", "inside", id, bound, DType::Int32);
        const NodeRef bit = binary(
            "AddV2", "bit",
            gather("sets", integers("set_begins", m_nodes.sets, {count}), node, DType::Int32),
            binary("Maximum", "at_least", inside, m_graph.constant("none", std::int32_t{0}),
                   DType::Int32),
            DType::Int32);
        const NodeRef outside =
            gather("outside", flags("not_members", m_nodes.setBits), bit, DType::Bool);
        const NodeRef isNone =
            binary("Less", "is_none", cell, m_graph.constant("zero", 0.0F), DType::Float32);
        const NodeRef known = choose("known", isNone, missingRight(node), outside, DType::Bool);
        return choose("of_set",
                      gather("is_set", flags("are_sets", m_nodes.isSet), node, DType::Bool), known,
                      right, DType::Bool);
    }

    GraphDefBuilder& m_graph;
    const TreeEmission& m_emission;
    std::vector<Placed> m_features;
    trees::Ensemble m_ensemble;
    Nodes m_nodes;
    std::int32_t m_width = 0;
    NodeRef m_axis;
    NodeRef m_flat;
    NodeRef m_begins;
    NodeRef m_columns;
    NodeRef m_cuts;
    NodeRef m_left;
    NodeRef m_right;
};

} // namespace

Result<storage::NodeRef> emitTrees(storage::GraphDefBuilder& graph, const TreeEmission& emission)
{
    return TreeEmitter(graph, emission).emit();
}

} // namespace cannery::exporting
