// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/train/train_and_evaluate.h"
#include "core/train/training_observer.h"

#include <string>
#include <string_view>

namespace cannery::app {

/// What an engine in the background tells the process that supervises it, a JSON object on each
/// line of a pipe.
struct Announcement
{
    std::string opened; ///< folder that it trains in, as soon as it is known
    std::string run;    ///< name, once the run is described: from now on everything stands in files
    std::string folder; ///< of that run, absolute
    std::string error;  ///< what `--json` prints of it; nothing has begun
};
Announcement parseAnnouncement(std::string_view line);
std::string announcementText(const Announcement& announcement);

/// The engine's end. Its own words on stdout and stderr go to the run's log from the moment that
/// there is one. Closes the pipe when everything is said.
class EngineAnnouncer final : public train::TrainingObserver
{
public:
    explicit EngineAnnouncer(int pipe) : m_pipe(pipe) {}
    ~EngineAnnouncer() override;
    EngineAnnouncer(const EngineAnnouncer&) = delete;
    EngineAnnouncer& operator=(const EngineAnnouncer&) = delete;

    void opened(const std::string& modelDir) override;
    void stateChanged(storage::RunState state, const std::string& reason) override;

    /// At the end: an error before the run began, or a run that was done before.
    void ended(const Result<train::TrainReport>& report);

private:
    void say(const Announcement& announcement) const;
    void sayRun();

    int m_pipe;
    std::string m_folder;
    bool m_hasSaidRun = false;
};

} // namespace cannery::app
