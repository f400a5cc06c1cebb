// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/export/saved_model_exporter.h"
#include "storage/tf/graphs/saved_model.h"

#include <vector>

namespace cannery::exporting {

/// A MetaGraph with the variables that its loader restores.
struct SupervisedGraph
{
    storage::MetaGraph metaGraph;
    std::vector<storage::VariableSpec> variables;
};

/// Tag and signature "eval", as tf.estimator exports evaluation: one input per raw feature and one
/// per label; outputs "loss", "predictions/…", and of each metric of the head
/// "metrics/<name>/value" and "metrics/<name>/update_op". Run the updates for each batch, then the
/// values. "export.no_supervised_head" for a head that has no such nodes.
Result<SupervisedGraph> evaluationGraph(const ExportRequest& request);

/// Tag and signature "train": the same inputs; outputs "loss" and "predictions/…". The collection
/// saved_model_train_op has the operation of one step of the experiment's optimizers, from the
/// state in the checkpoint. Errors, besides those of evaluationGraph() and emitGradients(), name
/// what TensorFlow's operations do not express: "export.untrainable".
Result<SupervisedGraph> trainingGraph(const ExportRequest& request);

} // namespace cannery::exporting
