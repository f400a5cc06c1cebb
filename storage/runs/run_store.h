// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/runs/run_record.h"
#include "storage/sqlite/database.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cannery::storage {

/// The file name of the store in a project's folder, and the folder of its runs.
inline constexpr std::string_view kRunStoreFile = "cannery.db";
/// What sentences call it.
inline constexpr std::string_view kRunStoreName = "the run store";
inline constexpr std::string_view kRunsFolder = "runs";
/// What a damaged store was before it was mended.
inline constexpr std::string_view kDamagedStoreFile = "cannery.db.damaged";

struct RunFilter
{
    bool trashed = false; ///< only runs in the trash, instead of only those outside
    std::string tag;      ///< only runs with this tag; empty: any
    bool starred = false; ///< only starred runs
};

/// What a rescan found.
struct RescanReport
{
    std::int64_t runs = 0;
    /// One for each run folder that could not be read and was left out, and for each table of what
    /// people said that stood on a damaged page.
    std::vector<Error> damaged;
};

/// `cannery.db` of a project: the index of what its runs did. The run folders are the truth; every
/// table here can be rebuilt from them. Only a run's owner writes about it; any number of programs
/// may read and write at once. Every page carries a checksum: any call says "sqlite.corrupt" when
/// it meets a damaged one, or a run whose name would lead out of runs/. Used from one thread.
class RunStore
{
public:
    /// Opens or makes the store of a project. The folder must exist.
    static Result<RunStore> open(const std::string& projectFolder);
    /// A store of an older version is brought up to date first, in memory where it cannot be
    /// written.
    static Result<RunStore> openReadOnly(const std::string& projectFolder);
    /// For what only looks: open(), and where the project cannot be written (another person's, a
    /// disk that is mounted for reading) what stands there; isReadOnly() tells. A project whose
    /// store is missing or knows no run, beside folders of runs, is rescanned, in memory where it
    /// cannot be written.
    static Result<RunStore> openForReading(const std::string& projectFolder);

    /// Adds the run, or replaces what was known about it and its parameters.
    Result<void> putRun(const RunInfo& info, const RunStatus& status);
    Result<void> setStatus(const std::string& run, const RunStatus& status);
    /// Replaces an earlier evaluation of the same name and step.
    Result<void> addEvaluation(const std::string& run, const RunEvaluation& evaluation);
    Result<void> setCheckpoints(const std::string& run, std::span<const RunCheckpoint> checkpoints);
    /// Replaces the statistics of the tags named.
    Result<void> setTags(const std::string& run, std::span<const TagStatistics> tags);
    /// Status and statistics together, in one transaction.
    Result<void> recordState(const std::string& run, std::span<const TagStatistics> tags,
                             const RunStatus& status);
    /// What a save of a checkpoint changes, in one transaction.
    Result<void> recordSave(const std::string& run, std::span<const RunCheckpoint> checkpoints,
                            std::span<const TagStatistics> tags, const RunStatus& status);
    Result<void> addExport(const std::string& run, const RunExport& entry);
    /// Replaces all that was known of a run's exports.
    Result<void> setExports(const std::string& run, std::span<const RunExport> exports);

    /// Newest first. A run whose owner died is Interrupted, whatever was written last.
    Result<std::vector<RunSummary>> list(const RunFilter& filter = {});
    Result<RunDetails> show(const std::string& run);

    /// The one run that a person means: its name, its title, a part that only it begins with, or
    /// "latest". "runs.not_found" and "runs.ambiguous" otherwise.
    Result<std::string> find(const std::string& nameOrTitle);

    /// Rebuilds every table of execution from the run folders and leaves annotations alone; what
    /// people said of a run that the store does not know comes from its copy (AnnotationFiles), and
    /// every copy is brought up to date with the store. A damaged store is mended: of annotations,
    /// queue and view states it gets what can be read, and what it was stays beside it
    /// (kDamagedStoreFile). Other programs may go on meanwhile.
    static Result<RescanReport> rescan(const std::string& projectFolder);

    /// Reads every page of the store as it stands and looks for names that lead outside; writes
    /// nothing, not even what SQLite keeps beside its files. "sqlite.corrupt" and the like.
    static Result<void> verify(const std::string& projectFolder);

    /// From now on links below the project's runs and beside its store are not followed. Whatever
    /// opens a store does this first.
    static void confineProject(const std::string& projectFolder);

    /// Brings evaluations, checkpoints and exports of one run up to what its folder says: an engine
    /// that died has written its files, but perhaps not its last words here. Damaged files
    /// ("run.damaged") change nothing.
    Result<void> refresh(const std::string& run);

    /// Hides a run; one that is being trained is refused ("runs.still_running").
    Result<void> moveToTrash(const std::string& run, double when);

    /// Deletes a run of the trash with its folder and everything said about it; there is no way
    /// back. "runs.still_running" for one that is being trained, "runs.not_in_trash".
    Result<void> deleteForever(const std::string& run);

    /// How many folders of runs there are that this store does not know.
    Result<std::int64_t> unknownFolders();
    /// Whether nothing can be written to this store.
    bool isReadOnly() const { return m_isReadOnly; }
    /// Whether the files have changed since a store was opened that does not see it by itself:
    /// opened again, it shows more.
    bool isStale() const;

    const std::string& projectFolder() const { return m_projectFolder; }
    /// "<project>/runs/<run>". `run` is a name that came out of this store, or isRunName().
    std::string folderOf(const std::string& run) const;
    Database& database() { return m_database; }

private:
    RunStore(Database database, std::string projectFolder);

    Result<void> write(const std::function<Result<void>()>& work);
    Result<void> importRun(const std::string& run);
    Result<RescanReport> importAll();
    Result<void> importRuns(std::span<const std::string> folders, RescanReport& report);
    Result<void> dropBadNames();
    Result<void> restoreAnnotations(std::span<const std::string> folders, RescanReport& report);
    void copyAnnotations(RescanReport& report);
    static Result<RunStore> inMemory(Database memory, const std::string& projectFolder);
    Result<void> adoptFolders();
    bool hasRunFolders() const;
    std::string fileStamp() const;
    static Result<RescanReport> mend(const std::string& projectFolder);
    Result<RunSummary> readSummary(Statement& row);
    RunStatus withOwner(const std::string& run, RunStatus status) const;

    Database m_database;
    std::string m_projectFolder;
    bool m_isReadOnly = false;
    std::string m_fileStamp; ///< of the store's files when it was opened
};

} // namespace cannery::storage
