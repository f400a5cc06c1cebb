// SPDX-License-Identifier: Apache-2.0
#include "core/export/tree_model.h"

#include "core/features/feature_column.h"
#include "core/features/numeric_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace cannery::exporting {

using features::RawOrder;
using graph::LearnerInput;
using graph::LearnerInputKind;

namespace {

constexpr ErrorKind kBoundaries{"export.tree_boundaries",
                                "The checkpoint has no quantile boundaries of feature {}, which "
                                "the trees split; it belongs to another experiment."};

/// The column of numbers that an input is made of, if it is one of the schema's.
const features::NumericColumn* numericColumn(const TreeSource& source, const LearnerInput& input)
{
    return dynamic_cast<const features::NumericColumn*>(
        source.encoder.columns()[static_cast<std::size_t>(input.slot)].get());
}

} // namespace

Result<TreeModel> TreeModel::read(const TreeSource& source)
{
    // Numbers first: parsing the ensemble needs the number of features, and how many columns the
    // others take depends on the trees that were parsed.
    TreeModel model(source);
    model.placeNumbers();
    if (const storage::TensorView* bytes = model.find("boosted_trees:0_serialized");
        bytes != nullptr && !bytes->strings.empty()) {
        CANNERY_TRY_ASSIGN(model.m_ensemble,
                           trees::Ensemble::parse(
                               std::as_bytes(std::span(bytes->strings.front())),
                               static_cast<std::int32_t>(model.m_features.size()), source.outputs));
    }
    model.placeOthers();
    return model;
}

/// All features in order; and the columns of numbers.
void TreeModel::placeNumbers()
{
    for (const LearnerInput& input : m_source.learner.inputs) {
        const bool isNumber = input.kind == LearnerInputKind::Numbers;
        // An indicator is one feature for each of its ids, as in TensorFlow.
        const bool isOneEach = isNumber || input.kind == LearnerInputKind::Indicator;
        for (std::int64_t i = 0; i < (isOneEach ? input.width : 1); ++i) {
            m_features.push_back({.input = &input, .element = i});
            if (isNumber) {
                const features::NumericColumn* column = numericColumn(m_source, input);
                m_features.back().column = m_width++;
                m_features.back().number = std::ssize(m_orders);
                m_orders.emplace_back(column == nullptr ? features::Normalizer()
                                                        : column->normalizer());
            }
        }
    }
}

/// A category has as many columns as trees ask for.
void TreeModel::placeOthers()
{
    for (std::size_t feature = 0; feature < m_features.size(); ++feature) {
        if (m_features[feature].number < 0) {
            m_features[feature].column = m_width;
            m_width += dimensionsOf(feature);
        }
    }
}

const storage::TensorView* TreeModel::find(const std::string& name) const
{
    const auto found = std::ranges::find(m_source.tensors, name, &storage::NamedTensor::name);
    return found == m_source.tensors.end() ? nullptr : &found->tensor;
}

std::int32_t TreeModel::dimensionsOf(std::size_t feature) const
{
    const LearnerInput& input = *m_features[feature].input;
    // An empty tree ensemble still has all dimensions of a bucketized column.
    std::int32_t most =
        input.kind == LearnerInputKind::Buckets ? static_cast<std::int32_t>(input.dimensions) : 1;
    for (const trees::Tree& tree : m_ensemble.trees) {
        for (const trees::Node& node : tree.nodes) {
            if (!node.isLeaf() && static_cast<std::size_t>(node.feature) == feature) {
                most = std::max(most, node.dimension + 1);
            }
        }
    }
    return most;
}

/// All features of an input that is not a number lie side by side, from its first one on.
std::int32_t TreeModel::columnsOf(const LearnerInput& input) const
{
    const auto first = std::ranges::find(m_features, &input, &Placed::input);
    return dimensionsOf(static_cast<std::size_t>(first - m_features.begin()));
}

bool TreeModel::hasSets(const LearnerInput& input) const
{
    return std::ranges::any_of(m_ensemble.trees, [&](const trees::Tree& tree) {
        return std::ranges::any_of(tree.nodes, [&](const trees::Node& node) {
            return node.kind == trees::SplitKind::Categories &&
                   m_features[static_cast<std::size_t>(node.feature)].input == &input;
        });
    });
}

Result<TreeTest> TreeModel::testOf(const trees::Node& node) const
{
    const Placed& placed = m_features[static_cast<std::size_t>(node.feature)];
    TreeTest test{.column = placed.column + node.dimension};
    switch (node.kind) {
    case trees::SplitKind::Number:
        test.cut = cutAbove(node.cut, placed);
        test.missingRight = !node.missingLeft;
        break;
    case trees::SplitKind::Category:
        test.isEquality = true;
        test.cut = node.threshold;
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

/// The last place of the numbers that are not above this one, for trees, which compare with
/// denormals flushed to 0 (kernels::FlushDenormals).
std::int32_t TreeModel::cutAbove(float number, const Placed& placed) const
{
    constexpr float kLeast = std::numeric_limits<float>::min();
    const RawOrder& order = m_orders[static_cast<std::size_t>(placed.number)];
    const std::int32_t place =
        std::fabs(number) < kLeast ? order.firstAtLeast(kLeast) : order.firstAbove(number);
    // The cut is the last place that still goes left. If every number is below it, nothing goes
    // right.
    return place == RawOrder::kNowhere ? TreeTest::kNever : place - 1;
}

/// A threshold of buckets as one of what the matrix holds.
Result<std::int32_t> TreeModel::cutOf(const trees::Node& node, const Placed& placed) const
{
    const std::int32_t threshold = node.threshold;
    // Indicators hold 0 or 1, thresholds lie between.
    if (placed.input->kind == LearnerInputKind::Indicator) {
        return threshold < 1 ? 0 : TreeTest::kNever;
    }
    if (placed.input->kind == LearnerInputKind::Buckets) {
        const auto buckets = static_cast<std::int32_t>(placed.input->buckets());
        // A bucketized column of several dimensions numbers its buckets through: dimension by
        // dimension.
        return threshold + 1 < buckets ? node.dimension * buckets + threshold : TreeTest::kNever;
    }
    const storage::TensorView* view = find(
        fmt::format("boosted_trees/QuantileAccumulator:0_bucket_boundaries_{}", placed.number));
    if (view == nullptr) {
        return fail(ErrorCode::NotFound, kBoundaries, node.feature);
    }
    std::vector<float> boundaries(view->bytes.size() / sizeof(float));
    // Copied, as the bytes of a tensor need not be aligned for floats.
    std::memcpy(boundaries.data(), view->bytes.data(), boundaries.size() * sizeof(float));
    // The last bucket has all that is above, too.
    return threshold + 1 < std::ssize(boundaries)
               ? cutAbove(boundaries[static_cast<std::size_t>(threshold)], placed)
               : TreeTest::kNever;
}

Result<void> TreeModel::addEdges(std::vector<features::RawEdges>& edges) const
{
    std::map<std::int32_t, std::vector<std::int32_t>> places; // by feature
    for (const trees::Tree& tree : m_ensemble.trees) {
        for (const trees::Node& node : tree.nodes) {
            const bool isNumber =
                !node.isLeaf() && m_features[static_cast<std::size_t>(node.feature)].number >= 0;
            // Of categories there are no neighbours to try.
            if (isNumber) {
                CANNERY_TRY_ASSIGN(const TreeTest test, testOf(node));
                if (test.cut != TreeTest::kNever) {
                    places[node.feature].push_back(test.cut + 1);
                }
            }
        }
    }
    for (auto& [feature, found] : places) {
        const Placed& placed = m_features[static_cast<std::size_t>(feature)];
        const features::NumericColumn* column = numericColumn(m_source, *placed.input);
        if (column != nullptr) {
            std::ranges::sort(found);
            found.erase(std::unique(found.begin(), found.end()), found.end());
            edges.push_back({.feature = column->feature(),
                             .element = placed.element,
                             .places = std::move(found),
                             .order = m_orders[static_cast<std::size_t>(placed.number)]});
        }
    }
    return {};
}

} // namespace cannery::exporting
