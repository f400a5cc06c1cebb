// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/train/train_and_evaluate.h"
#include "core/train/training_observer.h"

#include <string>
#include <string_view>

namespace cannery::app {

/// What an engine in the background reports to its supervisor, one JSON object per line of a pipe.
struct Announcement
{
    std::string opened; ///< the folder it trains in, as soon as it is known
    std::string run; ///< its name, once the run is described: from then on everything is in files
    std::string folder; ///< of that run, absolute
    std::string error;  ///< as `--json` prints it; no run has begun
};
Announcement parseAnnouncement(std::string_view line);
std::string announcementText(const Announcement& announcement);
/// Writes a line; nobody may be listening any more.
void announce(int pipe, const Announcement& announcement);
/// An absolute path without a slash at its end.
std::string announcedFolder(const std::string& folder);

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
    void sayRun();

    int m_pipe;
    std::string m_folder;
    bool m_hasSaidRun = false;
};

} // namespace cannery::app
