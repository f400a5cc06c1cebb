// SPDX-License-Identifier: Apache-2.0
#include "core/launch/announcement.h"

#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace cannery::launch {

using Json = nlohmann::ordered_json;

Announcement parseAnnouncement(std::string_view line)
{
    const Json json = Json::parse(line, nullptr, false);
    Announcement announcement;
    // Another program may write into the pipe.
    if (!json.is_object()) {
        return announcement;
    }
    announcement.opened = json.value("opened", "");
    announcement.run = json.value("run", "");
    announcement.folder = json.value("folder", "");
    // The error as it is, since the reader prints it.
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

void announce(int pipe, const Announcement& announcement)
{
    const std::string line = announcementText(announcement) + "\n";
    std::size_t written = 0;
    while (written < line.size()) {
        const ssize_t size = write(pipe, line.data() + written, line.size() - written);
        // The reader is gone.
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

} // namespace cannery::launch
