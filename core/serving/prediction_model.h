// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/train/opened_model.h"

#include <string>

namespace cannery::serving {

struct PredictionModelRequest
{
    /// The folder of a run, a checkpoint in one ("runs/census/model.ckpt-200"), or a SavedModel of
    /// ours.
    std::string path;
    std::string checkpoint; ///< of a run: "latest", "best" or a step; latest if empty
    int threads = 0;        ///< as in the experiment if 0
};

/// Whether a path is a checkpoint or a SavedModel: a model without a choice of checkpoints.
bool isSingleModel(const std::string& path);

/// Opens a model to predict with, whatever the path holds. Errors: "train.checkpoint_twice", and
/// those of openModel() and openSavedModel().
Result<train::OpenedModel> openPredictionModel(const PredictionModelRequest& request);

} // namespace cannery::serving
