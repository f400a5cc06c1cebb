// SPDX-License-Identifier: Apache-2.0
#include "core/trees/layer_splits.h"

#include "core/trees/pivoted_solve.h"

#include <algorithm>
#include <cmath>

namespace cannery::trees {

namespace {

/// TensorFlow's kEps: gains this close are ties, and curvatures as small give no leaf a value.
constexpr float kTiny = 1e-15F;

/// First and second derivatives, added up.
using Sums = std::vector<float>;

void addTo(Sums& sums, std::span<const float> more)
{
    std::ranges::transform(sums, more, sums.begin(), std::plus<>());
}

Sums difference(const Sums& whole, const Sums& part)
{
    Sums rest(whole.size());
    std::ranges::transform(whole, part, rest.begin(), std::minus<>());
    return rest;
}

/// First derivatives of all outputs, then second ones.
LeafValue leafOfSums(const Sums& sums, std::size_t outputs, const LayerOptions& options)
{
    const std::span<const float> all(sums);
    return bestLeaf(all.first(outputs), all.subspan(outputs), options);
}

LeafValue leafOfOne(float gradient, float hessian, const LayerOptions& options)
{
    LeafValue leaf{.value = {0.0F}};
    if (options.l1 > 0.0F) {
        if (std::fabs(gradient) <= options.l1) {
            return leaf;
        }
        gradient -= std::copysign(options.l1, gradient);
    }
    const float curvature = hessian + options.l2;
    if (curvature > kTiny) {
        leaf.value.front() = -gradient / curvature;
        leaf.gain = -gradient * leaf.value.front();
    }
    return leaf;
}

float norm(std::span<const float> values)
{
    float squares = 0.0F;
    for (const float value : values) {
        squares += value * value;
    }
    return std::sqrt(squares);
}

/// Searches one column for one node.
class ColumnSearch
{
public:
    ColumnSearch(const std::vector<float>& statistics, const LayerStatistics& of,
                 const LayerOptions& options)
        : m_statistics(statistics), m_outputs(static_cast<std::size_t>(of.outputs())),
          m_width(of.width()), m_options(options), m_total(m_width),
          m_missing(bucket(buckets()).begin(), bucket(buckets()).end())
    {
        for (std::size_t i = 0; i <= buckets(); ++i) {
            addTo(m_total, bucket(i));
        }
    }

    bool isTooLight() const
    {
        return norm(std::span(m_total).subspan(m_outputs)) < m_options.minNodeWeight;
    }

    // Sums from the left grow bucket by bucket; a category is a bucket alone.
    std::optional<SplitCandidate> search(bool isCategory)
    {
        Sums left(m_width);
        for (std::size_t i = 0; i < buckets(); ++i) {
            if (isCategory) {
                std::ranges::fill(left, 0.0F);
                addTo(left, bucket(i));
                consider(left, i, false);
                continue;
            }
            addTo(left, bucket(i));
            Sums withMissing = left;
            addTo(withMissing, m_missing);
            // Missing values left first: of equal gains TensorFlow keeps the first.
            consider(withMissing, i, true);
            consider(left, i, false);
        }
        if (m_best) {
            m_best->isCategory = isCategory;
            m_best->gain =
                m_gain - leafOfSums(m_total, m_outputs, m_options).gain - m_options.treeComplexity;
        }
        return std::move(m_best);
    }

    /// Of the best split.
    float childrenGain() const { return m_gain; }

private:
    std::size_t buckets() const { return m_statistics.size() / m_width - 1; }
    std::span<const float> bucket(std::size_t index) const
    {
        return std::span(m_statistics).subspan(index * m_width, m_width);
    }

    void consider(const Sums& left, std::size_t threshold, bool missingLeft)
    {
        LeafValue leftLeaf = leafOfSums(left, m_outputs, m_options);
        LeafValue rightLeaf = leafOfSums(difference(m_total, left), m_outputs, m_options);
        const float gain = leftLeaf.gain + rightLeaf.gain;
        // A gain must exceed the best by more than kTiny, so that rounding does not choose.
        if (m_best && !(gain - m_gain > kTiny)) {
            return;
        }
        m_gain = gain;
        m_best = SplitCandidate{.threshold = static_cast<std::int32_t>(threshold),
                                .missingLeft = missingLeft,
                                .left = std::move(leftLeaf.value),
                                .right = std::move(rightLeaf.value)};
    }

    const std::vector<float>& m_statistics;
    std::size_t m_outputs;
    std::size_t m_width;
    const LayerOptions& m_options;
    Sums m_total;
    Sums m_missing;
    float m_gain = 0.0F;
    std::optional<SplitCandidate> m_best;
};

/// Columns of one group (as many buckets, split by order or not) are compared strictly, by what
/// both children gain, before the parent's gain is subtracted, whose rounding differs from column
/// to column; between groups, equal gains go to the smaller feature.
class NodeSearch
{
public:
    void take(SplitCandidate candidate, float childrenGain, std::int32_t group)
    {
        const auto place = std::ranges::find(m_groups, group, &Group::key);
        if (place == m_groups.end()) {
            m_groups.push_back({group, childrenGain, std::move(candidate)});
        } else if (childrenGain > place->childrenGain) {
            *place = {group, childrenGain, std::move(candidate)};
        }
    }

    std::optional<SplitCandidate> best()
    {
        std::optional<SplitCandidate> best;
        for (Group& group : m_groups) {
            SplitCandidate& candidate = group.best;
            const bool isTie = best && std::fabs(candidate.gain - best->gain) < kTiny;
            if (!best ||
                (isTie ? candidate.feature < best->feature : candidate.gain > best->gain)) {
                best = std::move(candidate);
            }
        }
        return best;
    }

private:
    struct Group
    {
        std::int32_t key = 0;
        float childrenGain = 0.0F;
        SplitCandidate best;
    };
    std::vector<Group> m_groups;
};

std::optional<SplitCandidate> bestSplit(const LayerStatistics& statistics, std::int32_t node,
                                        const LayerOptions& options)
{
    NodeSearch search;
    std::vector<float> sums;
    const auto searchIn = [&](const LayerStatistics::Column& column, const BucketFeature& feature) {
        statistics.averages(column, node, sums);
        ColumnSearch inColumn(sums, statistics, options);
        if (inColumn.isTooLight()) {
            return;
        }
        if (auto candidate = inColumn.search(feature.isCategory)) {
            candidate->feature = column.feature;
            candidate->dimension = column.dimension;
            search.take(*std::move(candidate), inColumn.childrenGain(), feature.buckets);
        }
    };
    // Numbers first, then buckets: the groups are compared in this order.
    for (const bool isBucketized : {false, true}) {
        for (const LayerStatistics::Column& column : statistics.columns()) {
            const BucketFeature& feature =
                statistics.features()[static_cast<std::size_t>(column.feature)];
            if (feature.isBucketized == isBucketized) {
                searchIn(column, feature);
            }
        }
    }
    return search.best();
}

} // namespace

LeafValue bestLeaf(std::span<const float> first, std::span<const float> second,
                   const LayerOptions& options)
{
    const std::size_t outputs = first.size();
    // One output needs no system of equations.
    if (outputs == 1) {
        return leafOfOne(first.front(), second.front(), options);
    }
    // l2 on the diagonal of the Hessian; then value = -(H + l2 I)^-1 g.
    std::vector<float> matrix(second.begin(), second.end());
    for (std::size_t output = 0; output < outputs; ++output) {
        matrix[output * (outputs + 1)] += options.l2;
    }
    LeafValue leaf{.value = std::vector<float>(first.begin(), first.end())};
    solvePivoted(matrix, leaf.value);
    for (std::size_t output = 0; output < outputs; ++output) {
        leaf.gain += first[output] * leaf.value[output];
        leaf.value[output] = -leaf.value[output];
    }
    return leaf;
}

std::vector<std::optional<SplitCandidate>> bestSplits(const LayerStatistics& statistics,
                                                      const LayerOptions& options,
                                                      kernels::ThreadPool& pool)
{
    // A node's columns are searched by one thread, so ties do not depend on their number.
    std::vector<std::optional<SplitCandidate>> splits(
        static_cast<std::size_t>(statistics.nodeCount()));
    pool.parallelFor(statistics.nodeCount(), [&](std::int64_t node, int /*worker*/) {
        splits[static_cast<std::size_t>(node)] =
            bestSplit(statistics, static_cast<std::int32_t>(node), options);
    });
    return splits;
}

} // namespace cannery::trees
