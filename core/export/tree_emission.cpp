// SPDX-License-Identifier: Apache-2.0
#include "core/export/tree_emission.h"

#include "core/layers/inputs/lookup.h"

#include <algorithm>
#include <limits>

namespace cannery::exporting {

namespace {

using graph::LearnerInputKind;
using storage::GraphDefBuilder;
using storage::NodeRef;

/// The cell of a number that is missing.
constexpr std::int32_t kMissing = std::numeric_limits<std::int32_t>::min();

/// Everything about the nodes of all trees, one after the other.
struct Nodes
{
    std::vector<std::int32_t> columns;
    std::vector<std::int32_t> cuts;
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
    TreeEmitter(GraphDefBuilder& graph, const TreeEmission& emission, const TreeModel& model)
        : m_graph(graph), m_emission(emission), m_outputs(emission.source.outputs), m_model(model)
    {}

    Result<NodeRef> emit()
    {
        m_isOneOutputEach = isOneOutputEach();
        for (const trees::Tree& tree : m_model.trees()) {
            CANNERY_TRY(addTree(tree));
        }
        const auto scope = m_graph.enterScope("boosted_trees");
        return m_nodes.roots.empty() ? noTrees() : descend(rows());
    }

private:
    Result<void> addTree(const trees::Tree& tree)
    {
        const auto base = static_cast<std::int32_t>(m_nodes.columns.size());
        m_nodes.roots.push_back(base);
        std::vector<std::int32_t> depths(tree.nodes.size());
        for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
            const trees::Node& node = tree.nodes[at];
            TreeTest test;
            if (!node.isLeaf()) {
                CANNERY_TRY_ASSIGN(test, m_model.testOf(node));
                depths[static_cast<std::size_t>(node.left)] = depths[at] + 1;
                depths[static_cast<std::size_t>(node.right)] = depths[at] + 1;
            }
            // A leaf leads to itself, so all trees are descended in as many steps as the deepest
            // one needs, without a test for the end.
            const auto self = base + static_cast<std::int32_t>(at);
            m_nodes.left.push_back(node.isLeaf() ? self : base + node.left);
            m_nodes.right.push_back(node.isLeaf() ? self : base + node.right);
            addTest(test);
            addValues(tree, node);
            m_nodes.depth = std::max(m_nodes.depth, depths[at]);
        }
        return {};
    }

    void addValues(const trees::Tree& tree, const trees::Node& node)
    {
        const bool counts = node.isLeaf() && !node.value.empty();
        // Inner nodes may have values in TensorFlow's trees, from before they were split.
        for (std::int32_t output = 0; output < m_outputs; ++output) {
            const bool isOwn = tree.output < 0 || tree.output == output;
            if (isOwn || !m_isOneOutputEach) {
                const auto place = static_cast<std::size_t>(tree.output < 0 ? output : 0);
                m_nodes.values.push_back(counts && isOwn ? tree.weight * node.value[place] : 0.0F);
            }
        }
    }

    /// Whether every tree has one output, and they take turns. Then each node has one value
    /// instead of a row of zeros around it.
    bool isOneOutputEach() const
    {
        const std::vector<trees::Tree>& trees = m_model.trees();
        const auto outputs = static_cast<std::size_t>(m_outputs);
        bool isEach = outputs > 1 && trees.size() % outputs == 0;
        for (std::size_t i = 0; isEach && i < trees.size(); ++i) {
            isEach = trees[i].output == static_cast<std::int32_t>(i % outputs);
        }
        return isEach;
    }

    void addTest(const TreeTest& test)
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
        // Flags of all sets lie in one list, one after the other: a graph has no lists of lists.
        const std::size_t begin = m_nodes.setBits.size();
        m_nodes.sets.push_back(static_cast<std::int32_t>(begin));
        m_nodes.setSizes.push_back(size); // the last id stands for all above
        m_nodes.setBits.resize(begin + static_cast<std::size_t>(size), true);
        for (const std::int32_t category : test.categories) {
            m_nodes.setBits[begin + static_cast<std::size_t>(category)] = false;
        }
    }

    NodeRef noTrees()
    {
        // An ensemble without trees predicts 0, which as a graph needs the size of the batch.
        const NodeRef shape =
            m_graph.add("Pack", "shape",
                        {m_emission.batchSize,
                         m_graph.constant("outputs", static_cast<std::int32_t>(m_outputs))},
                        {{"T", DType::Int32}, {"N", std::int64_t{2}}});
        return m_graph.add("Fill", "logits", {shape, m_graph.constant("zero", 0.0F)},
                           {{"T", DType::Float32}, {"index_type", DType::Int32}});
    }

    /// [batch, columns] of an input that is not a number.
    NodeRef columnsOf(const graph::LearnerInput& input)
    {
        const storage::EmittedValue& slot = m_emission.slots[static_cast<std::size_t>(input.slot)];
        if (input.kind != LearnerInputKind::Indicator) {
            return cells(slot, m_model.columnsOf(input), m_model.hasSets(input) ? -1 : 0);
        }
        const graph::LayerGraph none;
        const graph::Node node;
        const NodeRef counts = layers::emitIndicator({.graph = m_graph,
                                                      .layers = none,
                                                      .node = node,
                                                      .inputs = {},
                                                      .variables = {},
                                                      .batchSize = m_emission.batchSize},
                                                     slot, input.width);
        // TensorFlow reads an indicator column for trees as buckets of 0 and 1, whatever the count.
        const NodeRef occurs =
            binary("Greater", "occurs", counts, m_graph.constant("half", 0.5F), DType::Float32);
        return m_graph.add("Cast", "indicator", {occurs},
                           {{"SrcT", DType::Bool}, {"DstT", DType::Int32}});
    }

    /// The first ids of each row; what is not there is `missing`, what is none of the categories
    /// -1.
    NodeRef cells(const storage::EmittedValue& slot, std::int32_t dimensions, std::int64_t missing)
    {
        const NodeRef known =
            m_graph.add("Maximum", "known",
                        {layers::nodeRef(slot.ids), m_graph.constant("unknown", std::int64_t{-1})},
                        {{"T", DType::Int64}});
        const NodeRef ids =
            m_graph.add("Cast", "ids", {known}, {{"SrcT", DType::Int64}, {"DstT", DType::Int32}});
        // At least as many columns as the longest row, and as the trees read.
        const NodeRef least = m_graph.constant(
            "least", std::vector<std::int64_t>{0, static_cast<std::int64_t>(dimensions)});
        const NodeRef shape = m_graph.add(
            "Maximum", "shape", {layers::nodeRef(slot.denseShape), least}, {{"T", DType::Int64}});
        const NodeRef dense =
            m_graph.add("SparseToDense", "dense",
                        {layers::nodeRef(slot.indices), shape, ids,
                         m_graph.constant("none", static_cast<std::int32_t>(missing))},
                        {{"T", DType::Int32}, {"Tindices", DType::Int64}});
        return m_graph.add("Slice", "cells",
                           {dense, m_graph.constant("begin", std::vector<std::int32_t>{0, 0}),
                            m_graph.constant("size", std::vector<std::int32_t>{-1, dimensions})},
                           {{"T", DType::Int32}, {"Index", DType::Int32}});
    }

    /// All features of the rows side by side: [batch, columns].
    NodeRef rows()
    {
        const auto scope = m_graph.enterScope("features");
        std::vector<NodeRef> numbers;
        std::vector<NodeRef> others;
        for (const graph::LearnerInput& input : m_emission.source.learner.inputs) {
            if (input.kind == LearnerInputKind::Numbers) {
                numbers.push_back(
                    layers::nodeRef(m_emission.slots[static_cast<std::size_t>(input.slot)].dense));
            } else {
                others.push_back(columnsOf(input));
            }
        }
        if (!numbers.empty()) {
            others.insert(others.begin(),
                          features::emitPlaces(m_graph, sideBySide(numbers, DType::Float32),
                                               m_model.orders(), kMissing));
        }
        return sideBySide(others, DType::Int32);
    }

    NodeRef sideBySide(std::vector<NodeRef> parts, DType dtype)
    {
        if (parts.size() == 1) {
            return parts.front();
        }
        const auto count = static_cast<std::int64_t>(parts.size());
        parts.push_back(m_graph.constant("axis", std::int32_t{1}));
        return m_graph.add("ConcatV2", "concat", parts,
                           {{"T", dtype}, {"N", count}, {"Tidx", DType::Int32}});
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
        const NodeRef begins = binary("Mul", "begins", range,
                                      m_graph.constant("width", m_model.width()), DType::Int32);
        return m_graph.add("ExpandDims", "column",
                           {begins, m_graph.constant("column/axis", std::int32_t{1})},
                           {{"T", DType::Int32}, {"Tdim", DType::Int32}});
    }

    NodeRef descend(const NodeRef& matrix)
    {
        const auto count = static_cast<std::int64_t>(m_nodes.columns.size());
        m_axis = m_graph.constant("axis", std::int32_t{0});
        // All matrices as one list: a gather by (row begin + column) is one operation, where
        // gather_nd needs pairs of indices.
        m_flat =
            m_graph.add("Reshape", "flat",
                        {matrix, m_graph.constant("flat/shape", std::vector<std::int32_t>{-1})},
                        {{"T", DType::Int32}, {"Tshape", DType::Int32}});
        m_begins = rowBegins();
        m_columns = integers("columns", m_nodes.columns, {count});
        m_cuts = integers("cuts", m_nodes.cuts, {count});
        m_left = integers("left", m_nodes.left, {count});
        m_right = integers("right", m_nodes.right, {count});
        // Zeros of shape [batch, 1] broadcast the roots over the batch.
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
        const NodeRef values = m_graph.constant("values", m_nodes.values,
                                                Shape{count, m_isOneOutputEach ? 1 : m_outputs});
        NodeRef leaves = gather("leaves", values, node, DType::Float32);
        if (m_isOneOutputEach) {
            // [batch, trees of each output, outputs]
            const auto outputs = static_cast<std::int32_t>(m_outputs);
            const auto rounds = static_cast<std::int32_t>(m_nodes.roots.size()) / outputs;
            leaves = m_graph.add(
                "Reshape", "by_output",
                {leaves, m_graph.constant("by_output/shape",
                                          std::vector<std::int32_t>{-1, rounds, outputs})},
                {{"T", DType::Float32}, {"Tshape", DType::Int32}});
        }
        return m_graph.add("Sum", "logits", {leaves, m_graph.constant("trees", std::int32_t{1})},
                           {{"T", DType::Float32}, {"Tidx", DType::Int32}});
    }

    NodeRef goesRight(const NodeRef& node)
    {
        const NodeRef place =
            binary("AddV2", "place", gather("columns", m_columns, node, DType::Int32), m_begins,
                   DType::Int32);
        const NodeRef cell = gather("cell", m_flat, place, DType::Int32);
        const NodeRef cut = gather("cut", m_cuts, node, DType::Int32);
        // To the left if cell <= cut. A missing number is the smallest integer, so it goes left
        // unless the node says otherwise.
        NodeRef right = binary("Greater", "above", cell, cut, DType::Int32);
        if (any(m_nodes.equality)) {
            right =
                choose("by_kind",
                       gather("equality", flags("equalities", m_nodes.equality), node, DType::Bool),
                       binary("NotEqual", "other", cell, cut, DType::Int32), right, DType::Bool);
        }
        if (any(m_nodes.missingRight)) {
            const NodeRef isMissing =
                binary("Equal", "missing", cell, m_graph.constant("none", kMissing), DType::Int32);
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
        // Ids are clamped to the set's bits: the last one stands for everything beyond, and is
        // outside.
        const auto count = static_cast<std::int64_t>(m_nodes.columns.size());
        std::vector<std::int32_t> last = m_nodes.setSizes;
        for (std::int32_t& size : last) {
            --size;
        }
        const NodeRef bound =
            gather("last_ids", integers("lasts", last, {count}), node, DType::Int32);
        const NodeRef inside = binary("Minimum", "inside", cell, bound, DType::Int32);
        const NodeRef bit = binary(
            "AddV2", "bit",
            gather("sets", integers("set_begins", m_nodes.sets, {count}), node, DType::Int32),
            binary("Maximum", "at_least", inside, m_graph.constant("none", std::int32_t{0}),
                   DType::Int32),
            DType::Int32);
        const NodeRef outside =
            gather("outside", flags("not_members", m_nodes.setBits), bit, DType::Bool);
        // The clamp has turned a missing id into 0, so it is looked at on its own.
        const NodeRef isNone = binary("Less", "is_none", cell,
                                      m_graph.constant("zero", std::int32_t{0}), DType::Int32);
        const NodeRef known = choose("known", isNone, missingRight(node), outside, DType::Bool);
        return choose("of_set",
                      gather("is_set", flags("are_sets", m_nodes.isSet), node, DType::Bool), known,
                      right, DType::Bool);
    }

    GraphDefBuilder& m_graph;
    const TreeEmission& m_emission;
    std::int64_t m_outputs;
    const TreeModel& m_model;
    Nodes m_nodes;
    bool m_isOneOutputEach = false;
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
    CANNERY_TRY_ASSIGN(const TreeModel model, TreeModel::read(emission.source));
    return TreeEmitter(graph, emission, model).emit();
}

} // namespace cannery::exporting
