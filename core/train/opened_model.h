// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/feature_encoder.h"
#include "core/graph/lowered_model.h"
#include "core/spec/experiment.pb.h"
#include "core/train/checkpoints/checkpoint_store.h"
#include "core/train/trainable_model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// A trained model ready to evaluate, predict and export.
struct OpenedModel
{
    spec::Experiment experiment; ///< resolved
    std::string folder;          ///< base of its relative paths
    std::string modelDir;
    std::string checkpoint; ///< prefix
    std::int64_t globalStep = 0;
    std::string warning; ///< about how the checkpoint was found; usually empty
    features::FeatureEncoder encoder;
    graph::LoweredModel lowered;
    std::unique_ptr<kernels::Accelerator> evaluationDevice; ///< outlives the model; the CPU if null
    std::unique_ptr<TrainableModel> model;
};

struct OpenModelRequest
{
    std::string modelDir; ///< a run's folder, any model_dir, or a SavedModel
    CheckpointChoice checkpoint;
    /// Required for a SavedModel or a model_dir of TensorFlow; otherwise the frozen one is used,
    /// and one given here must equal it.
    std::optional<spec::Experiment> experiment;
    std::string experimentFolder;
    int threads = 0; ///< as in the experiment if 0
};

/// Opens a checkpoint with the experiment it was trained with. Errors: "train.no_checkpoint",
/// "train.no_experiment", "train.export_…", "train.other_experiment", those of restoreCheckpoint().
Result<OpenedModel> openModel(const OpenModelRequest& request);

/// Opens one of our SavedModels with the experiment that it holds, as the model it was made from;
/// `checkpoint` is then the prefix of its variables. Errors: of checkSavedModel(),
/// exporting::readServedExperiment() and restoreCheckpoint().
Result<OpenedModel> openSavedModel(const std::string& folder, int threads);

} // namespace cannery::train
