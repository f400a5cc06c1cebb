// SPDX-License-Identifier: Apache-2.0
#include "core/launch/cluster_announcer.h"

#include "core/launch/announcement.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"

#include <unistd.h>

#include <utility>

namespace cannery::launch {

namespace {

std::optional<storage::RunStatus> recordedStatus(const std::string& folder)
{
    const Result<storage::RunStatus> status = storage::RunFiles(folder).readStatus();
    return status ? std::optional(*status) : std::nullopt;
}

} // namespace

ClusterAnnouncer::ClusterAnnouncer(int pipe, const std::string& folder)
    : m_pipe(pipe), m_folder(announcedFolder(folder)), m_before(recordedStatus(m_folder))
{}

ClusterAnnouncer::~ClusterAnnouncer()
{
    hangUp();
}

void ClusterAnnouncer::look()
{
    // The chief has written its record: the run exists.
    if (m_pipe >= 0 && recordedStatus(m_folder) != m_before) {
        announceRun();
    }
}

void ClusterAnnouncer::failed(const std::string& errorJson)
{
    // What is not an error is not for the reader.
    if (m_pipe >= 0 && !parseAnnouncement(errorJson).error.empty()) {
        announce(m_pipe, {.error = errorJson.substr(0, errorJson.find_last_not_of('\n') + 1)});
        hangUp();
    }
}

void ClusterAnnouncer::ended(ExitCode code)
{
    // A cluster that had nothing to do writes no record.
    if (m_pipe >= 0 && code == ExitCode::Done) {
        announceRun();
    }
}

void ClusterAnnouncer::announceRun()
{
    announce(m_pipe, {.run = storage::baseName(m_folder), .folder = m_folder});
    hangUp();
}

void ClusterAnnouncer::hangUp()
{
    if (m_pipe >= 0) {
        close(std::exchange(m_pipe, -1));
    }
}

} // namespace cannery::launch
