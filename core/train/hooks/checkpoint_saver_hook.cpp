// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/checkpoint_saver_hook.h"

#include "core/train/loop/training_loop.h"
#include "storage/io/files.h"

namespace cannery::train {

const std::string& BegunCheckpoint::prefix() const
{
    return m_hook->prefix();
}

Result<void> BegunCheckpoint::commit()
{
    return m_hook->commit(*m_loop);
}

CheckpointSaverHook::CheckpointSaverHook(BackgroundSaver& saver, SummaryRecorder& recorder,
                                         const Cadence& cadence, const Clock& clock)
    : m_saver(&saver), m_recorder(&recorder), m_timer(cadence, clock)
{}

Result<void> CheckpointSaverHook::begin(TrainingLoop& loop)
{
    for (CheckpointListener* listener : m_listeners) {
        CANNERY_TRY(listener->begin(loop));
    }
    // The first checkpoint is that of the initial weights, as in TensorFlow.
    return save(loop);
}

Result<void> CheckpointSaverHook::afterStep(TrainingLoop& loop, const StepResult& result)
{
    // A save that has ended in the background is reported by the next step.
    CANNERY_TRY(reportSaved(loop, m_saver->take()));
    // Several steps at once leave the state of the last only.
    if (!result.isLatest || !m_timer.isDue(result.globalStep)) {
        return {};
    }
    return save(loop);
}

/// The device may go ahead up to the next save, which needs the state of exactly that step.
std::int64_t CheckpointSaverHook::stepsAhead(const TrainingLoop& loop) const
{
    return m_timer.stepsUntilDue(loop.globalStep());
}

Result<void> CheckpointSaverHook::checkpoint(TrainingLoop& loop)
{
    // Saving is not training: rates must not drop by it.
    loop.progress().pause();
    CANNERY_TRY(write(loop));
    CANNERY_TRY(commit(loop));
    loop.progress().resume();
    return {};
}

Result<void> CheckpointSaverHook::end(TrainingLoop& loop)
{
    // The last step may have just been saved, and with the weights that stay.
    if (m_timer.lastStep() != loop.globalStep() || m_savedLastWeights != loop.hasLastWeights()) {
        CANNERY_TRY(save(loop));
    }
    // Listeners of the end read the checkpoint from disk.
    CANNERY_TRY(commit(loop));
    for (CheckpointListener* listener : m_listeners) {
        CANNERY_TRY(listener->end(loop));
    }
    return {};
}

Result<void> CheckpointSaverHook::commit(TrainingLoop& loop)
{
    return reportSaved(loop, m_saver->wait());
}

Result<void> CheckpointSaverHook::save(TrainingLoop& loop)
{
    loop.progress().pause();
    m_timer.mark(loop.globalStep());
    for (CheckpointListener* listener : m_listeners) {
        CANNERY_TRY(listener->beforeSave(loop));
    }
    CANNERY_TRY(write(loop));
    for (CheckpointListener* listener : m_listeners) {
        // The listener decides when it needs the files to be complete.
        CANNERY_TRY(listener->afterSave(loop, BegunCheckpoint(*this, loop)));
    }
    loop.progress().resume();
    return {};
}

Result<void> CheckpointSaverHook::write(TrainingLoop& loop)
{
    // A checkpoint asked for by the user at a step that is saved already.
    if (m_savedStep == loop.globalStep() && m_savedLastWeights == loop.hasLastWeights()) {
        return {};
    }
    const double begin = loop.clock().steadyTime();
    // One save at a time: the copy's memory is still in use.
    CANNERY_TRY(commit(loop));
    CANNERY_TRY(loop.bringState());
    m_prefix = m_saver->save(loop.state(), loop.sidecar());
    std::optional<BackgroundSaver::Outcome> outcome = m_saver->take();
    // A small state is written at once, and its error stops the training right here.
    if (outcome && !*outcome) {
        return tl::make_unexpected(std::move(*outcome).error());
    }
    m_savedStep = loop.globalStep();
    m_savedLastWeights = loop.hasLastWeights();
    // At the step where the state was copied, so that event files do not depend on when writing
    // ends. TensorFlow names the prefix without the step here.
    CANNERY_TRY(m_recorder->sessionLog(
        loop.globalStep(), storage::SessionStatus::Checkpoint,
        storage::joinPath(storage::parentFolder(m_prefix), std::string_view("model.ckpt"))));
    m_heldUp = loop.clock().steadyTime() - begin;
    return reportSaved(loop, std::move(outcome));
}

Result<void> CheckpointSaverHook::reportSaved(TrainingLoop& loop,
                                              std::optional<BackgroundSaver::Outcome> outcome)
{
    if (!outcome) {
        return {};
    }
    CANNERY_TRY_ASSIGN(const BackgroundSaver::Saved saved, std::move(*outcome));
    const double begin = loop.clock().steadyTime();
    loop.observer().checkpointSaved(saved.globalStep, saved.prefix);
    loop.observer().checkpointsChanged(saved.checkpoints);
    // Observers count among what delays training.
    m_heldUp += loop.clock().steadyTime() - begin;
    if (saved.wasBehind) {
        loop.observer().logged(LogLevel::Info,
                               fmt::format("The checkpoint of step {} delayed training by {:.1f} "
                                           "ms; it was written in the background in {:.0f} ms.",
                                           saved.globalStep, m_heldUp * 1e3,
                                           saved.writingSeconds * 1e3));
    }
    return {};
}

} // namespace cannery::train
