// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/job_note.h"

#include "core/base/json_text.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/runs/process_identity.h"

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <unistd.h>

namespace cannery::storage {
namespace {

constexpr std::size_t kLongestNote = std::size_t{1} << 20U;
constexpr std::size_t kLongestMachine = 256;

JobNote noteOf(const nlohmann::json& json)
{
    return {.process = json.at("process").get<std::int64_t>(),
            .startTime = json.at("start_time").get<std::string>(),
            // Notes of older versions do not name it; they lie in the home of the machine that
            // wrote them.
            .machine = json.value("machine", thisMachine()),
            .subject = json.at("subject").get<std::string>(),
            .folder = json.at("folder").get<std::string>(),
            .arguments = json.at("arguments").get<std::vector<std::string>>(),
            .startedAt = json.at("started_at").get<std::int64_t>(),
            .title = json.value("title", ""),
            .isInTerminal = json.value("in_terminal", false),
            .progress = json.value("progress", 0.0),
            .message = json.value("message", "")};
}

} // namespace

std::optional<bool> JobNote::isAlive() const
{
    return machine == thisMachine() ? std::optional(isProcessAlive(process, startTime))
                                    : std::nullopt;
}

JobNote noteOfThisProcess()
{
    using std::chrono::system_clock;
    const auto now = system_clock::now().time_since_epoch();
    return {.process = ::getpid(),
            .startTime = processStartTime(::getpid()),
            .machine = thisMachine(),
            .startedAt = std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
}

std::string thisMachine()
{
    std::array<char, kLongestMachine> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string jobNoteFolder()
{
    const char* data = std::getenv("XDG_DATA_HOME");
    // A relative path is to be ignored (XDG Base Directory Specification).
    if (data != nullptr && *data == '/') {
        return joinPath(data, "cannery/jobs");
    }
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? joinPath(home, ".local/share/cannery/jobs") : "";
}

Result<void> writeJobNote(const std::string& path, const JobNote& note)
{
    CANNERY_TRY(makeFolders(parentFolder(path)));
    return replaceFile(path, jsonText(nlohmann::json{{"process", note.process},
                                                     {"start_time", note.startTime},
                                                     {"machine", note.machine},
                                                     {"subject", note.subject},
                                                     {"folder", note.folder},
                                                     {"arguments", note.arguments},
                                                     {"started_at", note.startedAt},
                                                     {"title", note.title},
                                                     {"in_terminal", note.isInTerminal},
                                                     {"progress", note.progress},
                                                     {"message", note.message}}));
}

std::optional<JobNote> readJobNote(const std::string& path)
{
    const Result<std::string> text = readWholeFile(path, kLongestNote);
    const nlohmann::json json =
        text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    try {
        return json.is_object() ? std::optional(noteOf(json)) : std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

} // namespace cannery::storage
