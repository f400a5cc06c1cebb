// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"
#include "storage/tf/events/summary_builder.h"

#include <vector>

namespace cannery::train {

/// The settings of a (resolved) experiment by which TensorBoard compares runs, sorted by name:
/// `estimator`, the arguments of the estimator ("hidden_units", "optimizer"), of its optimizers and
/// their schedules ("optimizer.learning_rate"), of training and its input ("max_steps",
/// "batch_size"), `tf_random_seed` and `strategy`. A message that stands for one of several kinds
/// is the name of its kind, so kinds share their columns; a list is a text, "[64, 32]". Data,
/// feature columns and hooks are left out.
std::vector<storage::Hyperparameter> hyperparametersOf(const spec::Experiment& experiment);

} // namespace cannery::train
