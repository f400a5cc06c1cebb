// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/loop/training_observer.h"
#include "core/train/train_and_evaluate.h"

#include <string>
#include <string_view>

namespace cannery::app {

/// The engine's end. From the moment that a run exists, the engine's stdout and stderr go to the
/// run's log. Closes the pipe after the last announcement.
class EngineAnnouncer final : public train::TrainingObserver
{
public:
    explicit EngineAnnouncer(int pipe) : m_pipe(pipe) {}
    ~EngineAnnouncer() override;
    EngineAnnouncer(const EngineAnnouncer&) = delete;
    EngineAnnouncer& operator=(const EngineAnnouncer&) = delete;

    void opened(const std::string& modelDir) override;
    void stateChanged(storage::RunState state, const std::string& reason) override;

    /// At the end: an error before the run began, or a run that was already complete.
    void ended(const Result<train::TrainReport>& report);

private:
    void announceRun();

    int m_pipe;
    std::string m_folder;
    bool m_hasAnnouncedRun = false;
};

} // namespace cannery::app
