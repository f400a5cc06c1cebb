// SPDX-License-Identifier: Apache-2.0
#include "core/plan/learners/layered_tree_learner.h"

#include "core/base/check.h"
#include "core/plan/lane.h"
#include "core/plan/learners/histogram_tree_learner.h"
#include "core/spec/histogram_growth.h"
#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cannery::plan {

namespace {

using graph::LearnerInputKind;

constexpr std::int64_t kMostSketched = std::int64_t{1} << 40U; ///< TensorFlow's
constexpr std::int64_t kRowsPerBlock = 256;

constexpr ErrorKind kBoundaryShape{"trees.boundaries",
                                   "The quantile boundaries of feature {} do not ascend: the "
                                   "checkpoint is damaged."};

constexpr ErrorKind kUnfinished{"trees.unfinished_layer",
                                "The statistics of the unfinished layer of a tree do not fit the "
                                "model: the checkpoint is damaged."};

/// TensorFlow splits features in groups of one number of buckets: bucketized columns count as many
/// as the longest of them.
std::vector<trees::BucketFeature> bucketFeatures(const TreeLearner& learner, double epsilon)
{
    std::int64_t ofBucketized = 2;
    for (const graph::LearnerInput& input : learner.inputs()) {
        if (input.kind == LearnerInputKind::Buckets) {
            ofBucketized = std::max(ofBucketized, input.buckets());
        }
    }
    std::vector<trees::BucketFeature> features;
    for (const std::int32_t index : learner.inputOfFeature()) {
        const graph::LearnerInput& input = learner.inputs()[static_cast<std::size_t>(index)];
        std::int64_t buckets = 2;
        if (input.kind == LearnerInputKind::Buckets) {
            buckets = ofBucketized;
        } else if (input.kind == LearnerInputKind::Numbers) {
            buckets = static_cast<std::int64_t>(1.0 / epsilon);
        } else if (input.kind == LearnerInputKind::Categories) {
            buckets = input.width;
        }
        features.push_back({.buckets = static_cast<std::int32_t>(buckets),
                            .isCategory = input.kind == LearnerInputKind::Categories,
                            .isBucketized = input.kind == LearnerInputKind::Buckets});
    }
    return features;
}

} // namespace

LayeredTreeLearner::LayeredTreeLearner(const graph::LoweredModel& lowered, std::int64_t outputs)
    : TreeLearner(lowered, outputs), m_options(trees::layerOptionsOf(estimator())),
      m_needsBias(m_options.centerBias)
{
    for (std::size_t feature = 0; feature < inputOfFeature().size(); ++feature) {
        if (isNumber(static_cast<std::int32_t>(feature))) {
            m_boundaries.emplace_back();
        }
    }
    m_hasBoundaries = m_boundaries.empty();
    m_statistics.emplace(bucketFeatures(*this, m_options.quantileEpsilon), outputs);
    beginLayer();
}

bool LayeredTreeLearner::isNumber(std::int32_t feature) const
{
    const std::int32_t input = inputOfFeature()[static_cast<std::size_t>(feature)];
    return inputs()[static_cast<std::size_t>(input)].kind == LearnerInputKind::Numbers;
}

void LayeredTreeLearner::restored()
{
    beginLayer();
}

void LayeredTreeLearner::beginLayer()
{
    const trees::Ensemble& grown = ensemble();
    const bool isEmpty = grown.trees.empty();
    m_statistics->begin(isEmpty ? 0 : grown.lastLayerBegin, isEmpty ? 1 : grown.lastLayerEnd);
}

void LayeredTreeLearner::read(const features::EncodedRows& batch, trees::FeatureTable& table) const
{
    TreeLearner::read(batch, table);
    std::size_t number = 0;
    for (std::int32_t feature = 0; feature < table.featureCount(); ++feature) {
        if (!isNumber(feature)) {
            continue;
        }
        const std::vector<float>& boundaries = m_boundaries[number++];
        auto& column = table.columns[static_cast<std::size_t>(
            table.firstColumns[static_cast<std::size_t>(feature)])];
        column.buckets.resize(column.numbers.size());
        std::ranges::transform(column.numbers, column.buckets.begin(), [&](float value) {
            return trees::quantileBucket(value, boundaries);
        });
    }
}

/// TensorFlow summarizes each batch before it adds it to the sketch.
void LayeredTreeLearner::prepare(const features::EncodedRows& batch, bool isWeighted,
                                 kernels::ThreadPool& pool)
{
    const trees::FeatureTable& table = m_table;
    const auto epsilon = static_cast<float>(m_options.quantileEpsilon);
    m_sketches.resize(m_boundaries.size(), trees::QuantileSketch(epsilon, kMostSketched));
    std::vector<const trees::FeatureTable::Column*> numbers;
    for (std::int32_t feature = 0; feature < table.featureCount(); ++feature) {
        if (isNumber(feature)) {
            numbers.push_back(table.find(feature, 0));
        }
    }
    const auto sketchOne = [&](std::int64_t index, int /*worker*/) {
        const auto at = static_cast<std::size_t>(index);
        trees::QuantileSketch ofBatch(epsilon, table.rows + 1);
        for (std::size_t row = 0; row < static_cast<std::size_t>(table.rows); ++row) {
            ofBatch.add(numbers[at]->numbers[row], isWeighted ? batch.weights[row] : 1.0F);
        }
        ofBatch.finish();
        m_sketches[at].add(ofBatch);
    };
    pool.parallelFor(static_cast<std::int64_t>(numbers.size()), sketchOne);
    if (++m_sketchedBatches < m_options.batchesPerLayer) {
        return;
    }
    const auto count = static_cast<std::int64_t>(1.0 / m_options.quantileEpsilon);
    for (std::size_t number = 0; number < m_boundaries.size(); ++number) {
        m_sketches[number].finish();
        m_boundaries[number] = m_sketches[number].boundaries(count);
    }
    m_sketches.clear();
    m_hasBoundaries = true;
}

/// The nodes of the last tree that the rows are in.
void LayeredTreeLearner::findNodes(const trees::FeatureTable& table)
{
    m_nodes.assign(static_cast<std::size_t>(table.rows), 0);
    if (ensemble().trees.empty()) {
        return;
    }
    for (std::int64_t row = 0; row < table.rows; ++row) {
        m_nodes[static_cast<std::size_t>(row)] =
            trees::Ensemble::leafOf(ensemble().trees.back(), table, row);
    }
}

void LayeredTreeLearner::center()
{
    const auto mean = [](const std::vector<float>& values, std::int64_t rows) {
        double sum = 0;
        for (std::int64_t row = 0; row < rows; ++row) {
            sum += static_cast<double>(values[static_cast<std::size_t>(row)]);
        }
        return sum / static_cast<double>(rows);
    };
    m_biasFirst += mean(m_first, m_table.rows);
    m_biasSecond += mean(m_second, m_table.rows);
    if (++m_biasBatches < m_options.batchesPerLayer) {
        return;
    }
    const auto batches = static_cast<double>(m_biasBatches);
    m_needsBias = trees::centerBias(ensemble(), static_cast<float>(m_biasFirst / batches),
                                    static_cast<float>(m_biasSecond / batches), m_options);
    m_biasFirst = 0;
    m_biasSecond = 0;
    m_biasBatches = 0;
    changed();
    beginLayer();
}

void LayeredTreeLearner::grow(kernels::ThreadPool& pool)
{
    const kernels::ConstMatrixView first =
        kernels::matrixView(std::span<const float>(m_first), m_table.rows, outputs());
    const kernels::ConstMatrixView second =
        kernels::matrixView(std::span<const float>(m_second), m_table.rows, outputs() * outputs());
    findNodes(m_table);
    m_statistics->add(m_table, m_nodes, {first, second}, pool);
    if (m_statistics->batches() < m_options.batchesPerLayer) {
        return;
    }
    trees::growLayer(ensemble(), trees::bestSplits(*m_statistics, m_options, pool), m_options);
    changed();
    beginLayer();
}

Result<void> LayeredTreeLearner::setTable(const features::EncodedDataset& rows,
                                          kernels::ThreadPool& /*pool*/)
{
    m_allLogits.resize(static_cast<std::size_t>(rows.rowCount() * outputs()));
    return rows.gatherRange(0, rows.rowCount(), m_all);
}

Result<LearnerOutcome> LayeredTreeLearner::train(const LearnerStep& step)
{
    const bool isAll = step.batches.empty();
    const features::EncodedRows& batch = isAll ? m_all : step.batches.front();
    const kernels::MatrixView logits =
        isAll ? kernels::matrixView(std::span(m_allLogits), batch.rowCount, outputs())
              : step.logits;
    read(batch, m_table);
    kernels::forEachBlock(step.pool, batch.rowCount, kRowsPerBlock,
                          [&](kernels::BlockRange block, int /*worker*/) {
                              ensemble().predict(m_table, block.first, block.first + block.count,
                                                 logits.slice(block.first, block.count));
                          });
    const auto size = static_cast<std::size_t>(batch.rowCount * outputs());
    m_first.resize(size);
    m_second.resize(size * static_cast<std::size_t>(outputs()));
    const heads::HeadBatch forHead = headBatch(batch, step.head, logits);
    const double loss = step.head.loss(
        step.pool, forHead, kernels::matrixView(std::span(m_first), batch.rowCount, outputs()));
    // As in TensorFlow, the first batches only give the boundaries of quantiles: no global step.
    if (!m_hasBoundaries) {
        prepare(batch, step.head.weightWidth() == 1, step.pool);
        return LearnerOutcome{.loss = loss, .advances = false};
    }
    step.head.secondDerivatives(
        step.pool, forHead,
        kernels::matrixView(std::span(m_second), batch.rowCount, outputs() * outputs()));
    if (m_needsBias) {
        center();
    } else {
        grow(step.pool);
    }
    return LearnerOutcome{.loss = loss};
}

/// Layers are split whether rows are left or not.
Learner::Bytes LayeredTreeLearner::bytesWhenLearned(std::int64_t rows) const
{
    // Nodes that are split in the last layer; a whole tree has four times as many, less one.
    const double lastLayer = std::exp2(m_options.maxDepth - 1);
    const auto values = static_cast<double>(outputs());
    Bytes bytes =
        bytesOfNodes(static_cast<double>(m_options.treeCount) * (4 * lastLayer - 1), values);
    for (const trees::BucketFeature& feature : m_statistics->features()) {
        bytes.training += lastLayer * static_cast<double>(feature.buckets + 1) *
                          static_cast<double>(m_statistics->width()) * sizeof(float);
    }
    if (m_options.inMemory) {
        bytes.training += static_cast<double>(rows) * values * (2 + values) * sizeof(float);
    }
    return bytes;
}

std::optional<std::string> LayeredTreeLearner::completion() const
{
    if (!trees::isComplete(ensemble(), m_options)) {
        return std::nullopt;
    }
    const std::int64_t trees = ensemble().finalTrees();
    if (trees >= m_options.treeCount) {
        return fmt::format("All {} trees are grown.", trees);
    }
    return fmt::format("{} of {} trees are grown, and no split improves the next one.", trees,
                       m_options.treeCount);
}

std::string LayeredTreeLearner::cannotExplain() const
{
    if (!m_options.centerBias) {
        return "Contributions of features begin at the mean prediction: train with "
               "center_bias: true.";
    }
    return TreeLearner::cannotExplain();
}

std::vector<StateTensor> LayeredTreeLearner::state()
{
    std::vector<StateTensor> state = TreeLearner::state();
    const auto flag = [&](const char* name, bool& value) {
        state.push_back({.name = name,
                         .dtype = DType::Bool,
                         .bytes = std::as_writable_bytes(std::span(&value, 1))});
    };
    flag("boosted_trees/are_boundaries_ready", m_hasBoundaries);
    flag("boosted_trees/center_bias_needed", m_needsBias);
    for (std::size_t number = 0; number < m_boundaries.size(); ++number) {
        std::vector<float>& boundaries = m_boundaries[number];
        const auto restore = [&boundaries, number](
                                 const Shape&, std::span<const std::byte> content) -> Result<void> {
            std::vector<float> values(content.size() / sizeof(float));
            std::memcpy(values.data(), content.data(), values.size() * sizeof(float));
            if (!std::ranges::is_sorted(values)) {
                return fail(ErrorCode::DataLoss, kBoundaryShape, number);
            }
            boundaries = std::move(values);
            return {};
        };
        state.push_back({.name = fmt::format(
                             "boosted_trees/QuantileAccumulator:0_bucket_boundaries_{}", number),
                         .shape = {static_cast<std::int64_t>(boundaries.size())},
                         .bytes = std::as_writable_bytes(std::span(boundaries)),
                         .restore = restore});
    }
    if (m_options.batchesPerLayer > 1) {
        state.push_back(unfinished());
    }
    return state;
}

/// TensorFlow has nothing like it: it is needed only to continue exactly.
StateTensor LayeredTreeLearner::unfinished()
{
    m_unfinished.clear();
    if (m_biasBatches > 0 || m_statistics->batches() > 0) {
        m_unfinished = {static_cast<double>(m_biasBatches), m_biasFirst, m_biasSecond};
        m_statistics->pack(m_unfinished);
    }
    return {.name = "cannery/boosted_trees/unfinished_layer",
            .dtype = DType::Float64,
            .shape = {static_cast<std::int64_t>(m_unfinished.size())},
            .bytes = std::as_writable_bytes(std::span(m_unfinished)),
            .optimizerState = true,
            .isOptional = true,
            .restore = [this](const Shape&, std::span<const std::byte> content) {
                return takeUnfinished(content);
            }};
}

Result<void> LayeredTreeLearner::takeUnfinished(std::span<const std::byte> content)
{
    constexpr std::size_t kBiasNumbers = 3;
    std::vector<double> values(content.size() / sizeof(double));
    std::memcpy(values.data(), content.data(), values.size() * sizeof(double));
    if (values.size() <= kBiasNumbers || !(values[0] >= 0 && values[0] < 0x1p53) ||
        !m_statistics->unpack(std::span(values).subspan(kBiasNumbers))) {
        return fail(ErrorCode::DataLoss, kUnfinished);
    }
    m_biasBatches = static_cast<std::int64_t>(values[0]);
    m_biasFirst = values[1];
    m_biasSecond = values[2];
    return {};
}

Result<std::unique_ptr<Learner>> makeTreeLearner(const LearnerRequest& request)
{
    if (spec::histogramGrowthOf(request.lowered.learner->estimator) != nullptr) {
        return makeHistogramTreeLearner(request);
    }
    return std::unique_ptr<Learner>(
        std::make_unique<LayeredTreeLearner>(request.lowered, request.head.logitsWidth()));
}

} // namespace cannery::plan
