// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_dataset.h"
#include "core/spec/experiment.pb.h"
#include "core/train/evaluation/evaluation_recorder.h"
#include "core/train/evaluation/row_groups.h"
#include "core/train/hooks/checkpoint_saver_hook.h"
#include "core/train/loop/second_or_step_timer.h"
#include "core/train/loop/training_control.h"

#include <atomic>
#include <span>
#include <string>

namespace cannery::train {

/// The evaluating half of train_and_evaluate on one machine: the first save of a training is never
/// evaluated, later ones once throttle_secs have passed, and at the end the last one unless already
/// evaluated. Evaluates the live model, which a save has just made equal to its checkpoint, while
/// that is still being written; nothing is reported about the evaluation before the checkpoint is
/// committed. What follows an evaluation: EvaluationRecorder. A cancelled training is not
/// evaluated.
class EvaluationListener : public CheckpointListener
{
public:
    struct Options
    {
        const spec::Experiment* experiment = nullptr; ///< resolved
        const features::EncodedDataset* rows = nullptr;
        std::span<const RowGroups> slices; ///< of `rows`; must outlive the listener
        EvaluationRecorder::Options recorder;
        const Clock* clock = &systemClock();
        const std::atomic<bool>* stop = nullptr;
        const TrainingControl* control = nullptr;
    };

    explicit EvaluationListener(Options options);

    Result<void> afterSave(TrainingLoop& loop, BegunCheckpoint checkpoint) override;
    Result<void> end(TrainingLoop& loop) override;

    const EvaluationRecorder& recorder() const { return m_recorder; }

private:
    /// `checkpoint`: null if it is committed.
    Result<void> evaluateAndExport(TrainingLoop& loop, BegunCheckpoint* checkpoint);

    Options m_options;
    EvaluationRecorder m_recorder;
    SecondOrStepTimer m_timer;
    bool m_isFirstSave = true;
    std::string m_prefix; ///< of the newest save
};

} // namespace cannery::train
