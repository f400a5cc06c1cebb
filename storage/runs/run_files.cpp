// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_files.h"

#include "core/base/memory_guard.h"
#include "storage/io/atomic_write.h"
#include "storage/io/confinement.h"
#include "storage/io/file_error.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/runs/run_json.h"
#include "storage/runs/run_name.h"
#include "storage/runs/run_store.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <sstream>
#include <unordered_set>

namespace cannery::storage {
namespace {

/// A record at the end whose newline is missing or damaged; empty if it was torn by a crash, and so
/// never counted.
std::string_view unterminatedRecord(std::string_view text)
{
    const std::string_view tail = text.substr(text.rfind('\n') + 1);
    const std::string_view record = tail.substr(0, tail.rfind('}') + 1);
    return isCompleteJson(record) ? record : std::string_view();
}

Result<std::vector<std::string>> readLines(const std::string& path)
{
    std::vector<std::string> lines;
    if (!exists(path)) {
        return lines;
    }
    CANNERY_TRY_ASSIGN(const std::string text, readWholeFile(path));
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
        if (end > begin) {
            lines.push_back(text.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    if (const std::string_view last = unterminatedRecord(text); !last.empty()) {
        lines.emplace_back(last);
    }
    return lines;
}

template <typename Record>
Result<std::vector<Record>> readRecords(const std::string& path,
                                        Result<Record> (*parse)(const std::string&))
{
    CANNERY_TRY_ASSIGN(const std::vector<std::string> lines, readLines(path));
    std::vector<Record> records;
    records.reserve(lines.size());
    for (const std::string& line : lines) {
        Result<Record> record = parse(line);
        if (!record) {
            return tl::make_unexpected(std::move(record).error().with("reading " + path));
        }
        records.push_back(std::move(*record));
    }
    return records;
}

template <typename Record>
Result<Record> readRecord(const std::string& path, Result<Record> (*parse)(const std::string&))
{
    CANNERY_TRY_ASSIGN(const std::string text, readWholeFile(path));
    Result<Record> record = parse(text);
    if (!record) {
        return tl::make_unexpected(std::move(record).error().with("reading " + path));
    }
    return record;
}

/// Checks only the last byte: a file that grows for days is not reread for every line.
Result<bool> endsInsideALine(const std::string& path)
{
    CANNERY_TRY_ASSIGN(const ReadableFile file, ReadableFile::open(path));
    CANNERY_TRY_ASSIGN(const std::uint64_t size, file.size());
    std::array<std::byte, 1> last{std::byte('\n')};
    if (size > 0) {
        CANNERY_TRY(file.readAt(size - 1, last));
    }
    return last[0] != std::byte('\n');
}

/// A project's run remains a run if its description is missing, or is a link.
bool isRunFolder(const std::string& folder)
{
    const std::string above = parentFolder(folder);
    return exists(joinPath(folder, kRunInfoFile)) ||
           (baseName(above) == kRunsFolder && exists(joinPath(parentFolder(above), kRunStoreFile)));
}

} // namespace

void confineRunAt(const std::string& path)
{
    std::error_code ignored;
    std::string folder = std::filesystem::absolute(path, ignored).lexically_normal().string();
    for (std::string above = parentFolder(folder); above != folder; above = parentFolder(folder)) {
        if (isRunFolder(folder)) {
            confine(folder);
            return;
        }
        folder = std::move(above);
    }
}

Result<void> refuseLinkOfRun(const std::string& path)
{
    confineRunAt(path);
    struct stat status = {};
    if (Place(path).isConfined() && statConfined(path, status) != 0 && errno == ELOOP) {
        return tl::make_unexpected(fileError("open", path, ELOOP));
    }
    return {};
}

RunFiles::RunFiles(std::string folder, FileSystem& system)
    : m_folder(std::move(folder)), m_system(&system)
{
    confine(m_folder);
}

Result<void> RunFiles::writeInfo(const RunInfo& info)
{
    return guardMemory(m_folder, [&]() -> Result<void> {
        return writeFileAtomically(joinPath(m_folder, kRunInfoFile), toJson(info), *m_system);
    });
}

Result<void> RunFiles::writeStatus(const RunStatus& status)
{
    return guardMemory(m_folder, [&]() -> Result<void> {
        return writeFileAtomically(joinPath(m_folder, kRunStateFile), toJson(status), *m_system);
    });
}

Result<void> RunFiles::addEvaluation(const RunEvaluation& evaluation)
{
    return guardMemory(m_folder, [&]() -> Result<void> {
        return appendLine(kRunEvaluationsFile, toJson(evaluation));
    });
}

Result<void> RunFiles::writeCheckpoints(std::span<const RunCheckpoint> checkpoints)
{
    return guardMemory(m_folder, [&]() -> Result<void> {
        return writeFileAtomically(joinPath(m_folder, kRunCheckpointsFile), toJson(checkpoints),
                                   *m_system);
    });
}

Result<void> RunFiles::addExport(const RunExport& entry)
{
    return guardMemory(
        m_folder, [&]() -> Result<void> { return appendLine(kRunExportsFile, toJson(entry)); });
}

Result<void> RunFiles::writeExports(std::span<const RunExport> exports)
{
    return guardMemory(m_folder, [&]() -> Result<void> {
        std::string text;
        for (const RunExport& entry : exports) {
            text += toJson(entry) + "\n";
        }
        return writeFileAtomically(joinPath(m_folder, kRunExportsFile), text, *m_system);
    });
}

Result<void> RunFiles::appendLine(std::string_view name, const std::string& line)
{
    const std::string path = joinPath(m_folder, name);
    // A torn line from a crash must not merge with this one.
    const std::string text = line + "\n";
    const bool isNew = !exists(path);
    CANNERY_TRY_ASSIGN(const bool isTorn, isNew ? Result<bool>(false) : endsInsideALine(path));
    if (isTorn) {
        CANNERY_TRY_ASSIGN(std::string before, readWholeFile(path));
        std::string last(unterminatedRecord(before));
        last += last.empty() ? "" : "\n";
        before.resize(before.rfind('\n') + 1);
        return writeFileAtomically(path, before + last + text, *m_system);
    }
    CANNERY_TRY_ASSIGN(const auto file, m_system->openForAppend(path));
    CANNERY_TRY(file->append(std::string_view(text)));
    CANNERY_TRY(file->sync());
    CANNERY_TRY(file->close());
    // The name of a new file is on the disk only once its folder is.
    return isNew ? m_system->syncFolder(m_folder) : Result<void>();
}

Result<RunInfo> RunFiles::readInfo() const
{
    return guardMemory(m_folder, [&]() -> Result<RunInfo> {
        return readRecord<RunInfo>(joinPath(m_folder, kRunInfoFile), runInfoFromJson);
    });
}

Result<RunStatus> RunFiles::readStatus() const
{
    return guardMemory(m_folder, [&]() -> Result<RunStatus> {
        return readRecord<RunStatus>(joinPath(m_folder, kRunStateFile), runStatusFromJson);
    });
}

Result<std::vector<RunEvaluation>> RunFiles::readEvaluations() const
{
    return guardMemory(m_folder, [&]() -> Result<std::vector<RunEvaluation>> {
        return readRecords<RunEvaluation>(joinPath(m_folder, kRunEvaluationsFile),
                                          runEvaluationFromJson);
    });
}

Result<void> RunFiles::addDetails(std::vector<RunEvaluation>& evaluations) const
{
    CANNERY_TRY_ASSIGN(std::vector<RunEvaluation> read, readEvaluations());
    for (RunEvaluation& evaluation : evaluations) {
        // As in the store, the last one of its name and step counts.
        const auto found =
            std::find_if(read.rbegin(), read.rend(), [&](const RunEvaluation& candidate) {
                return candidate.name == evaluation.name &&
                       candidate.globalStep == evaluation.globalStep;
            });
        if (found != read.rend()) {
            evaluation.tables = found->tables;
            evaluation.slices = found->slices;
        }
    }
    return {};
}

Result<std::vector<RunCheckpoint>> RunFiles::readCheckpoints() const
{
    return guardMemory(m_folder, [&]() -> Result<std::vector<RunCheckpoint>> {
        const std::string path = joinPath(m_folder, kRunCheckpointsFile);
        if (!exists(path)) {
            return std::vector<RunCheckpoint>();
        }
        return readRecord<std::vector<RunCheckpoint>>(path, runCheckpointsFromJson);
    });
}

Result<std::vector<RunExport>> RunFiles::readExports() const
{
    CANNERY_TRY_ASSIGN(std::vector<RunExport> exports, readAllExports());
    std::erase_if(exports, [](const RunExport& entry) { return entry.state != ExportState::Done; });
    return exports;
}

Result<std::vector<RunExport>> RunFiles::readAllExports() const
{
    return guardMemory(m_folder, [&]() -> Result<std::vector<RunExport>> {
        CANNERY_TRY_ASSIGN(
            const std::vector<RunExport> lines,
            readRecords<RunExport>(joinPath(m_folder, kRunExportsFile), runExportFromJson));
        std::vector<RunExport> exports;
        // An export has another line for each change of its state: the last one counts.
        std::unordered_set<std::string_view> later;
        for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
            if (isExportPath(line->path) && later.insert(line->path).second) {
                exports.push_back(*line);
            }
        }
        std::reverse(exports.begin(), exports.end());
        return exports;
    });
}

bool RunFiles::isRun() const
{
    return exists(joinPath(m_folder, kRunInfoFile));
}

bool hasFailed(const std::string& folder)
{
    if (folder.empty()) {
        return false;
    }
    const Result<RunStatus> status = RunFiles(folder).readStatus();
    return status && status->state == RunState::Failed;
}

} // namespace cannery::storage
