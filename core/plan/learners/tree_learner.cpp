// SPDX-License-Identifier: Apache-2.0
#include "core/plan/learners/tree_learner.h"

#include "core/spec/head_kinds.h"
#include "core/trees/importance.h"
#include "kernels/device/row_blocks.h"
#include "kernels/math/elementary.h"

#include <algorithm>
#include <cstring>

namespace cannery::plan {

namespace {

using graph::LearnerInputKind;

/// Rows that one thread predicts at a time: their features stay in its caches.
constexpr std::int64_t kRowsAtOnce = 256;

std::int64_t featuresOf(const graph::LearnerInput& input)
{
    const bool isOneEach =
        input.kind == LearnerInputKind::Numbers || input.kind == LearnerInputKind::Indicator;
    return isOneEach ? input.width : 1;
}

std::span<const std::int32_t> idsOf(const features::IdBlock& block, std::int64_t row)
{
    const auto begin = static_cast<std::size_t>(block.rowOffsets[static_cast<std::size_t>(row)]);
    const auto end = static_cast<std::size_t>(block.rowOffsets[static_cast<std::size_t>(row) + 1]);
    return std::span(block.ids).subspan(begin, end - begin);
}

/// The columns of one input.
using Columns = std::span<trees::FeatureTable::Column>;

void readNumbers(const features::DenseBlock& block, Columns columns)
{
    const auto width = static_cast<std::size_t>(block.width);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::vector<float>& numbers = columns[i].numbers;
        for (std::size_t row = 0; row < numbers.size(); ++row) {
            numbers[row] = block.values[row * width + i];
        }
    }
}

/// Ids of several dimensions in one list, or one after the other.
void readIds(const features::IdBlock& block, std::int64_t buckets, Columns columns)
{
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::vector<std::int32_t>& cells = columns[i].buckets;
        for (std::size_t row = 0; row < cells.size(); ++row) {
            const auto ids = idsOf(block, static_cast<std::int64_t>(row));
            // As TensorFlow has it, what is not there is category 0, and what is none of the
            // categories is missing.
            const std::int32_t id = i < ids.size() ? ids[i] : 0;
            cells[row] = id < 0 ? -1 : static_cast<std::int32_t>(id % buckets);
        }
    }
}

void readIndicator(const features::IdBlock& block, Columns columns)
{
    for (trees::FeatureTable::Column& column : columns) {
        std::ranges::fill(column.buckets, 0);
    }
    for (std::size_t row = 0; row + 1 < block.rowOffsets.size(); ++row) {
        for (const std::int32_t id : idsOf(block, static_cast<std::int64_t>(row))) {
            if (id >= 0 && static_cast<std::size_t>(id) < columns.size()) {
                columns[static_cast<std::size_t>(id)].buckets[row] = 1;
            }
        }
    }
}

std::int32_t mostIds(const features::IdBlock& block)
{
    std::int64_t most = 1;
    for (std::size_t row = 0; row + 1 < block.rowOffsets.size(); ++row) {
        most = std::max(most, block.rowOffsets[row + 1] - block.rowOffsets[row]);
    }
    return static_cast<std::int32_t>(most);
}

} // namespace

TreeLearner::TreeLearner(const graph::LoweredModel& lowered, std::int64_t outputs)
    : m_description(lowered.learner), m_outputs(outputs)
{
    const spec::HeadKind* kind = spec::findHeadKind(lowered.head);
    m_isProbability = kind != nullptr && kind->loss == spec::HeadLoss::Sigmoid;
    for (const graph::LearnerInput& input : inputs()) {
        m_credits.push_back(input.credit);
    }
    std::ranges::sort(m_credits);
    m_credits.erase(std::unique(m_credits.begin(), m_credits.end()), m_credits.end());
    for (std::size_t input = 0; input < inputs().size(); ++input) {
        const auto credit = std::ranges::lower_bound(m_credits, inputs()[input].credit);
        m_creditOfFeature.insert(m_creditOfFeature.end(),
                                 static_cast<std::size_t>(featuresOf(inputs()[input])),
                                 static_cast<std::size_t>(credit - m_credits.begin()));
        m_inputOfFeature.insert(m_inputOfFeature.end(),
                                static_cast<std::size_t>(featuresOf(inputs()[input])),
                                static_cast<std::int32_t>(input));
    }
}

Learner::Bytes TreeLearner::bytesOfNodes(double nodes, double values)
{
    // Serialized; in the ensemble; and in the message that a checkpoint is written from.
    constexpr double kSerialized = 40;
    constexpr double kInMessage = 240;
    const double bytesOfValues = values * sizeof(float);
    return {.state = nodes * (kSerialized + bytesOfValues),
            .training = nodes * (sizeof(trees::Node) + kInMessage + 2 * bytesOfValues)};
}

void TreeLearner::read(const features::EncodedRows& batch, trees::FeatureTable& table) const
{
    table.rows = batch.rowCount;
    table.firstColumns.assign(1, 0);
    for (const graph::LearnerInput& input : inputs()) {
        std::int32_t dimensions = static_cast<std::int32_t>(input.dimensions);
        if (input.kind == LearnerInputKind::Categories) {
            dimensions = mostIds(batch.ids[static_cast<std::size_t>(input.block)]);
        }
        for (std::int64_t feature = 0; feature < featuresOf(input); ++feature) {
            table.firstColumns.push_back(table.firstColumns.back() + dimensions);
        }
    }
    table.columns.resize(static_cast<std::size_t>(table.firstColumns.back()));
    std::int32_t feature = 0;
    for (const graph::LearnerInput& input : inputs()) {
        const auto first =
            static_cast<std::size_t>(table.firstColumns[static_cast<std::size_t>(feature)]);
        feature += static_cast<std::int32_t>(featuresOf(input));
        const auto end =
            static_cast<std::size_t>(table.firstColumns[static_cast<std::size_t>(feature)]);
        const Columns columns = std::span(table.columns).subspan(first, end - first);
        const auto rows = static_cast<std::size_t>(table.rows);
        const bool isNumbers = input.kind == LearnerInputKind::Numbers;
        for (trees::FeatureTable::Column& column : columns) {
            column.buckets.resize(isNumbers ? 0 : rows);
            column.numbers.resize(isNumbers ? rows : 0);
        }
        const auto block = static_cast<std::size_t>(input.block);
        if (isNumbers) {
            readNumbers(batch.dense[block], columns);
        } else if (input.kind == LearnerInputKind::Indicator) {
            readIndicator(batch.ids[block], columns);
        } else {
            readIds(batch.ids[block], input.buckets(), columns);
        }
    }
}

void TreeLearner::forward(const features::EncodedRows& batch, kernels::MatrixView logits,
                          kernels::ThreadPool* pool) const
{
    trees::FeatureTable table;
    read(batch, table);
    const auto predict = [&](kernels::BlockRange block, int /*worker*/) {
        m_ensemble.predict(table, block.first, block.first + block.count,
                           logits.slice(block.first, block.count));
    };
    if (pool != nullptr) {
        kernels::forEachBlock(*pool, batch.rowCount, kRowsAtOnce, predict);
        return;
    }
    for (std::int64_t first = 0; first < batch.rowCount; first += kRowsAtOnce) {
        predict({first, std::min(kRowsAtOnce, batch.rowCount - first)}, 0);
    }
}

std::vector<std::pair<std::string, double>> TreeLearner::importances() const
{
    std::vector<std::pair<std::string, double>> sums;
    for (const std::string& credit : m_credits) {
        sums.emplace_back(credit, 0.0);
    }
    const std::vector<double> gains =
        trees::gainsOf(m_ensemble, static_cast<std::int32_t>(m_inputOfFeature.size()));
    for (std::size_t feature = 0; feature < gains.size(); ++feature) {
        sums[m_creditOfFeature[feature]].second += gains[feature];
    }
    std::ranges::stable_sort(
        sums, [](const auto& left, const auto& right) { return left.second > right.second; });
    return sums;
}

std::string TreeLearner::cannotExplain() const
{
    return m_outputs == 1 ? ""
                          : fmt::format("Contributions of features are those to one number, and "
                                        "this model predicts {}.",
                                        m_outputs);
}

void TreeLearner::explain(const features::EncodedRows& batch,
                          std::vector<heads::Prediction>& predictions) const
{
    trees::FeatureTable table;
    read(batch, table);
    const auto rows = static_cast<std::size_t>(batch.rowCount);
    const std::size_t first = predictions.size();
    predictions.push_back({.key = "bias", .floats = std::vector<float>(rows)});
    for (const std::string& credit : m_credits) {
        predictions.push_back({.key = "dfc/" + credit, .floats = std::vector<float>(rows)});
    }
    const auto prediction = [this](float logit) {
        return m_isProbability ? kernels::logistic(logit) : logit;
    };
    trees::Contributions contributions;
    for (std::size_t row = 0; row < rows; ++row) {
        trees::contributionsOf(m_ensemble, table, static_cast<std::int64_t>(row), prediction,
                               contributions);
        predictions[first].floats[row] = contributions.bias;
        for (std::size_t feature = 0; feature < contributions.features.size(); ++feature) {
            predictions[first + 1 + m_creditOfFeature[feature]].floats[row] +=
                contributions.features[feature];
        }
    }
}

std::vector<StateTensor> TreeLearner::state()
{
    m_serialized = m_ensemble.serialize();
    const auto restore = [this](const Shape&, std::span<const std::byte> content) -> Result<void> {
        CANNERY_TRY_ASSIGN(
            m_ensemble,
            trees::Ensemble::parse(content, static_cast<std::int32_t>(m_inputOfFeature.size()),
                                   m_outputs));
        restored();
        return {};
    };
    return {{.name = "boosted_trees:0_serialized",
             .dtype = DType::String,
             .bytes = std::as_writable_bytes(std::span(m_serialized)),
             .restore = restore},
            {.name = "boosted_trees:0_stamp",
             .dtype = DType::Int64,
             .bytes = std::as_writable_bytes(std::span(&m_stamp, 1))}};
}

std::vector<std::pair<std::string, float>> TreeLearner::summaries() const
{
    return {{"ensemble/num_trees", static_cast<float>(m_ensemble.trees.size())},
            {"ensemble/num_finalized_trees", static_cast<float>(m_ensemble.finalTrees())},
            {"ensemble/num_attempted_layers", static_cast<float>(m_ensemble.layersAttempted)}};
}

} // namespace cannery::plan
