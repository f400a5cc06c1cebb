// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/train/train_and_evaluate.h"

namespace cannery::train {

/// The evaluator of a cluster: evaluates the checkpoints that others save in `request.modelDir`, as
/// _TrainingExecutor._continuous_eval of TensorFlow's training.py does, until it has evaluated the
/// one of max_steps or the training has ended. In comparison with TensorFlow:
/// - It waits for start_delay_secs and throttle_secs no longer than the training goes on.
/// - A checkpoint that an evaluator before it has evaluated and exported is not evaluated again.
/// - A checkpoint that is deleted while it is being read gives way to the newest one.
/// - It ends without max_steps too, once the run's records say that the training is finished or was
///   stopped on request. One that failed, or was stopped by a signal, may be started again: it
///   waits.
///
/// Writes eval*/, the lists of evaluations and exports, and nothing else until the training has
/// ended; then it claims the folder and brings the project's store up to date. A folder has one
/// evaluator at a time ("run.evaluated"). Setting `request.stop` ends it as Stopped; what it was
/// doing is done again by the next one.
///
/// Other errors: "train.evaluator_without_model_dir", "train.no_eval_data",
/// "train.evaluation_name"; those of openModel() and of the evaluation data; of an exporter that
/// has not succeeded by the end.
Result<TrainReport> evaluateContinuously(const TrainRequest& request);

} // namespace cannery::train
