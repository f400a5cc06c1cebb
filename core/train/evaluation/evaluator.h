// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/spec/experiment.pb.h"
#include "core/train/evaluation/row_groups.h"
#include "core/train/loop/training_control.h"
#include "core/train/loop/training_observer.h"
#include "core/train/trainable_model.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::train {

struct EvaluationRequest
{
    spec::Input input;      ///< num_epochs 0: one pass over the rows
    std::int64_t steps = 0; ///< maximum number; until the input ends if 0
    /// One for each replica of eval_distribute. The last step may have fewer: unlike a training
    /// step, it is not dropped (seen in TensorFlow 2.15.1).
    std::int64_t batchesPerStep = 1;
    std::string name;
    std::vector<spec::Metric> metrics; ///< besides those of the head
    std::span<const RowGroups> slices; ///< of the rows that are evaluated
    std::string checkpoint;            ///< prefix of the checkpoint with this state
    std::int64_t globalStep = 0;       ///< of that state
    const Clock* clock = &systemClock();
    const std::atomic<bool>* stop = nullptr;
    const TrainingControl* control = nullptr;
    /// Called after each batch with the number of rows done and the total; may be empty.
    std::function<void(std::int64_t, std::int64_t)> progress;
};

/// What the eval_spec says; slices, the state of the model and how to stop are left out.
EvaluationRequest evaluationOf(const spec::Experiment& experiment);

/// Evaluates the current model on labelled rows, with the moving averages of its weights if it
/// keeps them. Nothing if mustHurry() became true meanwhile.
/// The metrics of each group of a slice are those of an evaluation of its rows alone, to the bit.
/// Errors: "train.no_eval_rows" if there are no rows to evaluate on; those of metrics that do not
/// fit the head.
Result<std::optional<EvaluationResult>> evaluate(TrainableModel& model,
                                                 const features::EncodedDataset& rows,
                                                 const EvaluationRequest& request);

/// "accuracy = 0.8, global_step = 200, loss = 0.5": sorted by name, as TensorFlow logs it.
std::string describe(const EvaluationResult& result);

} // namespace cannery::train
