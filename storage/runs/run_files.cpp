#include "storage/runs/run_files.h"

#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/runs/run_json.h"

#include <functional>
#include <sstream>

namespace cannery::storage {
namespace {

Result<std::vector<std::string>> readLines(const std::string& path)
{
    std::vector<std::string> lines;
    if (!exists(path)) {
        return lines;
    }
    CANNERY_TRY_ASSIGN(const std::string text, readWholeFile(path));
    std::size_t begin = 0;
    // A line without its newline was torn by a crash and never counted.
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
        if (end > begin) {
            lines.push_back(text.substr(begin, end - begin));
        }
        begin = end + 1;
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

} // namespace

RunFiles::RunFiles(std::string folder, FileSystem& system)
    : m_folder(std::move(folder)), m_system(&system)
{}

Result<void> RunFiles::writeInfo(const RunInfo& info)
{
    return writeFileAtomically(joinPath(m_folder, kRunInfoFile), toJson(info), *m_system);
}

Result<void> RunFiles::writeStatus(const RunStatus& status)
{
    return writeFileAtomically(joinPath(m_folder, kRunStateFile), toJson(status), *m_system);
}

Result<void> RunFiles::addEvaluation(const RunEvaluation& evaluation)
{
    return appendLine(kRunEvaluationsFile, toJson(evaluation));
}

Result<void> RunFiles::writeCheckpoints(std::span<const RunCheckpoint> checkpoints)
{
    return writeFileAtomically(joinPath(m_folder, kRunCheckpointsFile), toJson(checkpoints),
                               *m_system);
}

Result<void> RunFiles::addExport(const RunExport& entry)
{
    return appendLine(kRunExportsFile, toJson(entry));
}

Result<void> RunFiles::appendLine(std::string_view name, const std::string& line)
{
    const std::string path = joinPath(m_folder, name);
    // What a crash left of a torn line must not run into this one.
    std::string text = line + "\n";
    if (exists(path)) {
        CANNERY_TRY_ASSIGN(const std::string before, readWholeFile(path));
        if (!before.empty() && before.back() != '\n') {
            return writeFileAtomically(path, before.substr(0, before.rfind('\n') + 1) + text,
                                       *m_system);
        }
    }
    CANNERY_TRY_ASSIGN(const auto file, m_system->openForAppend(path));
    CANNERY_TRY(file->append(std::string_view(text)));
    CANNERY_TRY(file->sync());
    return file->close();
}

Result<RunInfo> RunFiles::readInfo() const
{
    return readRecord<RunInfo>(joinPath(m_folder, kRunInfoFile), runInfoFromJson);
}

Result<RunStatus> RunFiles::readStatus() const
{
    return readRecord<RunStatus>(joinPath(m_folder, kRunStateFile), runStatusFromJson);
}

Result<std::vector<RunEvaluation>> RunFiles::readEvaluations() const
{
    return readRecords<RunEvaluation>(joinPath(m_folder, kRunEvaluationsFile),
                                      runEvaluationFromJson);
}

Result<std::vector<RunCheckpoint>> RunFiles::readCheckpoints() const
{
    const std::string path = joinPath(m_folder, kRunCheckpointsFile);
    if (!exists(path)) {
        return std::vector<RunCheckpoint>();
    }
    return readRecord<std::vector<RunCheckpoint>>(path, runCheckpointsFromJson);
}

Result<std::vector<RunExport>> RunFiles::readExports() const
{
    return readRecords<RunExport>(joinPath(m_folder, kRunExportsFile), runExportFromJson);
}

bool RunFiles::isRun() const
{
    return exists(joinPath(m_folder, kRunInfoFile));
}

} // namespace cannery::storage
