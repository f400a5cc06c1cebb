// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/learners/learner_catalog.h"
#include "core/plan/learners/tree_learner.h"
#include "core/trees/layer_growth.h"
#include "core/trees/layer_statistics.h"
#include "core/trees/quantile_sketch.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::plan {

/// Boosted trees that grow as TensorFlow's do (estimator-canon §5): a step adds a batch to the
/// statistics of the last layer's nodes, and every n_batches_per_layer steps that layer is split.
/// Numbers are cut at quantiles, which the first n_batches_per_layer batches are read for, without
/// advancing; with center_bias, the first steps find the mean prediction.
class LayeredTreeLearner : public TreeLearner
{
public:
    LayeredTreeLearner(const graph::LoweredModel& lowered, std::int64_t outputs);

    /// With train_in_memory: then the batch of every step is the whole table.
    bool readsTable() const override { return m_options.inMemory; }
    Result<void> setTable(const features::EncodedDataset& rows, kernels::ThreadPool& pool) override;
    Result<LearnerOutcome> train(const LearnerStep& step) override;
    Bytes bytesWhenLearned(std::int64_t rows) const override;
    std::optional<std::string> completion() const override;
    std::string cannotExplain() const override;
    std::vector<StateTensor> state() override;
    /// Numbers have their buckets too.
    void read(const features::EncodedRows& batch, trees::FeatureTable& table) const override;

    /// Of the features that are numbers, in order; empty until they are known.
    const std::vector<std::vector<float>>& boundaries() const { return m_boundaries; }

protected:
    void restored() override;

private:
    void prepare(const features::EncodedRows& batch, bool isWeighted, kernels::ThreadPool& pool);
    void findNodes(const trees::FeatureTable& table);
    void center();
    void grow(kernels::ThreadPool& pool);
    void beginLayer();
    bool isNumber(std::int32_t feature) const;
    /// The batches of a layer, or of the bias, that is not complete yet.
    StateTensor unfinished();
    Result<void> takeUnfinished(std::span<const std::byte> content);

    trees::LayerOptions m_options;
    std::vector<std::vector<float>> m_boundaries; ///< by number
    bool m_hasBoundaries = true;
    bool m_needsBias = false;
    std::vector<trees::QuantileSketch> m_sketches; ///< by number, while boundaries are sought
    std::int64_t m_sketchedBatches = 0;
    std::optional<trees::LayerStatistics> m_statistics;
    double m_biasFirst = 0; ///< sums of batches' means
    double m_biasSecond = 0;
    std::int64_t m_biasBatches = 0;

    features::EncodedRows m_all; ///< with train_in_memory
    std::vector<float> m_allLogits;
    trees::FeatureTable m_table; ///< these are kept for their memory
    std::vector<std::int32_t> m_nodes;
    std::vector<float> m_first;
    std::vector<float> m_second;
    std::vector<double> m_unfinished; ///< of the last state()
};

/// The learner of the estimator's way of growing.
Result<std::unique_ptr<Learner>> makeTreeLearner(const LearnerRequest& request);

} // namespace cannery::plan
