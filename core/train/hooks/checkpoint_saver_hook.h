// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/background_saver.h"
#include "core/train/hooks/hook.h"
#include "core/train/second_or_step_timer.h"
#include "core/train/summary_recorder.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

class CheckpointSaverHook;

/// A checkpoint of the state as it is now, that may still be on its way to the disk.
class BegunCheckpoint
{
public:
    BegunCheckpoint(CheckpointSaverHook& hook, TrainingLoop& loop) : m_hook(&hook), m_loop(&loop) {}

    const std::string& prefix() const;
    /// Waits until it is on the disk; the error when it did not get there.
    Result<void> commit();

private:
    CheckpointSaverHook* m_hook;
    TrainingLoop* m_loop;
};

/// Is told of checkpoints: TensorFlow's CheckpointSaverListener.
class CheckpointListener
{
public:
    virtual ~CheckpointListener() = default;

    /// Who reads the checkpoint, or tells others that it is there, commits it first.
    virtual Result<void> afterSave(TrainingLoop& loop, BegunCheckpoint checkpoint) = 0;
    /// After the last save of the loop, which is committed.
    virtual Result<void> end(TrainingLoop& loop) = 0;
};

/// Saves before the first step (the state restored is saved again), then by its cadence, and at the
/// end unless the last step is saved already. A checkpoint that somebody wants in between is told
/// to no listener, so that evaluations, and what hangs on them, come as without it.
///
/// Training goes on while a large state is written. A save waits for the one before; how it ended
/// is told to the observer, or ends the loop, at the first step boundary after. A checkpoint
/// that somebody wants, and the last one, are committed when the call returns.
class CheckpointSaverHook : public Hook
{
public:
    /// All must outlive the hook.
    CheckpointSaverHook(BackgroundSaver& saver, SummaryRecorder& recorder, const Cadence& cadence,
                        const Clock& clock);

    void addListener(CheckpointListener& listener) { m_listeners.push_back(&listener); }

    Result<void> begin(TrainingLoop& loop) override;
    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    Result<void> checkpoint(TrainingLoop& loop) override;
    Result<void> end(TrainingLoop& loop) override;

    /// Waits for the save under way, if any, and tells how it ended. Also for who ends a loop
    /// without end().
    Result<void> commit(TrainingLoop& loop);
    /// Of the last save begun.
    const std::string& prefix() const { return m_prefix; }

private:
    Result<void> save(TrainingLoop& loop);
    /// Unless the step is saved already.
    Result<void> write(TrainingLoop& loop);
    Result<void> tell(TrainingLoop& loop, std::optional<BackgroundSaver::Outcome> outcome);

    BackgroundSaver* m_saver;
    SummaryRecorder* m_recorder;
    SecondOrStepTimer m_timer;
    std::vector<CheckpointListener*> m_listeners;
    std::optional<std::int64_t> m_savedStep;
    std::string m_prefix; ///< of that save
    double m_heldUp = 0;  ///< seconds that training has waited for it
};

} // namespace cannery::train
