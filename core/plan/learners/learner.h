// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/features/encoded_rows.h"
#include "core/heads/head.h"
#include "core/plan/state_tensor.h"
#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cannery::plan {

/// One training step of a learner.
struct LearnerStep
{
    std::span<const features::EncodedRows> batches; ///< labelled; one per shard of this process
    std::int64_t globalStep = 0;                    ///< before the step
    heads::Head& head;
    kernels::ThreadPool& pool;
    /// [rows of the first batch, head.logitsWidth()]: to be set to what the model predicted for it
    /// before the step.
    kernels::MatrixView logits;
};

struct LearnerOutcome
{
    double loss = 0; ///< before the step
    /// False: the step only prepared the next ones (as the batches that TensorFlow's boosted trees
    /// find quantiles from); the global step stays.
    bool advances = true;
};

/// The seam for estimators that are not layers trained by optimizers: boosted trees, k-means. A
/// Model owns one instead of a network's logits, and everything around it stays as it is: heads,
/// metrics, evaluation, predictions, hooks, checkpoints, summaries, resuming, train_and_evaluate.
///
/// To add one: its lowering sets graph::LoweredModel::learner (and leaves graph.logits at -1), and
/// plan::learnerCatalog() gets a row of the estimator's kind that makes it.
///
/// One controlling thread at a time, except for forward(). Results have the same bits for any
/// number of threads.
class Learner
{
public:
    virtual ~Learner() = default;

    /// About how many bytes it takes when it has learned all that it is to, besides the rows.
    struct Bytes
    {
        double state = 0;    ///< what a checkpoint holds
        double training = 0; ///< only while it learns
    };
    /// `rows`: to learn from.
    virtual Bytes bytesWhenLearned(std::int64_t rows) const = 0;

    /// Whether a step reads the whole table, given once by setTable() before the first step,
    /// instead of batches: steps then get none, and the input pipeline rests.
    virtual bool readsTable() const { return false; }
    /// The encoded training rows, which outlive the learner.
    virtual Result<void> setTable(const features::EncodedDataset& /*rows*/,
                                  kernels::ThreadPool& /*pool*/)
    {
        return {};
    }

    /// Whether it computes on the accelerator that it was made with; otherwise only CPUs train it.
    virtual bool usesAccelerator() const { return false; }
    /// Of the accelerator's memory that the table takes; 0: it is not there.
    virtual std::int64_t tableBytes() const { return 0; }

    /// Errors: of reading the rows, of the accelerator. Then it has learned nothing.
    virtual Result<LearnerOutcome> train(const LearnerStep& step) = 0;
    /// A sentence once there is nothing more to learn, after which training ends: "All 100 trees
    /// are grown."
    virtual std::optional<std::string> completion() const = 0;

    /// Logits of some rows: [batch.rowCount, head.logitsWidth()]. Any number of threads at a time,
    /// but not during train(); one calling thread if `pool` is null.
    virtual void forward(const features::EncodedRows& batch, kernels::MatrixView logits,
                         kernels::ThreadPool* pool) const = 0;

    /// How much each input matters, descending: of trees, the gains of their splits, by
    /// graph::LearnerInput::credit.
    virtual std::vector<std::pair<std::string, double>> importances() const { return {}; }
    /// Why explain() cannot be called; empty: it can.
    virtual std::string cannotExplain() const
    {
        return "Only boosted trees tell contributions of features.";
    }
    /// Appends what each input has contributed to the predictions of these rows. Any number of
    /// threads at a time, but not during train().
    virtual void explain(const features::EncodedRows& /*batch*/,
                         std::vector<heads::Prediction>& /*predictions*/) const
    {}

    /// All that a checkpoint holds except global_step, by TensorFlow's names. Valid until the next
    /// call or step. Tensors whose shape the checkpoint decides have StateTensor::restore.
    virtual std::vector<StateTensor> state() = 0;
    /// Scalars of the last step besides the loss, in TensorFlow's order: name → value.
    virtual std::vector<std::pair<std::string, float>> summaries() const { return {}; }
};

} // namespace cannery::plan
