// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/engine_announcer.h"

#include "app/cannery/json_output.h"
#include "core/base/json_text.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

void redirectToLog(const std::string& folder)
{
    const std::string path = storage::joinPath(folder, storage::kRunLogFile);
    const int log = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        close(log);
    }
}

} // namespace

Announcement parseAnnouncement(std::string_view line)
{
    const Json json = Json::parse(line, nullptr, false);
    Announcement announcement;
    if (!json.is_object()) {
        return announcement;
    }
    announcement.opened = json.value("opened", "");
    announcement.run = json.value("run", "");
    announcement.folder = json.value("folder", "");
    if (json.contains("error")) {
        announcement.error = line;
    }
    return announcement;
}

std::string announcementText(const Announcement& announcement)
{
    if (!announcement.error.empty()) {
        return announcement.error;
    }
    const Json json = announcement.run.empty()
                          ? Json{{"opened", announcement.opened}}
                          : Json{{"run", announcement.run}, {"folder", announcement.folder}};
    return jsonText(json);
}

EngineAnnouncer::~EngineAnnouncer()
{
    close(m_pipe);
}

void announce(int pipe, const Announcement& announcement)
{
    const std::string line = announcementText(announcement) + "\n";
    std::size_t written = 0;
    while (written < line.size()) {
        const ssize_t size = write(pipe, line.data() + written, line.size() - written);
        if (size < 0 && errno != EINTR) {
            return;
        }
        written += size > 0 ? static_cast<std::size_t>(size) : 0;
    }
}

std::string announcedFolder(const std::string& folder)
{
    std::error_code failure;
    std::string path = std::filesystem::absolute(folder, failure).lexically_normal().string();
    while (path.size() > 1 && path.back() == '/') {
        path.pop_back();
    }
    return path;
}

void EngineAnnouncer::opened(const std::string& modelDir)
{
    m_folder = announcedFolder(modelDir);
    redirectToLog(m_folder);
    announce(m_pipe, {.opened = m_folder});
}

void EngineAnnouncer::stateChanged(storage::RunState, const std::string&)
{
    sayRun();
}

void EngineAnnouncer::sayRun()
{
    if (!m_hasSaidRun) {
        m_hasSaidRun = true;
        announce(m_pipe, {.run = storage::baseName(m_folder), .folder = m_folder});
    }
}

void EngineAnnouncer::ended(const Result<train::TrainReport>& report)
{
    if (report) {
        sayRun();
    } else if (!m_hasSaidRun) {
        announce(m_pipe, {.error = errorJson(report.error())});
    }
}

} // namespace cannery::app
