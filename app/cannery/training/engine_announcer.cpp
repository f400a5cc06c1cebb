// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/engine_announcer.h"

#include "core/base/error_json.h"
#include "core/launch/announcement.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"

#include <fcntl.h>
#include <unistd.h>

namespace cannery::app {

namespace {

void redirectToLog(const std::string& folder)
{
    const std::string path = storage::joinPath(folder, storage::kRunLogFile);
    // Behind what is there: a run that goes on keeps the log of its former engines.
    const int log = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        close(log);
    }
}

} // namespace

EngineAnnouncer::~EngineAnnouncer()
{
    close(m_pipe);
}

void EngineAnnouncer::opened(const std::string& modelDir)
{
    m_folder = launch::announcedFolder(modelDir);
    redirectToLog(m_folder);
    launch::announce(m_pipe, {.opened = m_folder});
}

void EngineAnnouncer::stateChanged(storage::RunState, const std::string&)
{
    announceRun();
}

void EngineAnnouncer::announceRun()
{
    if (!m_hasAnnouncedRun) {
        m_hasAnnouncedRun = true;
        launch::announce(m_pipe, {.run = storage::baseName(m_folder), .folder = m_folder});
    }
}

void EngineAnnouncer::ended(const Result<train::TrainReport>& report)
{
    if (report) {
        announceRun();
    } else if (!m_hasAnnouncedRun) {
        launch::announce(m_pipe, {.error = errorJson(report.error())});
    }
}

} // namespace cannery::app
