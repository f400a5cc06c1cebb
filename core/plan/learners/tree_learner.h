// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/lowered_model.h"
#include "core/plan/learners/learner.h"
#include "core/trees/ensemble.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cannery::plan {

/// What all learners of boosted trees share, however their trees grow: the ensemble, its
/// predictions, and its place in checkpoints, as TensorFlow's `boosted_trees:0_serialized` and
/// `boosted_trees:0_stamp`. A way of growing derives from it, implements train() and completion(),
/// and changes ensemble().
class TreeLearner : public Learner
{
public:
    /// `outputs`: logits per row, the head's.
    TreeLearner(const graph::LoweredModel& lowered, std::int64_t outputs);

    void forward(const features::EncodedRows& batch, kernels::MatrixView logits,
                 kernels::ThreadPool* pool) const override;
    /// By the names of columns; an indicator's gains are its categorical column's.
    std::vector<std::pair<std::string, double>> importances() const override;
    std::string cannotExplain() const override;
    /// Adds `bias`, and for each column `dfc/<column>`: TensorFlow's directional feature
    /// contributions, which add up to the prediction (of a classifier, the probability).
    void explain(const features::EncodedRows& batch,
                 std::vector<heads::Prediction>& predictions) const override;
    std::vector<StateTensor> state() override;
    /// `ensemble/num_trees`, `ensemble/num_finalized_trees`, `ensemble/num_attempted_layers`.
    std::vector<std::pair<std::string, float>> summaries() const override;

    const trees::Ensemble& ensemble() const { return m_ensemble; }
    /// Every feature of the trees, in order: the column it is of.
    const std::vector<std::int32_t>& inputOfFeature() const { return m_inputOfFeature; }
    const std::vector<graph::LearnerInput>& inputs() const { return m_description->inputs; }
    const spec::Estimator& estimator() const { return m_description->estimator; }
    std::int64_t outputs() const { return m_outputs; }

    /// Rows as the trees see them: buckets of bucketized columns and indicators, ids of categories,
    /// and numbers.
    virtual void read(const features::EncodedRows& batch, trees::FeatureTable& table) const;

protected:
    /// Of so many nodes in all, whose leaves have so many values.
    static Bytes bytesOfNodes(double nodes, double values);
    trees::Ensemble& ensemble() { return m_ensemble; }
    /// A checkpoint has replaced the ensemble.
    virtual void restored() {}
    /// The ensemble has changed: a new stamp.
    void changed() { ++m_stamp; }

private:
    /// The names that features are credited to, ascending, and each feature's among them.
    std::vector<std::string> m_credits;
    std::vector<std::size_t> m_creditOfFeature;
    bool m_isProbability = false; ///< the prediction is the logistic of the logit
    std::shared_ptr<const graph::LearnerDescription> m_description;
    std::int64_t m_outputs = 1;
    std::vector<std::int32_t> m_inputOfFeature;
    trees::Ensemble m_ensemble;
    std::int64_t m_stamp = 0;
    std::string m_serialized; ///< of the last state()
};

} // namespace cannery::plan
