#include "core/train/hooks/checkpoint_saver_hook.h"

#include "core/train/session.h"
#include "storage/io/files.h"

namespace cannery::train {

CheckpointSaverHook::CheckpointSaverHook(CheckpointStore& store, SummaryRecorder& recorder,
                                         const Cadence& cadence, const Clock& clock)
    : m_store(&store), m_recorder(&recorder), m_timer(cadence, clock)
{}

Result<void> CheckpointSaverHook::begin(Session& session)
{
    return save(session);
}

Result<void> CheckpointSaverHook::afterStep(Session& session, const StepResult& result)
{
    if (!m_timer.isDue(result.globalStep)) {
        return {};
    }
    return save(session);
}

Result<void> CheckpointSaverHook::checkpoint(Session& session)
{
    session.progress().pause();
    CANNERY_TRY(write(session));
    session.progress().resume();
    return {};
}

Result<void> CheckpointSaverHook::end(Session& session)
{
    if (m_timer.lastStep() != session.globalStep()) {
        CANNERY_TRY(save(session));
    }
    for (CheckpointListener* listener : m_listeners) {
        CANNERY_TRY(listener->end(session));
    }
    return {};
}

Result<void> CheckpointSaverHook::save(Session& session)
{
    session.progress().pause();
    m_timer.mark(session.globalStep());
    CANNERY_TRY(write(session));
    for (CheckpointListener* listener : m_listeners) {
        CANNERY_TRY(listener->afterSave(session, m_prefix));
    }
    session.progress().resume();
    return {};
}

Result<void> CheckpointSaverHook::write(Session& session)
{
    if (m_savedStep == session.globalStep()) {
        return {};
    }
    Result<std::string> prefix = m_store->save(session.state(), session.sidecar());
    if (!prefix) {
        return tl::make_unexpected(
            std::move(prefix)
                .error()
                .with(fmt::format("saving the checkpoint of step {}", session.globalStep()))
                .with("checkpoints saved before are intact"));
    }
    m_savedStep = session.globalStep();
    m_prefix = *std::move(prefix);
    // TensorFlow names the prefix without the step here.
    const std::string logged =
        storage::joinPath(storage::parentFolder(m_prefix), std::string_view("model.ckpt"));
    CANNERY_TRY(
        m_recorder->sessionLog(session.globalStep(), storage::SessionStatus::Checkpoint, logged));
    session.observer().checkpointSaved(session.globalStep(), m_prefix);
    session.observer().checkpointsChanged(m_store->list());
    return {};
}

} // namespace cannery::train
