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

void EngineAnnouncer::say(const Announcement& announcement) const
{
    const std::string line = announcementText(announcement) + "\n";
    std::size_t written = 0;
    while (written < line.size()) {
        const ssize_t size = write(m_pipe, line.data() + written, line.size() - written);
        if (size < 0 && errno != EINTR) {
            return; // nobody is listening any more
        }
        written += size > 0 ? static_cast<std::size_t>(size) : 0;
    }
}

void EngineAnnouncer::opened(const std::string& modelDir)
{
    std::error_code failure;
    const std::filesystem::path path = std::filesystem::absolute(modelDir, failure);
    m_folder = path.lexically_normal().string();
    while (m_folder.size() > 1 && m_folder.back() == '/') {
        m_folder.pop_back();
    }
    redirectToLog(m_folder);
    say({.opened = m_folder});
}

void EngineAnnouncer::stateChanged(storage::RunState, const std::string&)
{
    sayRun();
}

void EngineAnnouncer::sayRun()
{
    if (!m_hasSaidRun) {
        m_hasSaidRun = true;
        say({.run = storage::baseName(m_folder), .folder = m_folder});
    }
}

void EngineAnnouncer::ended(const Result<train::TrainReport>& report)
{
    if (report) {
        sayRun();
    } else if (!m_hasSaidRun) {
        say({.error = errorJson(report.error())});
    }
}

} // namespace cannery::app
