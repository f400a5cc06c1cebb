// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/checkpoint_saver_hook.h"

#include "core/train/session.h"
#include "storage/io/files.h"

namespace cannery::train {

const std::string& BegunCheckpoint::prefix() const
{
    return m_hook->prefix();
}

Result<void> BegunCheckpoint::commit()
{
    return m_hook->commit(*m_session);
}

CheckpointSaverHook::CheckpointSaverHook(BackgroundSaver& saver, SummaryRecorder& recorder,
                                         const Cadence& cadence, const Clock& clock)
    : m_saver(&saver), m_recorder(&recorder), m_timer(cadence, clock)
{}

Result<void> CheckpointSaverHook::begin(Session& session)
{
    return save(session);
}

Result<void> CheckpointSaverHook::afterStep(Session& session, const StepResult& result)
{
    CANNERY_TRY(tell(session, m_saver->take()));
    if (!m_timer.isDue(result.globalStep)) {
        return {};
    }
    return save(session);
}

Result<void> CheckpointSaverHook::checkpoint(Session& session)
{
    session.progress().pause();
    CANNERY_TRY(write(session));
    CANNERY_TRY(commit(session));
    session.progress().resume();
    return {};
}

Result<void> CheckpointSaverHook::end(Session& session)
{
    if (m_timer.lastStep() != session.globalStep()) {
        CANNERY_TRY(save(session));
    }
    CANNERY_TRY(commit(session));
    for (CheckpointListener* listener : m_listeners) {
        CANNERY_TRY(listener->end(session));
    }
    return {};
}

Result<void> CheckpointSaverHook::commit(Session& session)
{
    return tell(session, m_saver->wait());
}

Result<void> CheckpointSaverHook::save(Session& session)
{
    session.progress().pause();
    m_timer.mark(session.globalStep());
    CANNERY_TRY(write(session));
    for (CheckpointListener* listener : m_listeners) {
        CANNERY_TRY(listener->afterSave(session, BegunCheckpoint(*this, session)));
    }
    session.progress().resume();
    return {};
}

Result<void> CheckpointSaverHook::write(Session& session)
{
    if (m_savedStep == session.globalStep()) {
        return {};
    }
    const double begin = session.clock().steadyTime();
    CANNERY_TRY(commit(session));
    m_prefix = m_saver->save(session.state(), session.sidecar());
    std::optional<BackgroundSaver::Outcome> outcome = m_saver->take();
    if (outcome && !*outcome) {
        return tl::make_unexpected(std::move(*outcome).error());
    }
    m_savedStep = session.globalStep();
    // At the step where the state was copied, so that event files come out the same whenever the
    // writing ends. TensorFlow names the prefix without the step here.
    CANNERY_TRY(m_recorder->sessionLog(
        session.globalStep(), storage::SessionStatus::Checkpoint,
        storage::joinPath(storage::parentFolder(m_prefix), std::string_view("model.ckpt"))));
    m_heldUp = session.clock().steadyTime() - begin;
    return tell(session, std::move(outcome));
}

Result<void> CheckpointSaverHook::tell(Session& session,
                                       std::optional<BackgroundSaver::Outcome> outcome)
{
    if (!outcome) {
        return {};
    }
    CANNERY_TRY_ASSIGN(const BackgroundSaver::Saved saved, std::move(*outcome));
    const double begin = session.clock().steadyTime();
    session.observer().checkpointSaved(saved.globalStep, saved.prefix);
    session.observer().checkpointsChanged(saved.checkpoints);
    m_heldUp += session.clock().steadyTime() - begin;
    if (saved.wasBehind) {
        session.observer().logged(
            LogLevel::Info,
            fmt::format("The checkpoint of step {} held training up for {:.1f} ms; it was written "
                        "in {:.0f} ms beside it.",
                        saved.globalStep, m_heldUp * 1e3, saved.writingSeconds * 1e3));
    }
    return {};
}

} // namespace cannery::train
