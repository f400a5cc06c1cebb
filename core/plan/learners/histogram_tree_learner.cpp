// SPDX-License-Identifier: Apache-2.0
#include "core/plan/learners/histogram_tree_learner.h"

#include "core/base/memory_guard.h"
#include "core/plan/device/tree_device.h"
#include "core/spec/histogram_growth.h"
#include "core/spec/message_access.h"
#include "core/trees/layer_options.h"
#include "kernels/device/row_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cannery::plan {

namespace {

using kernels::matrixView;

constexpr ErrorKind kMonotoneColumn{
    "plan.histogram_monotone",
    "monotone names the column '{}', which is not a numeric or bucketized column of this "
    "estimator. Name one of its feature_columns, or remove the entry."};

/// Newton's steps to the mean prediction at most; a handful are enough for any loss.
constexpr int kMostBiasSteps = 30;
constexpr double kBiasTolerance = 1e-6;
constexpr std::int64_t kPredictedRows = 4 * 1024;
/// The least sum of second derivatives of a leaf, for rows of weight 1. Where a class is all but
/// certain, Newton's step for a few rows of another one would be without bounds.
constexpr double kLeastHessian = 0.1;
/// Rows of a batch that one thread predicts at once.
constexpr std::int64_t kForwardRows = 512;

/// Layers of splits, if the estimator limits them.
std::optional<std::int64_t> maxDepthOf(const spec::Estimator& estimator)
{
    const auto* kind = spec::memberField(estimator);
    const auto& member = estimator.GetReflection()->GetMessage(estimator, kind);
    const auto* depth = member.GetDescriptor()->FindFieldByName("max_depth");
    return member.GetReflection()->HasField(member, depth)
               ? std::optional(member.GetReflection()->GetInt64(member, depth))
               : std::nullopt;
}

trees::HistogramGrowthOptions optionsOf(const spec::Estimator& estimator, std::uint64_t seed)
{
    const trees::LayerOptions shared = trees::layerOptionsOf(estimator);
    const spec::HistogramGrowth& growth = *spec::histogramGrowthOf(estimator);
    trees::HistogramGrowthOptions options{.maxLeaves = growth.max_leaves(),
                                          .minRowsPerLeaf = growth.min_rows_per_leaf(),
                                          .minNodeWeight =
                                              static_cast<double>(shared.minNodeWeight),
                                          .learningRate = static_cast<double>(shared.learningRate),
                                          .l1 = static_cast<double>(shared.l1),
                                          .l2 = static_cast<double>(shared.l2),
                                          .complexity = static_cast<double>(shared.treeComplexity),
                                          .rowFraction = growth.row_fraction(),
                                          .columnFraction = growth.column_fraction(),
                                          .seed = seed};
    options.maxDepth = maxDepthOf(estimator).value_or(options.maxDepth);
    return options;
}

std::int64_t cellsOf(const graph::LearnerInput& input)
{
    switch (input.kind) {
    case graph::LearnerInputKind::Buckets:
        return input.dimensions;
    case graph::LearnerInputKind::Categories:
        return 1;
    default:
        return input.width;
    }
}

/// Negative: missing.
std::int32_t firstId(const features::IdBlock& block, std::int64_t row)
{
    const auto first = static_cast<std::size_t>(block.rowOffsets[static_cast<std::size_t>(row)]);
    const auto end = static_cast<std::size_t>(block.rowOffsets[static_cast<std::size_t>(row) + 1]);
    return end > first ? block.ids[first] : -1;
}

/// The cells of an input without numbers.
void setIds(const features::IdBlock& block, std::int64_t row, const graph::LearnerInput& input,
            trees::RowCell* cells)
{
    if (input.kind == graph::LearnerInputKind::Categories) {
        cells->id = firstId(block, row);
        return;
    }
    for (std::int64_t k = 0; k < cellsOf(input); ++k) {
        cells[k].id = 0;
    }
    const auto end = static_cast<std::size_t>(block.rowOffsets[static_cast<std::size_t>(row) + 1]);
    for (auto i = static_cast<std::size_t>(block.rowOffsets[static_cast<std::size_t>(row)]);
         i < end; ++i) {
        const std::int32_t id = block.ids[i];
        if (id < 0 || id >= input.width) {
            continue;
        }
        if (input.kind == graph::LearnerInputKind::Indicator) {
            cells[id].id = 1;
        } else {
            cells[id / input.buckets()].id = static_cast<std::int32_t>(id % input.buckets());
        }
    }
}

bool isOrdered(graph::LearnerInputKind kind)
{
    return kind == graph::LearnerInputKind::Numbers || kind == graph::LearnerInputKind::Buckets;
}

/// By input: 1 rising, -1 falling, 0 neither; empty if all are 0.
Result<std::vector<std::int8_t>> directionsOf(const graph::LearnerDescription& learner)
{
    std::vector<std::int8_t> directions;
    for (const spec::MonotoneConstraint& wanted :
         spec::histogramGrowthOf(learner.estimator)->monotone()) {
        const auto found = std::ranges::find_if(learner.inputs, [&](const auto& input) {
            return input.column == wanted.column() && isOrdered(input.kind);
        });
        if (found == learner.inputs.end()) {
            return fail(ErrorCode::InvalidArgument, kMonotoneColumn, wanted.column());
        }
        directions.resize(learner.inputs.size(), 0);
        directions[static_cast<std::size_t>(found - learner.inputs.begin())] =
            wanted.falling() ? -1 : 1;
    }
    return directions;
}

} // namespace

/// What a training needs besides the ensemble.
struct HistogramTreeLearner::Training
{
    Training(const features::EncodedDataset& trainingRows, HistogramTreeTable read,
             std::int64_t outputs)
        : rows(trainingRows), table(std::move(read)), count(table.bins.rowCount())
    {
        const auto size = static_cast<std::size_t>(count * outputs);
        predictions.resize(size);
        gradients.resize(size);
        hessians.resize(size);
    }

    const features::EncodedDataset& rows;
    HistogramTreeTable table;
    std::int64_t count;
    std::vector<float> predictions; ///< rows × outputs, like the next two
    std::vector<float> gradients;
    std::vector<float> hessians;
    bool hasPredictions = false;
    std::unique_ptr<TreeDevice> device; ///< null if the CPU sums
    std::unique_ptr<trees::HistogramGrower> grower;
};

HistogramTreeLearner::HistogramTreeLearner(const graph::LoweredModel& lowered, std::int64_t outputs,
                                           trees::HistogramGrowthOptions options,
                                           kernels::Accelerator* accelerator)
    : TreeLearner(lowered, outputs), m_options(std::move(options)), m_accelerator(accelerator),
      m_flat({})
{
    layOutCells();
}

/// A cell for each number, dimension of buckets, category of an indicator, and categorical column.
void HistogramTreeLearner::layOutCells()
{
    std::vector<std::int32_t> firstOfFeature;
    for (const graph::LearnerInput& input : inputs()) {
        m_firstCells.push_back(static_cast<std::int32_t>(m_cells));
        const std::int64_t cells = cellsOf(input);
        const bool isOneFeature = input.kind == graph::LearnerInputKind::Buckets;
        for (std::int64_t i = 0; i < (isOneFeature ? 1 : cells); ++i) {
            firstOfFeature.push_back(static_cast<std::int32_t>(m_cells + i));
        }
        m_cells += cells;
    }
    m_flat = trees::FlatTrees(std::move(firstOfFeature));
}

void HistogramTreeLearner::restored()
{
    m_flat.clear();
    for (const trees::Tree& tree : ensemble().trees) {
        m_flat.append(tree);
    }
    if (m_training != nullptr) {
        m_training->hasPredictions = false;
    }
}

void HistogramTreeLearner::toCells(const features::EncodedRows& batch, std::int64_t first,
                                   std::int64_t count, trees::RowCell* cells) const
{
    for (std::size_t i = 0; i < inputs().size(); ++i) {
        const graph::LearnerInput& input = inputs()[i];
        trees::RowCell* to = cells + m_firstCells[i];
        const auto block = static_cast<std::size_t>(input.block);
        if (input.kind == graph::LearnerInputKind::Numbers) {
            const float* from = batch.dense[block].values.data() + first * input.width;
            for (std::int64_t row = 0; row < count; ++row, to += m_cells) {
                for (std::int64_t k = 0; k < input.width; ++k) {
                    to[k].number = from[row * input.width + k];
                }
            }
            continue;
        }
        for (std::int64_t row = first; row < first + count; ++row, to += m_cells) {
            setIds(batch.ids[block], row, input, to);
        }
    }
}

void HistogramTreeLearner::forward(const features::EncodedRows& batch, kernels::MatrixView logits,
                                   kernels::ThreadPool* pool) const
{
    const auto predict = [&](kernels::BlockRange range, int) {
        std::vector<trees::RowCell> cells(static_cast<std::size_t>(range.count * m_cells));
        toCells(batch, range.first, range.count, cells.data());
        m_flat.predict(cells.data(), m_cells, logits.slice(range.first, range.count));
    };
    if (pool != nullptr) {
        kernels::forEachBlock(*pool, batch.rowCount, kForwardRows, predict);
        return;
    }
    for (std::int64_t first = 0; first < batch.rowCount; first += kForwardRows) {
        predict({first, std::min(kForwardRows, batch.rowCount - first)}, 0);
    }
}

void HistogramTreeLearner::read(const features::EncodedRows& batch,
                                trees::FeatureTable& table) const
{
    TreeLearner::read(batch, table);
    for (std::int32_t feature = 0; feature < table.featureCount(); ++feature) {
        const graph::LearnerInput& input =
            inputs()[static_cast<std::size_t>(inputOfFeature()[static_cast<std::size_t>(feature)])];
        if (input.kind != graph::LearnerInputKind::Categories) {
            continue;
        }
        const auto column =
            static_cast<std::size_t>(table.firstColumns[static_cast<std::size_t>(feature)]);
        std::vector<std::int32_t>& ids = table.columns[column].buckets;
        const features::IdBlock& block = batch.ids[static_cast<std::size_t>(input.block)];
        for (std::size_t row = 0; row < ids.size(); ++row) {
            ids[row] = firstId(block, static_cast<std::int64_t>(row));
        }
    }
}

Result<void> HistogramTreeLearner::setTable(const features::EncodedDataset& rows,
                                            kernels::ThreadPool& pool)
{
    return guardMemory("the training rows as bins", [&]() -> Result<void> {
        CANNERY_TRY_ASSIGN(HistogramTreeTable table,
                           readHistogramTable(inputs(), rows,
                                              spec::histogramGrowthOf(estimator())->max_bins(),
                                              pool));
        const auto training = std::make_shared<Training>(rows, std::move(table), outputs());
        const trees::HistogramTable& bins = training->table.bins;
        if (m_accelerator != nullptr) {
            CANNERY_TRY_ASSIGN(training->device, TreeDevice::create(*m_accelerator, bins, pool));
        }
        trees::HistogramGrowthOptions options = m_options;
        options.monotone.clear();
        for (const std::int32_t input : training->table.inputOfColumn) {
            if (!m_options.monotone.empty()) {
                options.monotone.push_back(m_options.monotone[static_cast<std::size_t>(input)]);
            }
        }
        training->grower = std::make_unique<trees::HistogramGrower>(bins, std::move(options), pool,
                                                                    training->device.get());
        m_training = training;
        return {};
    });
}

std::int64_t HistogramTreeLearner::tableBytes() const
{
    const bool isThere = m_training != nullptr && m_training->device != nullptr;
    return isThere ? m_training->device->bytes() : 0;
}

/// The sums over the trees so far: the bits that growing them has added up.
Result<void> HistogramTreeLearner::startFromEnsemble(kernels::ThreadPool& pool)
{
    Training& training = *m_training;
    const std::int64_t blocks = (training.count + kPredictedRows - 1) / kPredictedRows;
    const auto predictBlock = [&](std::int64_t block) -> Result<void> {
        const std::int64_t first = block * kPredictedRows;
        const std::int64_t count = std::min(kPredictedRows, training.count - first);
        features::EncodedRows rows;
        CANNERY_TRY(training.rows.gatherRange(first, count, rows));
        forward(rows,
                matrixView(std::span(training.predictions), training.count, outputs())
                    .slice(first, count),
                nullptr);
        return {};
    };
    CANNERY_TRY(
        kernels::lend(pool).tryAll("predictions of the trees so far", blocks, predictBlock));
    training.hasPredictions = true;
    return {};
}

/// Returns the loss.
double HistogramTreeLearner::computeGradients(const LearnerStep& step)
{
    Training& training = *m_training;
    const HistogramTreeTable& table = training.table;
    heads::HeadBatch batch{.logits = matrixView(std::span<const float>(training.predictions),
                                                training.count, outputs()),
                           .labels = matrixView(std::span<const float>(table.labels),
                                                training.count, table.labelWidth),
                           .weights = {}};
    if (table.weightWidth > 0) {
        batch.weights =
            matrixView(std::span<const float>(table.weights), training.count, table.weightWidth);
    }
    const double loss = step.head.loss(
        step.pool, batch, matrixView(std::span(training.gradients), training.count, outputs()));
    step.head.secondDerivatives(
        step.pool, batch, matrixView(std::span(training.hessians), training.count, outputs()));
    return loss;
}

/// The prediction that is best for all rows together, by Newton's method, from the gradients at 0
/// on.
std::vector<float> HistogramTreeLearner::meanPrediction(const LearnerStep& step)
{
    Training& training = *m_training;
    const auto width = static_cast<std::size_t>(outputs());
    std::vector<double> bias(width, 0.0);
    bool moves = true;
    for (int i = 0; moves && i < kMostBiasSteps; ++i) {
        moves = false;
        for (std::size_t k = 0; k < width; ++k) {
            double gradient = 0.0;
            double hessian = m_options.l2;
            for (std::size_t at = k; at < training.gradients.size(); at += width) {
                gradient += training.gradients[at];
                hessian += training.hessians[at];
            }
            const double change = hessian > 0 ? -gradient / hessian : 0.0;
            bias[k] += change;
            moves = moves || std::abs(change) > kBiasTolerance * std::max(1.0, std::abs(bias[k]));
        }
        for (std::size_t at = 0; at < training.predictions.size(); ++at) {
            training.predictions[at] = static_cast<float>(bias[at % width]);
        }
        computeGradients(step);
    }
    std::fill(training.predictions.begin(), training.predictions.end(), 0.0F);
    return {bias.begin(), bias.end()};
}

Result<LearnerOutcome> HistogramTreeLearner::train(const LearnerStep& step)
{
    Training& training = *m_training;
    if (!training.hasPredictions) {
        step.head.reserve(training.count);
        CANNERY_TRY(startFromEnsemble(step.pool));
    }
    const double loss = computeGradients(step);
    std::vector<float> bias(static_cast<std::size_t>(outputs()), 0.0F);
    if (ensemble().trees.empty() && trees::layerOptionsOf(estimator()).centerBias) {
        bias = meanPrediction(step);
    }
    Result<std::vector<trees::Tree>> grown = growTrees(bias, leastHessian(step.head));
    if (!grown) {
        training.hasPredictions = false; // some trees may have changed them
        return tl::make_unexpected(std::move(grown).error());
    }
    trees::Ensemble& trees = ensemble();
    for (trees::Tree& tree : *grown) {
        m_flat.append(tree);
        ++trees.treesAttempted;
        trees.layersAttempted += tree.layersGrown;
        trees.trees.push_back(std::move(tree));
    }
    changed();
    return LearnerOutcome{.loss = loss};
}

/// Second derivatives are those of the mean over rows, or of their sum.
double HistogramTreeLearner::leastHessian(const heads::Head& head) const
{
    const std::vector<float>& weights = m_training->table.weights;
    const auto rows = static_cast<double>(std::max<std::int64_t>(m_training->count, 1));
    double least = head.lossIsMean() ? kLeastHessian / rows : kLeastHessian;
    if (!weights.empty()) {
        least *= std::accumulate(weights.begin(), weights.end(), 0.0) /
                 static_cast<double>(weights.size());
    }
    return least;
}

/// One for each output; `bias` has a number for each.
Result<std::vector<trees::Tree>> HistogramTreeLearner::growTrees(const std::vector<float>& bias,
                                                                 double leastHessian)
{
    Training& training = *m_training;
    const auto first = static_cast<std::int64_t>(ensemble().trees.size());
    std::vector<trees::Tree> grown;
    for (std::int64_t output = 0; output < outputs(); ++output) {
        CANNERY_TRY_ASSIGN(trees::Tree tree,
                           training.grower->grow({.tree = first + output,
                                                  .output = output,
                                                  .outputs = outputs(),
                                                  .bias = bias[static_cast<std::size_t>(output)],
                                                  .leastHessian = leastHessian},
                                                 {{training.gradients.data() + output, outputs()},
                                                  {training.hessians.data() + output, outputs()}},
                                                 training.predictions.data() + output, outputs()));
        grown.push_back(std::move(tree));
    }
    return grown;
}

Learner::Bytes HistogramTreeLearner::bytesWhenLearned(std::int64_t rows) const
{
    const auto count = static_cast<double>(rows);
    const double leaves =
        std::max(1.0, std::min({static_cast<double>(m_options.maxLeaves),
                                std::exp2(static_cast<double>(m_options.maxDepth)),
                                count / static_cast<double>(
                                            std::max<std::int64_t>(m_options.minRowsPerLeaf, 1))}));
    const auto trees = static_cast<double>(trees::layerOptionsOf(estimator()).treeCount);
    const auto values = static_cast<double>(outputs());
    Bytes bytes = bytesOfNodes(trees * values * (2 * leaves - 1), 1);
    // Predictions and derivatives, and bins by column and by group.
    bytes.training += count * (3 * values * sizeof(float) + 2 * static_cast<double>(m_cells));
    return bytes;
}

std::optional<std::string> HistogramTreeLearner::completion() const
{
    const std::int64_t wanted = trees::layerOptionsOf(estimator()).treeCount;
    if (static_cast<std::int64_t>(ensemble().trees.size()) < wanted * outputs()) {
        return std::nullopt;
    }
    return wanted == 1 ? std::string("The only tree is grown.")
                       : fmt::format("All {} trees are grown.", wanted);
}

Result<std::unique_ptr<Learner>> makeHistogramTreeLearner(const LearnerRequest& request)
{
    const graph::LearnerDescription& learner = *request.lowered.learner;
    trees::HistogramGrowthOptions options = optionsOf(learner.estimator, request.seed);
    CANNERY_TRY_ASSIGN(options.monotone, directionsOf(learner));
    return std::make_unique<HistogramTreeLearner>(request.lowered, request.head.logitsWidth(),
                                                  std::move(options), request.accelerator);
}

} // namespace cannery::plan
