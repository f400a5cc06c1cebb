// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/checkpoints/background_saver.h"
#include "core/train/hooks/hook.h"
#include "core/train/loop/second_or_step_timer.h"
#include "core/train/records/summary_recorder.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

class CheckpointSaverHook;

/// A checkpoint of the current state, which may still be on its way to disk.
class BegunCheckpoint
{
public:
    BegunCheckpoint(CheckpointSaverHook& hook, TrainingLoop& loop) : m_hook(&hook), m_loop(&loop) {}

    const std::string& prefix() const;
    /// Waits until it is on disk; returns the error if it could not be written.
    Result<void> commit();

private:
    CheckpointSaverHook* m_hook;
    TrainingLoop* m_loop;
};

/// Receives checkpoints: TensorFlow's CheckpointSaverListener.
class CheckpointListener
{
public:
    virtual ~CheckpointListener() = default;

    /// Before the first step and the first save.
    virtual Result<void> begin(TrainingLoop& /*loop*/) { return {}; }
    virtual Result<void> beforeSave(TrainingLoop& /*loop*/) { return {}; }
    /// A listener that reads the checkpoint, or announces it, commits it first.
    virtual Result<void> afterSave(TrainingLoop& loop, BegunCheckpoint checkpoint) = 0;
    /// After the last save of the loop, which is committed.
    virtual Result<void> end(TrainingLoop& loop) = 0;
};

/// Saves before the first step (the restored state is saved again), then at its cadence, and at the
/// end unless the last step is already saved. A checkpoint requested in between is not passed to
/// listeners, so evaluations and everything that depends on them are unaffected.
///
/// Training continues while a large state is written. A save waits for the previous one; the
/// outcome of that is reported to the observer, or ends the loop, at the next step boundary. A
/// requested checkpoint, and the last one, are committed when the call returns.
class CheckpointSaverHook : public Hook
{
public:
    /// All arguments must outlive the hook.
    CheckpointSaverHook(BackgroundSaver& saver, SummaryRecorder& recorder, const Cadence& cadence,
                        const Clock& clock);

    void addListener(CheckpointListener& listener) { m_listeners.push_back(&listener); }

    Result<void> begin(TrainingLoop& loop) override;
    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& loop) const override;
    Result<void> checkpoint(TrainingLoop& loop) override;
    Result<void> end(TrainingLoop& loop) override;

    /// Waits for the save in progress, if any, and reports how it ended. Also for callers that end
    /// a loop without end().
    Result<void> commit(TrainingLoop& loop);
    /// Of the last save started.
    const std::string& prefix() const { return m_prefix; }

private:
    Result<void> save(TrainingLoop& loop);
    /// Unless the step is already saved.
    Result<void> write(TrainingLoop& loop);
    Result<void> reportSaved(TrainingLoop& loop, std::optional<BackgroundSaver::Outcome> outcome);

    BackgroundSaver* m_saver;
    SummaryRecorder* m_recorder;
    SecondOrStepTimer m_timer;
    std::vector<CheckpointListener*> m_listeners;
    std::optional<std::int64_t> m_savedStep;
    bool m_savedLastWeights = false; ///< TrainingLoop::hasLastWeights() then
    std::string m_prefix;            ///< of that save
    double m_heldUp = 0;             ///< seconds that training has waited for it
};

} // namespace cannery::train
