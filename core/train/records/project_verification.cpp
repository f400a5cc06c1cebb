// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/project_verification.h"

#include "core/features/row_file.h"
#include "core/train/checkpoints/checkpoint_sidecar.h"
#include "core/train/records/frozen_experiment.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/runs/annotation_files.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/graphs/saved_model_reader.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace cannery::train {
namespace {

using storage::joinPath;

constexpr ErrorKind kNoProject{
    "verify.no_project",
    "{} is not a project: it has no {}, no runs/ and no exports/. Name a project's folder."};
constexpr ErrorKind kMissing{"verify.missing",
                             "{} is missing, although {} names it. Restore it from a backup."};
constexpr ErrorKind kCutOff{"verify.cut_off",
                            "{} ends in the middle of a record; everything before it is intact."};

constexpr std::string_view kExportsFolder = "exports";
constexpr std::string_view kIndexEnd = ".index";
/// None of our projects goes deeper; a malicious one may.
constexpr int kMostLevels = 16;

Result<void> readToTheEnd(const std::string& path)
{
    CANNERY_TRY_ASSIGN(storage::ReadableFile file, storage::ReadableFile::open(path));
    std::vector<std::byte> chunk(std::size_t{256} << 10U);
    while (true) {
        // Only whether every byte can be read: the content is not known.
        CANNERY_TRY_ASSIGN(const std::size_t size, file.readNext(chunk));
        if (size < chunk.size()) {
            return {};
        }
    }
}

Result<void> checkCheckpoint(const std::string& prefix)
{
    CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                       storage::CheckpointReader::open(prefix));
    for (const storage::CheckpointEntry& entry : reader.entries()) {
        // An entry of an unknown type cannot be read by this engine at all.
        if (entry.dtype != DType::Invalid) {
            CANNERY_TRY(reader.read(entry.name));
        }
    }
    // A checkpoint of another program has no sidecar; it is not damaged.
    CANNERY_TRY(readSidecar(prefix));
    return {};
}

template <typename Value>
Result<void> withoutValue(const Result<Value>& result)
{
    return result ? Result<void>() : tl::make_unexpected(result.error());
}

/// The parts of one run's or export's folder.
class FolderVerifier
{
public:
    FolderVerifier(const std::string& project, const std::string& name)
        : m_folder(joinPath(project, name)), m_part{.name = name}
    {}

    VerifiedPart verifyRun()
    {
        m_isRun = true;
        m_isLive = storage::RunLock::owner(m_folder).has_value();
        // A run that has ended cannot be in the middle of a record.
        const auto status = storage::RunFiles(m_folder).readStatus();
        m_hasEnded = status && (status->state == storage::RunState::Finished ||
                                status->state == storage::RunState::Stopped);
        walk("", 0);
        // A live run changes its lists and files all the time.
        if (!m_isLive) {
            checkListed();
        }
        return std::move(m_part);
    }

    VerifiedPart verifyExport()
    {
        checkSavedModel("");
        return std::move(m_part);
    }

private:
    void walk(const std::string& below, int level)
    {
        const std::string folder = joinPath(m_folder, below);
        const auto names = storage::listFolder(below.empty() ? m_folder : folder);
        if (!names) {
            report(below, names.error());
            return;
        }
        // An export has its own checksums, and its files are not looked at one by one.
        if (level > 0 && storage::isSavedModel(folder)) {
            checkSavedModel(below);
            return;
        }
        for (const std::string& name : *names) {
            const std::string path = joinPath(below, name);
            if (!storage::isFolder(joinPath(m_folder, path))) {
                checkFile(path, name, level);
            } else if (level < kMostLevels) {
                walk(path, level + 1);
            }
        }
    }

    /// One in a run's folder or a folder below it.
    void checkFile(const std::string& below, const std::string& name, int level)
    {
        const std::string path = joinPath(m_folder, below);
        // Only the run's own folder has these files; below it, a name may be anybody's.
        if (level == 0 && m_isRun && checkOwnFile(below, name)) {
            return;
        }
        if (storage::isEventFile(name)) {
            note(below, checkEvents(path));
        } else if (name.ends_with(kIndexEnd)) {
            note(below, checkCheckpoint(path.substr(0, path.size() - kIndexEnd.size())));
        } else if (isOfCheckpoint(path)) {
            count(path); // checked with its index
        } else {
            // Files without a checksum are read to the end, which at least finds a bad sector.
            ++m_part.withoutChecksum;
            note(below, readToTheEnd(path));
        }
    }

    /// The files that only our runs have; true if it was one.
    bool checkOwnFile(const std::string& below, const std::string& name)
    {
        const storage::RunFiles files(m_folder);
        if (name == storage::kRunInfoFile) {
            note(below, withoutValue(files.readInfo()));
        } else if (name == storage::kRunStateFile) {
            note(below, withoutValue(files.readStatus()));
        } else if (name == storage::kRunEvaluationsFile) {
            note(below, withoutValue(files.readEvaluations()));
        } else if (name == storage::kRunCheckpointsFile) {
            note(below, withoutValue(files.readCheckpoints()));
        } else if (name == storage::kRunExportsFile) {
            note(below, withoutValue(files.readExports()));
        } else if (name == storage::kFrozenExperimentFile) {
            // It is read through run.json, whose own problems are reported there.
            note(below, files.readInfo() ? withoutValue(readFrozenExperiment(m_folder))
                                         : readToTheEnd(joinPath(m_folder, below)));
        } else if (name == "checkpoint") {
            note(below, withoutValue(storage::readCheckpointState(m_folder)));
        } else {
            return false;
        }
        return true;
    }

    /// A data file or our sidecar of a checkpoint whose index exists.
    static bool isOfCheckpoint(const std::string& path)
    {
        const std::size_t data = path.rfind(".data-");
        if (data != std::string::npos) {
            return storage::checkpointExists(path.substr(0, data));
        }
        constexpr std::string_view kSidecarEnd = ".cannery";
        return path.ends_with(kSidecarEnd) &&
               storage::checkpointExists(path.substr(0, path.size() - kSidecarEnd.size()));
    }

    Result<void> checkEvents(const std::string& path) const
    {
        CANNERY_TRY_ASSIGN(storage::EventReader reader, storage::EventReader::open(path));
        while (true) {
            // Each record has its checksum, so reading all is enough.
            CANNERY_TRY_ASSIGN(const std::optional<storage::Event> event, reader.next());
            if (!event) {
                break;
            }
        }
        // A killed engine leaves an incomplete record; one that ended normally does not.
        if (reader.hasPartialRecord() && m_hasEnded) {
            return fail(ErrorCode::DataLoss, kCutOff, path);
        }
        return {};
    }

    void checkSavedModel(const std::string& below)
    {
        const std::string folder = below.empty() ? m_folder : joinPath(m_folder, below);
        countAll(folder, 0);
        report(below, storage::checkSavedModel(folder));
    }

    void countAll(const std::string& folder, int level)
    {
        const auto names = storage::listFolder(folder).value_or(std::vector<std::string>());
        for (const std::string& name : names) {
            const std::string path = joinPath(folder, name);
            if (!storage::isFolder(path)) {
                count(path);
            } else if (level < kMostLevels) {
                countAll(path, level + 1);
            }
        }
    }

    /// What the run's own files say exists.
    void checkListed()
    {
        const storage::RunFiles files(m_folder);
        for (const std::string_view name :
             {storage::kRunInfoFile, storage::kRunStateFile, storage::kFrozenExperimentFile}) {
            // A damaged file is there, and is reported once.
            if (!isReported(std::string(name)) && !storage::exists(joinPath(m_folder, name))) {
                report(std::string(name), error(ErrorCode::DataLoss, kMissing, name, "every run"));
            }
        }
        for (const storage::RunCheckpoint& checkpoint :
             files.readCheckpoints().value_or(std::vector<storage::RunCheckpoint>())) {
            const std::string name = fmt::format("model.ckpt-{}", checkpoint.globalStep);
            if (!isReported(name + std::string(kIndexEnd)) &&
                !storage::checkpointExists(joinPath(m_folder, name))) {
                report(name, error(ErrorCode::DataLoss, kMissing, name,
                                   std::string(storage::kRunCheckpointsFile)));
            }
        }
        // Those outside the run may have been moved to a server.
        for (const storage::RunExport& listed :
             files.readExports().value_or(std::vector<storage::RunExport>())) {
            // A relative path is below the run.
            if (!listed.path.starts_with('/') &&
                !storage::exists(joinPath(m_folder, listed.path))) {
                report(listed.path, error(ErrorCode::DataLoss, kMissing, listed.path,
                                          std::string(storage::kRunExportsFile)));
            }
        }
    }

    /// Links and unreadable entries count as missing too.
    bool isReported(const std::string& name) const
    {
        const std::string path = joinPath(m_part.name, name);
        return std::any_of(m_part.damaged.begin(), m_part.damaged.end(),
                           [&](const DamagedPart& part) { return part.path == path; });
    }

    void count(const std::string& path)
    {
        ++m_part.files;
        m_part.bytes += storage::fileSize(path).value_or(0);
    }

    void note(const std::string& below, const Result<void>& result)
    {
        count(joinPath(m_folder, below));
        report(below, result);
    }

    void report(const std::string& below, const Result<void>& result)
    {
        if (!result) {
            report(below, result.error());
        }
    }

    void report(const std::string& below, const Error& error)
    {
        // A checkpoint or export may be deleted between listing and reading.
        if (m_isLive && error.code == ErrorCode::NotFound) {
            return; // its owner has deleted it meanwhile
        }
        m_part.damaged.push_back(
            {below.empty() ? m_part.name : joinPath(m_part.name, below), error});
    }

    std::string m_folder;
    VerifiedPart m_part;
    bool m_isRun = false;
    bool m_isLive = false;
    bool m_hasEnded = false;
};

VerifiedPart verifyStore(const std::string& project)
{
    VerifiedPart part{.name = std::string(storage::kRunStoreFile)};
    // SQLite's log has what the store does not have yet.
    for (const std::string_view end : {"", "-wal"}) {
        const std::string path = joinPath(project, part.name + std::string(end));
        if (storage::exists(path)) {
            ++part.files;
            part.bytes += storage::fileSize(path).value_or(0);
        }
    }
    if (const Result<void> checked = storage::RunStore::verify(project); !checked) {
        part.damaged.push_back({part.name, checked.error()});
    }
    return part;
}

VerifiedPart verifyAnnotations(const std::string& project)
{
    VerifiedPart part{.name = std::string(storage::kAnnotationsFolder)};
    const storage::AnnotationFiles copies(project);
    constexpr std::string_view kEnd = ".json";
    for (const std::string& name :
         storage::listFolder(joinPath(project, part.name)).value_or(std::vector<std::string>())) {
        const std::string path = joinPath(part.name, name);
        ++part.files;
        part.bytes += storage::fileSize(joinPath(project, path)).value_or(0);
        // Other files of the folder are not ours to read.
        if (!name.ends_with(kEnd)) {
            ++part.withoutChecksum;
            continue;
        }
        const auto annotation = copies.read(name.substr(0, name.size() - kEnd.size()));
        if (!annotation) {
            part.damaged.push_back({path, annotation.error()});
        }
    }
    return part;
}

/// Folders with a SavedModel, at limited depth.
void findExports(const std::string& project, const std::string& below, int level,
                 std::vector<std::string>& found)
{
    const std::string folder = joinPath(project, below);
    // What is below an export belongs to it.
    if (storage::isSavedModel(folder)) {
        found.push_back(below);
        return;
    }
    constexpr int kMostExportLevels = 4;
    if (level == kMostExportLevels) {
        return;
    }
    for (const std::string& name :
         storage::listFolder(folder).value_or(std::vector<std::string>())) {
        if (storage::isFolder(joinPath(folder, name))) {
            findExports(project, joinPath(below, name), level + 1, found);
        }
    }
}

std::vector<std::string> runsOf(const std::string& project)
{
    const std::string runs = joinPath(project, storage::kRunsFolder);
    std::vector<std::string> found;
    for (const std::string& name : storage::listFolder(runs).value_or(std::vector<std::string>())) {
        const std::string folder = joinPath(runs, name);
        // A damaged description does not prevent checking the run.
        if (storage::isFolder(folder) &&
            (storage::RunFiles(folder).isRun() ||
             storage::exists(joinPath(folder, storage::kRunStateFile)))) {
            found.push_back(joinPath(storage::kRunsFolder, name));
        }
    }
    return found;
}

/// Files of encoded rows that runs read and write, those that are there.
std::set<std::string> rowCachesOf(const std::string& project, const std::vector<std::string>& runs)
{
    std::set<std::string> found;
    for (const std::string& run : runs) {
        const auto frozen = readFrozenExperiment(joinPath(project, run));
        // Runs without such a file, or whose description is damaged, name none.
        if (!frozen || !*frozen || !(*frozen)->experiment.run_config().has_cache_file()) {
            continue;
        }
        const std::string path =
            joinPath((*frozen)->folder, (*frozen)->experiment.run_config().cache_file());
        if (storage::exists(path)) {
            // Several runs may share a file, which is checked once.
            found.insert(std::filesystem::path(path).lexically_normal().string());
        }
    }
    return found;
}

VerifiedPart verifyRows(const std::string& project, const std::string& path)
{
    std::error_code ignored;
    const std::string name = std::filesystem::proximate(path, project, ignored).string();
    VerifiedPart part{.name = name.starts_with("..") ? path : name, .files = 1};
    part.bytes = storage::fileSize(path).value_or(0);
    if (const Result<void> checked = features::verifyRowFile(path); !checked) {
        part.damaged.push_back({part.name, checked.error()});
    }
    return part;
}

} // namespace

Result<std::vector<VerifiedPart>> verifyProject(const VerificationRequest& request)
{
    const std::string& project = request.project;
    // Before anything is opened: a project from elsewhere may have links.
    storage::RunStore::confineProject(project);
    const bool hasStore = storage::exists(joinPath(project, storage::kRunStoreFile));
    if (!hasStore && !storage::isFolder(joinPath(project, storage::kRunsFolder)) &&
        !storage::isFolder(joinPath(project, kExportsFolder))) {
        return fail(ErrorCode::NotFound, kNoProject, project, storage::kRunStoreFile);
    }
    const std::vector<std::string> runs = runsOf(project);
    std::vector<std::string> exports;
    findExports(project, std::string(kExportsFolder), 0, exports);
    const std::set<std::string> caches = rowCachesOf(project, runs);
    // One more, so that the bar is full only at the end.
    const auto all = static_cast<double>(runs.size() + caches.size() + exports.size() + 1);
    std::vector<VerifiedPart> parts;
    const auto begin = [&](const std::string& name) {
        if (request.progress) {
            request.progress(static_cast<double>(parts.size()) / (all + 1), name);
        }
    };
    if (hasStore) {
        begin(std::string(storage::kRunStoreFile));
        parts.push_back(verifyStore(project));
    }
    if (storage::isFolder(joinPath(project, storage::kAnnotationsFolder))) {
        parts.push_back(verifyAnnotations(project));
    }
    for (const std::string& run : runs) {
        begin(run);
        parts.push_back(FolderVerifier(project, run).verifyRun());
    }
    for (const std::string& path : caches) {
        begin(path);
        parts.push_back(verifyRows(project, path));
    }
    for (const std::string& folder : exports) {
        begin(folder);
        parts.push_back(FolderVerifier(project, folder).verifyExport());
    }
    return parts;
}

} // namespace cannery::train
