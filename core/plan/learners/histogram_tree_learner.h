// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/learners/histogram_tree_table.h"
#include "core/plan/learners/learner_catalog.h"
#include "core/plan/learners/tree_learner.h"
#include "core/trees/flat_trees.h"
#include "core/trees/histogram_grower.h"
#include "core/trees/histogram_growth.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::plan {

/// Boosted trees that grow leaf by leaf over histograms of the whole table (`histogram` of the
/// three estimators). A step grows one tree for each logit; an accelerator sums the gradients of
/// its large leaves, to the same trees. l1, l2, tree_complexity and
/// min_node_weight are compared with sums of the training loss's derivatives, a mean over the rows,
/// as in TensorFlow's growth.
class HistogramTreeLearner final : public TreeLearner
{
public:
    /// `accelerator`: must outlive the learner; null: the CPU does all.
    HistogramTreeLearner(const graph::LoweredModel& lowered, std::int64_t outputs,
                         trees::HistogramGrowthOptions options, kernels::Accelerator* accelerator);

    bool readsTable() const override { return true; }
    Result<void> setTable(const features::EncodedDataset& rows, kernels::ThreadPool& pool) override;
    bool usesAccelerator() const override { return m_accelerator != nullptr; }
    std::int64_t tableBytes() const override;
    Result<LearnerOutcome> train(const LearnerStep& step) override;
    Bytes bytesWhenLearned(std::int64_t rows) const override;
    std::optional<std::string> completion() const override;
    void forward(const features::EncodedRows& batch, kernels::MatrixView logits,
                 kernels::ThreadPool* pool) const override;
    /// Missing categories are missing: they are none of the categories.
    void read(const features::EncodedRows& batch, trees::FeatureTable& table) const override;

protected:
    void restored() override;

private:
    struct Training;

    double leastHessian(const heads::Head& head) const;
    Result<std::vector<trees::Tree>> growTrees(const std::vector<float>& bias, double leastHessian);
    Result<void> startFromEnsemble(kernels::ThreadPool& pool);
    std::vector<float> meanPrediction(const LearnerStep& step);
    void layOutCells();
    void toCells(const features::EncodedRows& batch, std::int64_t first, std::int64_t count,
                 trees::RowCell* cells) const;
    double computeGradients(const LearnerStep& step);

    trees::HistogramGrowthOptions m_options;
    kernels::Accelerator* m_accelerator;
    std::vector<std::int32_t> m_firstCells; ///< by input: where its cells begin in a row
    std::int64_t m_cells = 0;               ///< of a row
    trees::FlatTrees m_flat;                ///< the ensemble
    std::shared_ptr<Training> m_training;   ///< from setTable() on
};

/// The learner of an estimator with a `histogram`. Errors: "plan.histogram_monotone".
Result<std::unique_ptr<Learner>> makeHistogramTreeLearner(const LearnerRequest& request);

} // namespace cannery::plan
