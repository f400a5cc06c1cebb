// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_grower.h"

#include "core/trees/histogram_sampling.h"

#include <algorithm>
#include <cmath>

namespace cannery::trees {

namespace {

/// Columns that one thread searches at once.
constexpr std::int64_t kSearchedColumns = 2;
/// Rows whose gradients are summed at once, always in the same blocks.
constexpr std::int64_t kLeafRows = 16 * 1024;
/// Memory for the sums of leaves that may be split later; without it they are built again.
constexpr std::int64_t kKeptBytes = std::int64_t{256} << 20;

} // namespace

HistogramGrower::HistogramGrower(const HistogramTable& table, HistogramGrowthOptions options,
                                 kernels::ThreadPool& pool, LeafDevice* device)
    : m_table(table), m_options(std::move(options)), m_pool(pool), m_device(device),
      m_builder(table, pool, device), m_partition(pool),
      m_ownPacked(device == nullptr ? static_cast<std::size_t>(table.rowCount()) : 0),
      m_packed(device == nullptr ? std::span(m_ownPacked) : device->gradients())
{
    const auto bytes = static_cast<std::int64_t>(3 * sizeof(std::int64_t)) * table.binCount();
    // A split needs two of them: the parent's and that of the smaller child.
    m_mostKept = std::max<std::int64_t>(2, kKeptBytes / std::max<std::int64_t>(bytes, 1));
}

Result<Tree> HistogramGrower::grow(const GrowthTarget& target, const TreeGradients& gradients,
                                   float* predictions, std::int64_t stride)
{
    m_target = target;
    // Sums, and with them the choice of splits, are of integers: the same tree for any number of
    // threads.
    beginTree(gradients);
    const Result<void> grown = growLeaves();
    if (grown) {
        setLeafValues(gradients);
        addToPredictions(predictions, stride);
    }
    // Buffers go back even after an error of the device, as the grower may be used again.
    m_queue = {};
    m_kept = 0;
    for (Leaf& leaf : m_leaves) {
        giveBack(std::move(leaf.histogram));
    }
    m_leaves.clear();
    CANNERY_TRY(grown);
    m_tree.isFinal = true;
    return std::move(m_tree);
}

void HistogramGrower::beginTree(const TreeGradients& gradients)
{
    m_units = packGradients(m_pool, gradients, m_packed);
    if (m_device != nullptr) {
        m_device->beginTree();
    }
    const TreeDraw draw{m_options.seed, static_cast<std::uint64_t>(m_target.tree)};
    m_partition.begin(drawRows(m_pool, draw, m_table.rowCount(), m_options.rowFraction));
    m_columns = drawColumns(draw, m_table.columns().size(), m_options.columnFraction);
    m_builder.select(m_columns);
}

Result<void> HistogramGrower::growLeaves()
{
    CANNERY_TRY(growRoot());
    while (!m_queue.empty() && static_cast<std::int64_t>(m_leaves.size()) < m_options.maxLeaves) {
        CANNERY_TRY(splitBest());
    }
    return {};
}

Result<void> HistogramGrower::growRoot()
{
    m_tree = {};
    m_tree.output = m_target.outputs > 1 ? static_cast<std::int32_t>(m_target.output) : -1;
    m_tree.nodes.emplace_back();
    m_leftBins.assign(1, {});
    m_columnOfNode.assign(1, -1);
    Leaf& root = m_leaves.emplace_back();
    root.rows = m_partition.all();
    m_tree.nodes.front().value = valueOf(0.0);
    if (m_columns.empty() || m_options.maxLeaves < 2) {
        return {};
    }
    m_builder.add(m_partition.rows(root.rows), m_packed);
    // Meanwhile, if a device sums:
    for (const std::uint32_t row : m_partition.rows(root.rows)) {
        root.totals.gradient += kernels::packedGradient(m_packed[row]);
        root.totals.hessian += kernels::packedHessian(m_packed[row]);
    }
    root.totals.rows = root.rows.count;
    root.histogram = takeHistogram();
    CANNERY_TRY(m_builder.wait());
    // Columns are finished by the threads that search them, while their sums are in the cache.
    search({&root}, [&](std::size_t column) { m_builder.finish(column, *root.histogram); });
    offer(0);
    return {};
}

bool HistogramGrower::maySplit(const Leaf& leaf) const
{
    const double hessian = static_cast<double>(leaf.totals.hessian) * m_units.hessian;
    return leaf.rows.count >= 2 * m_options.minRowsPerLeaf && leaf.depth < m_options.maxDepth &&
           hessian >= m_options.minNodeWeight;
}

/// Leaves are split by their gain; of equal ones the older first.
void HistogramGrower::offer(std::size_t index)
{
    Leaf& leaf = m_leaves[index];
    // Beyond the limit of memory the histogram is dropped, and built again if the leaf is split.
    const bool isKept = leaf.split.column >= 0 && m_kept < m_mostKept;
    if (isKept) {
        ++m_kept;
    } else {
        giveBack(std::move(leaf.histogram));
    }
    if (leaf.split.column >= 0) {
        // Negative, as the queue puts the largest first and the older of equal leaves is to come
        // first.
        m_queue.emplace(leaf.split.gain, -static_cast<std::int64_t>(index));
    }
}

Result<void> HistogramGrower::splitBest()
{
    const auto index = static_cast<std::size_t>(-m_queue.top().second);
    m_queue.pop();
    // Before the references: the vector may move.
    const std::size_t rightIndex = m_leaves.size();
    m_leaves.emplace_back();
    Leaf& left = m_leaves[index];
    Leaf& right = m_leaves[rightIndex];
    std::unique_ptr<LeafHistogram> parent = std::move(left.histogram);
    m_kept -= parent != nullptr ? 1 : 0;
    splitLeaf(left, right);
    // The leaves that the last split makes are not split, so nobody needs their sums.
    const bool isLast = static_cast<std::int64_t>(m_leaves.size()) == m_options.maxLeaves;
    if (isLast || !(maySplit(left) || maySplit(right))) {
        giveBack(std::move(parent));
        return {};
    }
    CANNERY_TRY(findSplits(left, right, std::move(parent)));
    offer(index);
    offer(rightIndex);
    return {};
}

/// Makes `leaf` the left one of two.
void HistogramGrower::splitLeaf(Leaf& leaf, Leaf& right)
{
    const HistogramSplit split = leaf.split;
    const std::int64_t leftCount = m_partition.split(
        leaf.rows, m_table.bins(static_cast<std::size_t>(split.column)), split.leftBins);
    const auto first = static_cast<std::int32_t>(m_tree.nodes.size());
    Node node = splitNode(split);
    node.value = std::move(m_tree.nodes[leaf.node].value);
    node.left = first;
    node.right = first + 1;
    m_tree.nodes[leaf.node] = std::move(node);
    m_leftBins[leaf.node] = split.leftBins;
    m_columnOfNode[leaf.node] = split.column;
    m_tree.nodes.resize(m_tree.nodes.size() + 2);
    m_leftBins.resize(m_tree.nodes.size());
    m_columnOfNode.resize(m_tree.nodes.size(), -1);

    right.node = first + 1;
    right.rows = {leaf.rows.first + leftCount, leaf.rows.count - leftCount};
    right.depth = leaf.depth + 1;
    right.totals = leaf.totals - split.left;
    right.bounds = leaf.bounds;
    // In place: the leaf that was split becomes its own left child, so no list of leaves has holes.
    leaf.node = first;
    leaf.rows.count = leftCount;
    ++leaf.depth;
    leaf.totals = split.left;
    boundChildren(split, leaf, right);
    leaf.split = {};
    m_tree.layersGrown = std::max(m_tree.layersGrown, static_cast<std::int32_t>(leaf.depth));
    const LeafScore score(m_options, m_units, m_target.leastHessian);
    for (const Leaf* child : {&leaf, &right}) {
        m_tree.nodes[child->node].value = valueOf(score.value(
            score.gradient(child->totals), score.hessian(child->totals), child->bounds));
    }
}

/// The middle between the children's values separates all that grows below a monotone split.
void HistogramGrower::boundChildren(const HistogramSplit& split, Leaf& left, Leaf& right) const
{
    const int direction = m_options.monotone.empty() ? 0 : m_options.monotone[split.column];
    if (direction == 0) {
        return;
    }
    const LeafScore score(m_options, m_units, m_target.leastHessian);
    const auto valueOf = [&score](const Leaf& leaf) {
        return score.value(score.gradient(leaf.totals), score.hessian(leaf.totals), leaf.bounds);
    };
    const double middle = (valueOf(left) + valueOf(right)) / 2;
    Leaf& lower = direction > 0 ? left : right;
    Leaf& upper = direction > 0 ? right : left;
    lower.bounds.upper = middle;
    upper.bounds.lower = middle;
}

/// Builds the sums of the smaller leaf; those of the larger are the parent's less these, or are
/// built too if the parent's were not kept. The sums are of integers, so differences are exact.
Result<void> HistogramGrower::findSplits(Leaf& left, Leaf& right,
                                         std::unique_ptr<LeafHistogram> parent)
{
    const bool isLeftSmaller = left.rows.count <= right.rows.count;
    Leaf& smaller = isLeftSmaller ? left : right;
    Leaf& larger = isLeftSmaller ? right : left;
    // Larger minus smaller costs a pass over bins instead of rows.
    const bool hasParent = parent != nullptr;
    if (hasParent) {
        larger.histogram = std::move(parent);
    } else {
        CANNERY_TRY_ASSIGN(larger.histogram, sumUp(larger));
    }
    m_builder.add(m_partition.rows(smaller.rows), m_packed);
    smaller.histogram = takeHistogram();
    CANNERY_TRY(m_builder.wait());
    // Column by column, so that a column's sums are subtracted and searched while they are in the
    // cache.
    search({&left, &right}, [&](std::size_t column) {
        m_builder.finish(column, *smaller.histogram);
        if (hasParent) {
            larger.histogram->subtract(*smaller.histogram, m_table.ranges()[column]);
        }
    });
    return {};
}

/// Calls prepare(column), then searches the column in each of the leaves, for all columns.
template <typename Prepare>
void HistogramGrower::search(const std::vector<Leaf*>& leaves, const Prepare& prepare)
{
    const auto columns = static_cast<std::int64_t>(m_columns.size());
    const std::int64_t blocks = (columns + kSearchedColumns - 1) / kSearchedColumns;
    // One result for each leaf and block, compared afterwards in a fixed order: equal gains go to
    // the first column, whichever thread finishes first.
    std::vector<HistogramSplit> found(leaves.size() * static_cast<std::size_t>(blocks));
    const LeafScore score(m_options, m_units, m_target.leastHessian);
    kernels::forEachBlock(m_pool, columns, kSearchedColumns, [&](kernels::BlockRange range, int) {
        for (std::int64_t i = range.first; i < range.first + range.count; ++i) {
            const std::size_t column = m_columns[i];
            prepare(column);
            for (std::size_t l = 0; l < leaves.size(); ++l) {
                if (maySplit(*leaves[l])) {
                    findSplit(score, m_options,
                              {m_table.columns()[column], static_cast<std::int32_t>(column),
                               leaves[l]->histogram->sums(m_table.ranges()[column]),
                               leaves[l]->totals, leaves[l]->bounds},
                              found[l * blocks + range.first / kSearchedColumns]);
                }
            }
        }
    });
    for (std::size_t l = 0; l < leaves.size(); ++l) {
        for (std::int64_t block = 0; block < blocks; ++block) {
            const HistogramSplit& split = found[l * blocks + block];
            if (split.gain > leaves[l]->split.gain) {
                leaves[l]->split = split;
            }
        }
    }
}

Result<std::unique_ptr<LeafHistogram>> HistogramGrower::sumUp(const Leaf& leaf)
{
    std::unique_ptr<LeafHistogram> histogram = takeHistogram();
    m_builder.add(m_partition.rows(leaf.rows), m_packed);
    CANNERY_TRY(m_builder.wait());
    for (const std::size_t column : m_columns) {
        m_builder.finish(column, *histogram);
    }
    return histogram;
}

std::unique_ptr<LeafHistogram> HistogramGrower::takeHistogram()
{
    if (m_spare.empty()) {
        return std::make_unique<LeafHistogram>(m_table.binCount());
    }
    std::unique_ptr<LeafHistogram> histogram = std::move(m_spare.back());
    m_spare.pop_back();
    return histogram;
}

void HistogramGrower::giveBack(std::unique_ptr<LeafHistogram> histogram)
{
    if (histogram != nullptr) {
        m_spare.push_back(std::move(histogram));
    }
}

std::vector<float> HistogramGrower::valueOf(double value) const
{
    return {static_cast<float>(m_options.learningRate * value) + m_target.bias};
}

Node HistogramGrower::splitNode(const HistogramSplit& split) const
{
    const HistogramColumn& column = m_table.columns()[split.column];
    Node node;
    // A bucket's cut is between two whole numbers.
    node.kind = column.kind;
    node.feature = column.feature;
    node.dimension = column.dimension;
    node.gain = static_cast<float>(split.gain);
    node.missingLeft = split.leftBins.test(static_cast<std::size_t>(column.restBin()));
    if (column.isCategorical()) {
        for (std::size_t b = 0; b < column.categories.size(); ++b) {
            if (split.leftBins.test(b)) {
                node.categories.push_back(column.categories[b]);
            }
        }
        return node;
    }
    const auto bin = static_cast<std::size_t>(split.thresholdBin);
    node.cut = bin < column.thresholds.size() ? column.thresholds[bin]
                                              : std::numeric_limits<float>::infinity();
    if (node.kind == SplitKind::Bucket) {
        node.threshold = static_cast<std::int32_t>(std::floor(node.cut));
        node.cut = 0.0F;
    }
    return node;
}

/// From the gradients themselves, not their integers.
void HistogramGrower::setLeafValues(const TreeGradients& gradients)
{
    struct Piece
    {
        std::size_t leaf = 0;
        RowRange rows;
        double gradient = 0.0;
        double hessian = 0.0;
    };
    // Fixed pieces, added in order: floats give the same sum for any number of threads.
    std::vector<Piece> pieces;
    for (std::size_t l = 0; l < m_leaves.size(); ++l) {
        const RowRange& rows = m_leaves[l].rows;
        for (std::int64_t first = 0; first < rows.count; first += kLeafRows) {
            pieces.push_back({l, {rows.first + first, std::min(kLeafRows, rows.count - first)}});
        }
    }
    const auto sumPiece = [&](std::int64_t index, int) {
        Piece& piece = pieces[index];
        for (const std::uint32_t row : m_partition.rows(piece.rows)) {
            piece.gradient += gradients.gradients[row];
            piece.hessian += gradients.hessians[row];
        }
    };
    m_pool.parallelFor(static_cast<std::int64_t>(pieces.size()), sumPiece);
    const LeafScore score(m_options, m_units, m_target.leastHessian);
    for (std::size_t p = 0; p < pieces.size();) {
        const Leaf& leaf = m_leaves[pieces[p].leaf];
        double gradient = 0.0;
        double hessian = 0.0;
        for (const std::size_t l = pieces[p].leaf; p < pieces.size() && pieces[p].leaf == l; ++p) {
            gradient += pieces[p].gradient;
            hessian += pieces[p].hessian;
        }
        m_tree.nodes[leaf.node].value = valueOf(score.value(gradient, hessian, leaf.bounds));
    }
}

void HistogramGrower::addToPredictions(float* predictions, std::int64_t stride) const
{
    const auto valueAt = [this](std::int32_t node) { return m_tree.nodes[node].value.front(); };
    // Without sampling every row is in some leaf, so no row has to walk.
    if (m_partition.all().count == m_table.rowCount()) {
        const auto addLeaf = [&](std::int64_t index, int) {
            const Leaf& leaf = m_leaves[index];
            const float value = valueAt(leaf.node);
            for (const std::uint32_t row : m_partition.rows(leaf.rows)) {
                predictions[row * stride] += value;
            }
        };
        m_pool.parallelFor(static_cast<std::int64_t>(m_leaves.size()), addLeaf);
        return;
    }
    // Rows outside of the sample have no leaf here; they descend by the bins.
    kernels::forEachBlock(
        m_pool, m_table.rowCount(), kLeafRows, [&](kernels::BlockRange range, int) {
            for (std::int64_t row = range.first; row < range.first + range.count; ++row) {
                std::int32_t node = 0;
                while (m_columnOfNode[node] >= 0) {
                    const std::uint8_t bin =
                        m_table.bins(static_cast<std::size_t>(m_columnOfNode[node]))[row];
                    node = m_leftBins[node].test(bin) ? m_tree.nodes[node].left
                                                      : m_tree.nodes[node].right;
                }
                predictions[row * stride] += valueAt(node);
            }
        });
}

} // namespace cannery::trees
