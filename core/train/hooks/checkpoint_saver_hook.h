#pragma once

#include "core/train/checkpoint_store.h"
#include "core/train/hooks/hook.h"
#include "core/train/second_or_step_timer.h"
#include "core/train/summary_recorder.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// Is told of checkpoints: TensorFlow's CheckpointSaverListener.
class CheckpointListener
{
public:
    virtual ~CheckpointListener() = default;

    virtual Result<void> afterSave(Session& session, const std::string& prefix) = 0;
    /// After the last save of the session.
    virtual Result<void> end(Session& session) = 0;
};

/// Saves before the first step (the state restored is saved again), then by its cadence, and at the
/// end unless the last step is saved already. A checkpoint that somebody wants in between is told
/// to no listener, so that evaluations, and what hangs on them, come as without it.
class CheckpointSaverHook : public Hook
{
public:
    /// All must outlive the hook.
    CheckpointSaverHook(CheckpointStore& store, SummaryRecorder& recorder, const Cadence& cadence,
                        const Clock& clock);

    void addListener(CheckpointListener& listener) { m_listeners.push_back(&listener); }

    Result<void> begin(Session& session) override;
    Result<void> afterStep(Session& session, const StepResult& result) override;
    Result<void> checkpoint(Session& session) override;
    Result<void> end(Session& session) override;

private:
    Result<void> save(Session& session);
    /// Unless the step is saved already.
    Result<void> write(Session& session);

    CheckpointStore* m_store;
    SummaryRecorder* m_recorder;
    SecondOrStepTimer m_timer;
    std::vector<CheckpointListener*> m_listeners;
    std::optional<std::int64_t> m_savedStep;
    std::string m_prefix; ///< of that save
};

} // namespace cannery::train
