// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/export/export_modes.h"
#include "core/features/feature_emitter.h"
#include "core/features/feature_encoder.h"
#include "core/graph/lowered_model.h"
#include "storage/tf/tensor.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace cannery::exporting {

/// The contents of a SavedModel.
struct ExportRequest
{
    const features::FeatureEncoder& encoder;
    const graph::LoweredModel& lowered;
    features::EmitOptions receiver;
    /// Values of the model's variables; may include more than those of the graph. Of a learner: its
    /// whole state. The global step is written from `globalStep`.
    std::span<const storage::NamedTensor> tensors;
    std::int64_t globalStep = 0;
    /// Files for `assets.extra/`: name there → current path.
    std::map<std::string, std::string> assetsExtra;
    bool asText = false; ///< saved_model.pbtxt
    /// Rows that become warm-up requests: raw features, all inputs of the receiver.
    std::span<const data::FeatureBatch> warmupRows;
    std::int64_t version = 0; ///< see storage::SavedModelOptions::timestamp
    /// For training, `tensors` also has the state of the optimizers.
    ExportModes modes = ExportModes::Serving;
    std::string folder = {}; ///< base of the experiment's relative paths
};

/// Writes `<base>/<10-digit timestamp>/` as tf.estimator's export_saved_model does: signatures of
/// the head, the receiver's inputs, vocabulary files as assets, variables; all of it or nothing.
/// Beside TensorFlow's, what opens it again as our own model: servedExperiment(), and among the
/// variables the state of a learner. It is read back and checked before it appears. With
/// other modes than serving, as its experimental_export_all_saved_models: see supervised_graph.h
/// for the further MetaGraphs.
Result<std::string> exportSavedModel(const ExportRequest& request, const std::string& base);

/// The inference graph with a parsing receiver, in wire format: what TensorBoard and graph.pbtxt
/// show of a run.
Result<std::string> inferenceGraph(const features::FeatureEncoder& encoder,
                                   const graph::LoweredModel& lowered,
                                   const features::EmitOptions& receiver);

} // namespace cannery::exporting
