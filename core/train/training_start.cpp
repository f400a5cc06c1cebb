// SPDX-License-Identifier: Apache-2.0
#include "core/train/training_start.h"

#include "core/train/checkpoints/checkpoint_restore.h"
#include "core/train/checkpoints/checkpoint_sidecar.h"

#include <fmt/core.h>

namespace cannery::train {

Result<TrainingStart> restoreStart(const std::string& checkpoint, TrainableModel& model,
                                   const data::PipelineOptions& pipeline,
                                   const std::string& dataFingerprint, const std::string& engine,
                                   TrainingObserver& observer)
{
    const auto log = [&](LogLevel level, const std::string& sentence) {
        observer.logged(level, sentence);
    };
    TrainingStart start;
    CANNERY_TRY_ASSIGN(start.globalStep, restoreCheckpoint(checkpoint, model.state()));
    log(LogLevel::Info, fmt::format("Restored {} at step {}.", checkpoint, start.globalStep));
    CANNERY_TRY_ASSIGN(const std::optional<CheckpointSidecar> sidecar, readSidecar(checkpoint));
    if (!sidecar) {
        log(LogLevel::Warning, "The checkpoint has no input position (TensorFlow wrote it): "
                               "the input starts from the beginning.");
        return start;
    }
    if (sidecar->dataFingerprint != dataFingerprint) {
        log(LogLevel::Warning, "The training data has changed since the checkpoint.");
    }
    if (sidecar->engine != engine) {
        log(LogLevel::Warning, fmt::format("The checkpoint was written by {}; this is {}, whose "
                                           "bits may differ.",
                                           sidecar->engine, engine));
    }
    Result<data::InputPosition> position = data::positionFromText(sidecar->input, pipeline);
    if (position) {
        start.position = *position;
    } else {
        log(LogLevel::Warning,
            position.error().message() + " The input starts from the beginning.");
    }
    return start;
}

} // namespace cannery::train
