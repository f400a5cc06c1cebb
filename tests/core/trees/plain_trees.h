// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/histogram_growth.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace cannery::tests {

/// A table of numbers, some missing, with whole gradients.
struct PlainTable
{
    std::vector<std::vector<float>> columns;
    std::vector<float> gradients;
    std::vector<float> hessians;

    std::size_t rows() const { return gradients.size(); }
};

/// Leaf-wise growth by trying every split of every leaf on the rows themselves: what trees over
/// histograms must agree with. Gives the value of each row's leaf.
class PlainTree
{
public:
    PlainTree(const PlainTable& table, const trees::HistogramGrowthOptions& options)
        : m_table(table), m_options(options)
    {
        std::vector<std::size_t> all;
        for (std::size_t row = 0; row < table.rows(); ++row) {
            all.push_back(row);
        }
        m_leaves.push_back({all, 0});
        while (static_cast<std::int64_t>(m_leaves.size()) < options.maxLeaves && splitBest()) {
        }
    }

    std::size_t leafCount() const { return m_leaves.size(); }

    std::vector<float> values() const
    {
        std::vector<float> values(m_table.rows());
        for (const Leaf& leaf : m_leaves) {
            const auto [g, h] = sums(leaf.rows);
            for (const std::size_t row : leaf.rows) {
                values[row] =
                    static_cast<float>(m_options.learningRate * -shrink(g) / (h + m_options.l2));
            }
        }
        return values;
    }

private:
    using Rows = std::vector<std::size_t>;
    struct Leaf
    {
        Rows rows;
        std::int64_t depth = 0;
    };
    struct Split
    {
        double gain = 0;
        std::size_t leaf = 0;
        Rows left;
        Rows right;
    };

    double shrink(double g) const
    {
        return g > 0 ? std::max(0.0, g - m_options.l1) : std::min(0.0, g + m_options.l1);
    }
    std::pair<double, double> sums(const Rows& rows) const
    {
        double g = 0;
        double h = 0;
        for (const std::size_t row : rows) {
            g += m_table.gradients[row];
            h += m_table.hessians[row];
        }
        return {g, h};
    }
    double score(const Rows& rows) const
    {
        const auto [g, h] = sums(rows);
        return h + m_options.l2 > 0 ? shrink(g) * shrink(g) / (h + m_options.l2) : 0;
    }

    void consider(std::size_t leaf, Rows left, Rows right, Split& best) const
    {
        const auto least = static_cast<std::size_t>(m_options.minRowsPerLeaf);
        if (left.size() < least || right.size() < least) {
            return;
        }
        const double gain =
            score(left) + score(right) - score(m_leaves[leaf].rows) - m_options.complexity;
        if (gain > best.gain) {
            best = {gain, leaf, std::move(left), std::move(right)};
        }
    }

    bool splitBest()
    {
        Split best;
        for (std::size_t l = 0; l < m_leaves.size(); ++l) {
            const bool isHeavy = sums(m_leaves[l].rows).second >= m_options.minNodeWeight;
            if (m_leaves[l].depth >= m_options.maxDepth || !isHeavy) {
                continue;
            }
            for (const std::vector<float>& column : m_table.columns) {
                for (const std::size_t cutRow : m_leaves[l].rows) {
                    for (const bool missingLeft : {false, true}) {
                        Rows left;
                        Rows right;
                        for (const std::size_t row : m_leaves[l].rows) {
                            const bool isLeft = std::isnan(column[row])
                                                    ? missingLeft
                                                    : column[row] <= column[cutRow];
                            (isLeft ? left : right).push_back(row);
                        }
                        consider(l, std::move(left), std::move(right), best);
                    }
                }
            }
        }
        if (best.gain <= 0) {
            return false;
        }
        const std::int64_t depth = m_leaves[best.leaf].depth + 1;
        m_leaves[best.leaf] = {best.left, depth};
        m_leaves.push_back({best.right, depth});
        return true;
    }

    const PlainTable& m_table;
    const trees::HistogramGrowthOptions& m_options;
    std::vector<Leaf> m_leaves;
};

} // namespace cannery::tests
