// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/features/encoded_rows.h"
#include "core/graph/lowered_model.h"
#include "core/heads/head.h"
#include "core/layers/layer_buffers.h"
#include "core/plan/variables.h"
#include "kernels/accelerator/accelerator.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace cannery::plan {

class DeviceEvaluation;
class DeviceStep;
class ForwardPass;
class LaneGroup;
class Learner;

/// The logits of a learner for a batch. Grows with it.
class LearnerLogits
{
public:
    /// Room for [rows, width].
    kernels::MatrixView of(std::int64_t rows, std::int64_t width);

private:
    std::vector<float> m_values;
};

/// Which rows an accelerator evaluates.
struct DeviceEvaluationOptions
{
    kernels::Accelerator& accelerator; ///< that trains, or another one
    kernels::ProductPrecision precision = kernels::ProductPrecision::Float32;
    const features::EncodedDataset& rows; ///< outlive the evaluation
    std::int64_t batchRows = 1;           ///< of a batch, at most
};

/// What a model computes of rows without learning from them. Does not affect training. One
/// controlling thread, that of the training.
class Inference
{
public:
    /// All of them outlive this.
    struct Parts
    {
        const graph::LoweredModel& lowered;
        kernels::ThreadPool& pool;
        LaneGroup& lanes;
        Variables& variables;
        const Learner* learner = nullptr; ///< null: layers make the logits
        LearnerLogits& learned;           ///< in it are those of the last forward() or train()
        bool hasOwnStep = false;          ///< which leaves no values of its batch
        DeviceStep* device = nullptr;     ///< null: the CPU trains
        kernels::Accelerator* accelerator = nullptr; ///< on which that is
    };
    explicit Inference(const Parts& parts) : m_parts(parts) {}

    /// Fills logits().
    void forward(const features::EncodedRows& batch, layers::Mode mode);
    /// Of the last forward or train: [rows, head().logitsWidth()], of each row or of each step.
    kernels::ConstMatrixView logits() const;

    /// Feeds labelled rows to the metrics (made by head().createMetrics()); returns their loss,
    /// with the penalties of weights and layers' outputs.
    double evaluate(const features::EncodedRows& batch, metrics::MetricSet& metrics);
    /// Feeds the results of the last train() for this batch to the metrics, without a second
    /// forward pass.
    void addToMetrics(const features::EncodedRows& batch, metrics::MetricSet& metrics);
    /// The penalties of the weights as they are, for losses of batches that others evaluate.
    double weightPenalty();
    void predict(const features::EncodedRows& batch, std::vector<heads::Prediction>& predictions);

    /// Forward passes made from now on also give what each input has contributed to a prediction.
    /// Errors: "plan.cannot_explain".
    Result<void> explainPredictions();
    /// For predictions on a separate thread, in batches of about this many rows. Errors: of
    /// bringing the state from an accelerator.
    Result<std::unique_ptr<ForwardPass>> createForwardPass(std::int64_t maxRows);
    /// Evaluations of these rows on an accelerator, which the model must outlive. It must not train
    /// while batches are queued. Errors: "plan.not_evaluated_on_gpu", those of DeviceEvaluation.
    Result<std::unique_ptr<DeviceEvaluation>>
    createDeviceEvaluation(const DeviceEvaluationOptions& options);

private:
    Parts m_parts;
    bool m_explains = false; ///< predictions come with contributions
};

} // namespace cannery::plan
