// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/dual_table.h"
#include "core/estimators/sdca_loss.h"
#include "core/plan/device/own_step.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cannery::estimators {

struct SdcaOptions
{
    /// A column of the linear model, or (the last one) its bias.
    struct Column
    {
        bool isDense = false;
        bool isBias = false;
        std::size_t block = 0; ///< of EncodedRows::dense or ::ids
        std::int64_t width = 0;
        graph::VariableId weights = -1;
        std::string name; ///< of the variable
        Shape shape;
    };
    std::vector<Column> columns;
    graph::ValueId logits = -1;
    SdcaLoss loss = SdcaLoss::Squared;
    double l1 = 0.0;
    double l2 = 1.0;
    std::int64_t partitions = 1;
    std::int64_t tables = 1;
    bool isAdaptive = false;
};

/// A step of tf.estimator.experimental.LinearSDCA (estimator-canon 1.8; TensorFlow's
/// sdca_internal.cc): visits every row of the batch once, in a random order, sets its dual variable
/// to the best one, given all others, and moves the weights along:
///   unshrunk += (new dual - dual) weight / l2 * x
///   weights = sign(unshrunk) max(|unshrunk| - l1 / l2, 0)
/// which goes to the minimum of sum(weight * loss) + l1 |w| + l2 / 2 |w|^2, bias included. With
/// `isAdaptive` rows are drawn by how far their dual is from its best (arXiv:1502.08053). A row
/// that occurs twice in a batch is visited twice, with the dual of its first visit. Rows are
/// visited one after the other by one thread. Class weights count as those of rows.
///
/// State besides the weights: `<weights>_unshrunk`, and the states of examples in
/// `ShardedMutableHashTable-<i>-of-<n>`. Summaries `approximate_duality_gap` (0 at the minimum) and
/// `examples_seen`.
class SdcaStep : public plan::OwnStep
{
public:
    explicit SdcaStep(SdcaOptions options);

    /// Errors: "estimators.sdca_label" if a label of the logistic loss is neither 0 nor 1.
    Result<double> train(const features::EncodedRows& batch,
                         const plan::OwnStepContext& context) override;
    void addState(std::vector<plan::StateTensor>& state, plan::Variables& variables) override;
    void addSummaries(std::vector<plan::ModelSummary>& summaries,
                      plan::Variables& variables) const override;

private:
    struct Entry
    {
        std::int64_t feature = 0; ///< index in m_unshrunk
        float value = 0.0F;
    };
    /// What a row's logit is, before the batch and now.
    struct Logits
    {
        double before = 0.0;
        double now = 0.0;
    };

    Result<void> takeTargets(const features::EncodedRows& batch);
    void takeWeights(const features::EncodedRows& batch, const plan::OwnStepContext& context);
    void takeEntries(const features::EncodedRows& batch);
    void takeIds(const features::IdBlock& block, std::size_t row, std::int64_t first);
    void chooseOrder(const features::EncodedRows& batch, const plan::OwnStepContext& context);
    void drawByGap(const features::EncodedRows& batch, std::uint64_t seed);
    void visit(std::size_t row, Fingerprint128 id);
    void moveWeights(plan::Variables& variables);
    double shrunk(double weight) const;
    double squaredNorm(std::size_t row) const;
    Logits logitsOf(std::size_t row) const;
    DualTable& tableOf(Fingerprint128 id);

    SdcaOptions m_options;
    std::vector<std::int64_t> m_firsts; ///< of each column, in m_unshrunk
    std::vector<float> m_unshrunk;      ///< weights of all columns
    std::vector<DualTable> m_tables;

    // Of the current batch.
    std::vector<float> m_changes; ///< of m_unshrunk; all 0 between batches
    std::vector<std::int64_t> m_changed;
    std::vector<Entry> m_entries; ///< of all rows
    std::vector<std::size_t> m_entryEnds;
    std::vector<double> m_targets;
    std::vector<float> m_weights;
    std::vector<std::int64_t> m_order;
};

} // namespace cannery::estimators
