// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/pipeline.h"
#include "core/train/loop/training_observer.h"
#include "core/train/trainable_model.h"

#include <cstdint>
#include <string>

namespace cannery::train {

/// Where a training loop starts.
struct TrainingStart
{
    std::int64_t globalStep = 0;
    data::InputPosition position;
};

/// Restores the model from a checkpoint and finds the position of its input, or the beginning if
/// the checkpoint has none for this pipeline. The log says what differs from when it was saved.
/// Errors: those of restoreCheckpoint(), and of an unreadable sidecar.
Result<TrainingStart> restoreStart(const std::string& checkpoint, TrainableModel& model,
                                   const data::PipelineOptions& pipeline,
                                   const std::string& dataFingerprint, const std::string& engine,
                                   TrainingObserver& observer);

} // namespace cannery::train
