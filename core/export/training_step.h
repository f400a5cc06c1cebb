// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/lowered_model.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <optional>
#include <vector>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::exporting {

struct TrainingStep
{
    const graph::LoweredModel& lowered;
    storage::NodeRef logits;
    storage::NodeRef logitsGrad;             ///< gradient of the head's loss by them
    std::optional<storage::NodeRef> penalty; ///< what else the loss has, a scalar
    std::vector<storage::NodeRef> updates;   ///< other operations of the step
};

/// Whether TensorFlow's operations can express the model's training: "export.untrainable" says what
/// they cannot.
Result<void> checkTrainable(const spec::Experiment& experiment, const graph::LoweredModel& lowered);

/// Adds the gradients, the optimizers with their slots and scalars as variables of their names in a
/// checkpoint, and the count of steps, all as TensorFlow's tf.keras.optimizers.legacy does. Returns
/// the operation of one step. The model must pass checkTrainable(). Errors: of emitGradients().
Result<storage::NodeRef> emitTrainingStep(storage::GraphDefBuilder& graph,
                                          const TrainingStep& step);

} // namespace cannery::exporting
