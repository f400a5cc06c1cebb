// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/plan/last_step.h"
#include "core/train/loop/training_observer.h"
#include "storage/tf/events/event_writer.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cannery::train {

/// Writes one event file of a run. Everything is flushed at once, so TensorBoard and the workbench
/// see it, and then reported to the observer. One thread.
class SummaryRecorder
{
public:
    struct Options
    {
        std::string modelDir;
        std::string folder; ///< relative to it: "" for training, "eval"
        std::string graph;  ///< serialised GraphDef to begin with; empty if there is none
        const Clock* clock = &systemClock();
        TrainingObserver* observer = nullptr;
        storage::FileSystem* system = &storage::realFileSystem();
    };

    static Result<SummaryRecorder> create(const Options& options);

    Result<void> scalar(std::int64_t step, std::string_view tag, float value);
    Result<void> summaries(std::int64_t step, std::span<const plan::ModelSummary> values);
    /// The metrics in their order, tables as tensors, and the largest groups of slices, all in one
    /// event: TensorFlow compares the events of an evaluation. Then `checkpoint_path`, if there is
    /// one.
    Result<void> evaluation(const EvaluationResult& result);
    Result<void> sessionLog(std::int64_t step, storage::SessionStatus status,
                            std::string_view checkpointPath = {});
    /// For TensorBoard's panel HParams: see storage::SummaryBuilder.
    Result<void> sessionStart(std::int64_t step,
                              std::span<const storage::Hyperparameter> hyperparameters);
    Result<void> sessionEnd(std::int64_t step, bool succeeded);
    Result<void> close();

private:
    SummaryRecorder(const Options& options, storage::EventWriter writer);

    Result<void> write(std::int64_t step, const storage::SummaryBuilder& summary);
    Result<void> flush();
    void report(std::string_view tag, std::int64_t step, double value);

    std::string m_folder;
    const Clock* m_clock;
    TrainingObserver* m_observer;
    storage::EventWriter m_writer;
};

} // namespace cannery::train
