// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_dataset.h"
#include "core/spec/training.pb.h"
#include "core/train/exporters/exporter.h"
#include "core/train/hooks/checkpoint_saver_hook.h"
#include "core/train/second_or_step_timer.h"
#include "core/train/summary_recorder.h"
#include "core/train/training_control.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// The evaluating half of train_and_evaluate on one machine: the first save of a training is never
/// evaluated, later ones once throttle_secs have passed, and at the end the last one unless already
/// evaluated. Evaluates the live model, which a save has just made equal to its checkpoint, while
/// that is still being written; nothing is reported about the evaluation before the checkpoint is
/// committed. Then the exporters run in order; a failing exporter is a warning, and an error only
/// if it has not succeeded by the end. A cancelled training is not evaluated.
class EvaluationListener : public CheckpointListener
{
public:
    struct Options
    {
        std::string modelDir;
        spec::EvalSpec evalSpec; ///< resolved
        std::optional<std::int64_t> maxSteps;
        const features::EncodedDataset* rows = nullptr;
        std::vector<std::unique_ptr<Exporter>> exporters;
        ExportModel exportModel;
        /// Called with every evaluation before the exporters are; may be empty.
        std::function<void(const EvaluationResult&)> evaluated;
        const Clock* clock = &systemClock();
        TrainingObserver* observer = nullptr;
        const std::atomic<bool>* stop = nullptr;
        const TrainingControl* control = nullptr;
        storage::FileSystem* system = &storage::realFileSystem();
    };

    explicit EvaluationListener(Options options);

    Result<void> afterSave(TrainingLoop& loop, BegunCheckpoint checkpoint) override;
    Result<void> end(TrainingLoop& loop) override;

    const std::optional<EvaluationResult>& lastEvaluation() const { return m_last; }
    /// This training's exports that still exist, in order.
    const std::vector<ExportResult>& exports() const { return m_exports; }
    /// Problems with the list of exports, as sentences.
    const std::vector<std::string>& warnings() const { return m_warnings; }
    /// Why an exporter's last requested export failed; nothing if all succeeded. Training continued
    /// regardless.
    std::optional<Error> exportFailure() const;

private:
    /// `checkpoint`: null if it is committed.
    Result<void> evaluateAndExport(TrainingLoop& loop, BegunCheckpoint* checkpoint);
    Result<void> record(TrainingLoop& loop, EvaluationResult result);
    void openLedger(TrainingLoop& loop);
    void tellDeleted(TrainingLoop& loop, const std::vector<std::string>& paths);
    Result<void> runExporters(TrainingLoop& loop, const EvaluationResult& result);
    Result<void> make(TrainingLoop& loop, const Exporter& exporter, const ExportWish& wish);

    Options m_options;
    SecondOrStepTimer m_timer;
    bool m_isFirstSave = true;
    std::string m_prefix; ///< of the newest save
    std::optional<SummaryRecorder> m_recorder;
    std::optional<EvaluationResult> m_last;
    std::vector<ExportResult> m_exports;
    std::vector<std::string> m_warnings;
    std::optional<ExportLedger> m_ledger;
    std::vector<std::optional<Error>> m_exportFailures; ///< one per exporter
};

} // namespace cannery::train
