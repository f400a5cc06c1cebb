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
/// Its name in messages.
inline constexpr std::string_view kRunStoreName = "the run store";
inline constexpr std::string_view kRunsFolder = "runs";
/// The backup of a damaged store from before it was repaired.
inline constexpr std::string_view kDamagedStoreFile = "cannery.db.damaged";

struct RunFilter
{
    bool trashed = false; ///< only runs in the trash instead of only those outside
    std::string tag;      ///< only runs with this tag; any if empty
    bool starred = false; ///< only starred runs
};

/// The result of a rescan.
struct RescanReport
{
    std::int64_t runs = 0;
    /// One for each run folder that could not be read and was skipped, and for each annotation
    /// table with a damaged page.
    std::vector<Error> damaged;
};

/// `cannery.db` of a project: the index of its runs' records. The run folders are authoritative;
/// every execution table here can be rebuilt from them. Only a run's owner writes its records, and
/// an evaluator (RunLock::acquireEvaluation()) its evaluations; any number of programs may read and
/// write at once. Every page carries a checksum: any call returns "sqlite.corrupt" if it reads a
/// damaged one, or a run whose name would lead out of runs/. Used from one thread.
class RunStore
{
public:
    /// Opens or creates the store of a project. The folder must exist.
    static Result<RunStore> open(const std::string& projectFolder);
    /// A store of an older version is migrated first, in memory if it cannot be written.
    static Result<RunStore> openReadOnly(const std::string& projectFolder);
    /// For readers: open(), or the present content if the project cannot be written (another
    /// user's, or a disk mounted read-only); see isReadOnly(). A project that has run folders but
    /// no store, or an empty one, is rescanned, in memory if it cannot be written.
    static Result<RunStore> openForReading(const std::string& projectFolder);

    /// Adds the run, or replaces its record and parameters.
    Result<void> putRun(const RunInfo& info, const RunStatus& status);
    Result<void> setStatus(const std::string& run, const RunStatus& status);
    /// Replaces an earlier evaluation of the same name and step.
    Result<void> addEvaluation(const std::string& run, const RunEvaluation& evaluation);
    Result<void> setCheckpoints(const std::string& run, std::span<const RunCheckpoint> checkpoints);
    /// Replaces the statistics of the given tags.
    Result<void> setTags(const std::string& run, std::span<const TagStatistics> tags);
    /// Status and statistics together, in one transaction.
    Result<void> recordState(const std::string& run, std::span<const TagStatistics> tags,
                             const RunStatus& status);
    /// The changes made by saving a checkpoint, in one transaction.
    Result<void> recordSave(const std::string& run, std::span<const RunCheckpoint> checkpoints,
                            std::span<const TagStatistics> tags, const RunStatus& status);
    Result<void> addExport(const std::string& run, const RunExport& entry);
    /// Replaces the list of a run's exports.
    Result<void> setExports(const std::string& run, std::span<const RunExport> exports);

    /// Newest first. A run whose owner died is Interrupted, whatever its last recorded state.
    Result<std::vector<RunSummary>> list(const RunFilter& filter = {});
    Result<RunDetails> show(const std::string& run);

    /// The run that the user means: by its name, its title, a unique prefix, or "latest".
    /// "runs.not_found" and "runs.ambiguous" otherwise.
    Result<std::string> find(const std::string& nameOrTitle);

    /// Rebuilds every execution table from the run folders and leaves annotations unchanged;
    /// annotations of a run without any in the store are restored from its copy (AnnotationFiles),
    /// and every copy is brought up to date with the store. A damaged store is repaired: it keeps
    /// whatever annotations, queue and view states can be read, and its old content is kept in a
    /// backup (kDamagedStoreFile). Other programs may continue meanwhile.
    static Result<RescanReport> rescan(const std::string& projectFolder);

    /// Reads every page of the store and checks for names that lead outside; writes nothing, not
    /// even SQLite's auxiliary files. Errors such as "sqlite.corrupt".
    static Result<void> verify(const std::string& projectFolder);

    /// From now on links below the project's runs and next to its store are not followed. Called
    /// first by everything that opens a store.
    static void confineProject(const std::string& projectFolder);

    /// Updates evaluations, checkpoints and exports of one run from its folder: an engine that died
    /// has written its files, but perhaps not its last store updates. Damaged files ("run.damaged")
    /// change nothing.
    Result<void> refresh(const std::string& run);

    /// Hides a run; refuses one that is being trained ("runs.still_running").
    Result<void> moveToTrash(const std::string& run, double when);

    /// Permanently deletes a run in the trash, with its folder and annotations.
    /// "runs.still_running_in_trash" for one that is being trained, "runs.not_in_trash".
    Result<void> deleteForever(const std::string& run);

    /// Number of run folders that this store does not know.
    Result<std::int64_t> unknownFolders();
    /// Whether the store is read-only.
    bool isReadOnly() const { return m_isReadOnly; }
    /// Whether the files have changed since the opening of a store that does not notice changes:
    /// reopened, it would show more.
    bool isStale() const;

    const std::string& projectFolder() const { return m_projectFolder; }
    /// "<project>/runs/<run>". `run` must come from this store, or satisfy isRunName().
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
