// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_store.h"

#include "core/base/catalog.h"
#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "storage/io/files.h"
#include "storage/runs/annotation_files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_name.h"
#include "storage/runs/run_queries.h"
#include "storage/runs/run_writes.h"

#include <algorithm>
#include <functional>

namespace cannery::storage {
namespace {

constexpr ErrorKind kNotFound{"runs.not_found", "There is no run '{}' in '{}'.{}"};
constexpr ErrorKind kAmbiguous{"runs.ambiguous", "'{}' could be {}; write more of the name."};
constexpr ErrorKind kStillRunning{
    "runs.still_running",
    "{} is being trained by process {}; stop it before moving it to the trash."};
constexpr ErrorKind kStillOwned{
    "runs.still_running_in_trash",
    "{} is being trained by process {}; stop it before deleting it permanently."};
constexpr ErrorKind kNotTrashed{
    "runs.not_in_trash", "{} is not in the trash; only runs there can be deleted permanently."};
constexpr ErrorKind kNoRuns{"runs.none", "There are no runs in {} yet; train something first."};

/// infoOf() and statusOf() read them by their places, so that new ones come last.
constexpr std::string_view kSummaryColumns =
    "runs.name, experiment_name, experiment_file, estimator, engine, data_fingerprint, train_rows, "
    "eval_rows, created_at, state, reason, global_step, max_steps, updated_at, started_at, "
    "finished_at, device, rows_per_step, seconds_before";

/// The name of a run in the store, which may come from someone else.
Result<std::string> runNameOf(const Database& database, const Statement& row)
{
    std::string run = row.text(0);
    if (!isRunName(run)) {
        return tl::make_unexpected(
            database.corrupt(fmt::format("'{}' is not the name of a run", toUtf8(run))));
    }
    return run;
}

RunInfo infoOf(const Statement& row)
{
    return {.name = row.text(0),
            .experimentName = row.text(1),
            .experimentFile = row.text(2),
            .estimator = row.text(3),
            .engine = row.text(4),
            .device = row.text(16),
            .dataFingerprint = row.text(5),
            .trainRows = row.integer(6),
            .evalRows = row.integer(7),
            .rowsPerStep = row.integer(17),
            .createdAt = row.real(8)};
}

RunStatus statusOf(const Statement& row)
{
    // A state of a newer version: nothing is known to run.
    return {.state = runStateFromName(row.text(9)).value_or(RunState::Interrupted),
            .reason = row.text(10),
            .globalStep = row.integer(11),
            .maxSteps = row.optionalInteger(12),
            .updatedAt = row.real(13),
            .startedAt = row.optionalReal(14),
            .finishedAt = row.optionalReal(15),
            .secondsBefore = row.real(18)};
}

} // namespace

RunStore::RunStore(Database database, std::string projectFolder)
    : m_database(std::move(database)), m_projectFolder(std::move(projectFolder))
{}

std::string RunStore::folderOf(const std::string& run) const
{
    return joinPath(joinPath(m_projectFolder, kRunsFolder), run);
}

Result<void> RunStore::putRun(const RunInfo& info, const RunStatus& status)
{
    const auto work = [&]() -> Result<void> {
        CANNERY_TRY(checkRunName(info.name));
        return writeRun(m_database, info, status);
    };
    return write(std::cref(work));
}

Result<void> RunStore::setStatus(const std::string& run, const RunStatus& status)
{
    const auto work = [&] { return writeStatus(m_database, run, status); };
    return write(std::cref(work));
}

Result<void> RunStore::addEvaluation(const std::string& run, const RunEvaluation& evaluation)
{
    const auto work = [&] { return writeEvaluation(m_database, run, evaluation); };
    return write(std::cref(work));
}

Result<void> RunStore::setCheckpoints(const std::string& run,
                                      std::span<const RunCheckpoint> checkpoints)
{
    const auto work = [&] { return writeCheckpoints(m_database, run, checkpoints); };
    return write(std::cref(work));
}

Result<void> RunStore::setTags(const std::string& run, std::span<const TagStatistics> tags)
{
    const auto work = [&] { return writeTags(m_database, run, tags); };
    return write(std::cref(work));
}

Result<void> RunStore::recordState(const std::string& run, std::span<const TagStatistics> tags,
                                   const RunStatus& status)
{
    const auto work = [&]() -> Result<void> {
        CANNERY_TRY(writeTags(m_database, run, tags));
        return writeStatus(m_database, run, status);
    };
    return write(std::cref(work));
}

Result<void> RunStore::recordSave(const std::string& run,
                                  std::span<const RunCheckpoint> checkpoints,
                                  std::span<const TagStatistics> tags, const RunStatus& status)
{
    const auto work = [&]() -> Result<void> {
        CANNERY_TRY(writeCheckpoints(m_database, run, checkpoints));
        CANNERY_TRY(writeTags(m_database, run, tags));
        return writeStatus(m_database, run, status);
    };
    return write(std::cref(work));
}

Result<void> RunStore::addExport(const std::string& run, const RunExport& entry)
{
    const auto work = [&] { return writeExport(m_database, run, entry); };
    return write(std::cref(work));
}

Result<void> RunStore::setExports(const std::string& run, std::span<const RunExport> exports)
{
    const auto work = [&] { return writeExports(m_database, run, exports); };
    return write(std::cref(work));
}

/// All or nothing. Takes a reference: a std::function would allocate before memory errors are
/// handled.
Result<void> RunStore::write(const std::function<Result<void>()>& work)
{
    return guardMemory(m_projectFolder, [&] { return m_database.transaction(work); });
}

/// A killed engine could not write its last state; the lock, which the kernel released, shows it.
RunStatus RunStore::withOwner(const std::string& run, RunStatus status) const
{
    if (needsOwner(status.state) && !RunLock::owner(folderOf(run))) {
        status.state = RunState::Interrupted;
    }
    return status;
}

Result<RunSummary> RunStore::readSummary(Statement& row)
{
    // First of all, since the name becomes a path.
    CANNERY_TRY(runNameOf(m_database, row));
    RunSummary summary{.info = infoOf(row), .status = statusOf(row)};
    const std::string& run = summary.info.name;
    summary.status = withOwner(run, std::move(summary.status));
    CANNERY_TRY_ASSIGN(summary.annotations, AnnotationStore(m_database).read(run));
    CANNERY_TRY_ASSIGN(const std::vector<RunEvaluation> evaluations,
                       readEvaluations(m_database, run));
    if (!evaluations.empty()) {
        summary.lastEvaluation = evaluations.back();
    }
    return summary;
}

Result<std::vector<RunSummary>> RunStore::list(const RunFilter& filter)
{
    return guardMemory(m_projectFolder, [&]() -> Result<std::vector<RunSummary>> {
        CANNERY_TRY_ASSIGN(
            Statement rows,
            m_database.prepare(fmt::format(
                "SELECT {} FROM runs ORDER BY created_at DESC, runs.name DESC", kSummaryColumns)));
        std::vector<RunSummary> runs;
        while (true) {
            CANNERY_TRY_ASSIGN(const bool hasRow, rows.step());
            if (!hasRow) {
                return runs;
            }
            CANNERY_TRY_ASSIGN(RunSummary summary, readSummary(rows));
            const RunAnnotations& annotations = summary.annotations;
            const bool hasTag =
                filter.tag.empty() || std::find(annotations.tags.begin(), annotations.tags.end(),
                                                filter.tag) != annotations.tags.end();
            if (annotations.trashedAt.has_value() == filter.trashed && hasTag &&
                (annotations.star || !filter.starred)) {
                runs.push_back(std::move(summary));
            }
        }
    });
}

Result<RunDetails> RunStore::show(const std::string& run)
{
    return guardMemory(m_projectFolder, [&]() -> Result<RunDetails> {
        CANNERY_TRY(checkRunName(run));
        CANNERY_TRY_ASSIGN(
            Statement row,
            m_database.prepare(fmt::format("SELECT {} FROM runs WHERE name = ?", kSummaryColumns)));
        row.bind(0, std::string_view(run));
        CANNERY_TRY_ASSIGN(const bool hasRow, row.step());
        if (!hasRow) {
            return fail(ErrorCode::NotFound, kNotFound, run, m_projectFolder, "");
        }
        RunDetails details{.info = infoOf(row), .status = withOwner(run, statusOf(row))};
        CANNERY_TRY_ASSIGN(details.info.parameters, readParameters(m_database, run));
        CANNERY_TRY_ASSIGN(details.annotations, AnnotationStore(m_database).read(run));
        CANNERY_TRY_ASSIGN(details.evaluations, readEvaluations(m_database, run));
        CANNERY_TRY_ASSIGN(details.checkpoints, readCheckpoints(m_database, run));
        CANNERY_TRY_ASSIGN(details.tags, readTags(m_database, run));
        CANNERY_TRY_ASSIGN(details.exports, readExports(m_database, run));
        return details;
    });
}

Result<std::string> RunStore::find(const std::string& nameOrTitle)
{
    return guardMemory(m_projectFolder, [&]() -> Result<std::string> {
        CANNERY_TRY_ASSIGN(
            Statement rows,
            m_database.prepare(
                "SELECT runs.name, coalesce(title, ''), trashed_at FROM runs LEFT JOIN "
                "annotations ON run = runs.name ORDER BY created_at DESC, runs.name DESC"));
        std::vector<std::string> names;
        std::vector<std::string> titled;
        std::vector<std::string> beginning;
        while (true) {
            CANNERY_TRY_ASSIGN(const bool hasRow, rows.step());
            if (!hasRow) {
                break;
            }
            CANNERY_TRY_ASSIGN(const std::string run, runNameOf(m_database, rows));
            const bool trashed = !rows.isNull(2);
            if (run == nameOrTitle || (nameOrTitle == "latest" && !trashed)) {
                return run;
            }
            names.push_back(run);
            if (rows.text(1) == nameOrTitle && !nameOrTitle.empty()) {
                titled.push_back(run);
            }
            if (run.starts_with(nameOrTitle)) {
                beginning.push_back(run);
            }
        }
        // A title that fits wholly comes before names that only begin so.
        const std::vector<std::string>& found = titled.empty() ? beginning : titled;
        if (found.size() == 1) {
            return found.front();
        }
        if (found.size() > 1) {
            std::string both = found[0] + " or " + found[1];
            return fail(ErrorCode::InvalidArgument, kAmbiguous, nameOrTitle, both);
        }
        if (names.empty()) {
            return fail(ErrorCode::NotFound, kNoRuns, m_projectFolder);
        }
        return fail(ErrorCode::NotFound, kNotFound, nameOrTitle, m_projectFolder,
                    suggestion(nameOrTitle, names));
    });
}

Result<void> RunStore::refresh(const std::string& run)
{
    return guardMemory(m_projectFolder, [&]() -> Result<void> {
        CANNERY_TRY(checkRunName(run));
        // Read before the transaction begins: a folder may be on a slow network, and an engine that
        // wants to record something would wait for it.
        const RunFiles files(folderOf(run));
        CANNERY_TRY_ASSIGN(const std::vector<RunEvaluation> evaluations, files.readEvaluations());
        CANNERY_TRY_ASSIGN(const std::vector<RunCheckpoint> checkpoints, files.readCheckpoints());
        CANNERY_TRY_ASSIGN(const std::vector<RunExport> exports, files.readExports());
        return m_database.transaction([&]() -> Result<void> {
            for (const RunEvaluation& evaluation : evaluations) {
                CANNERY_TRY(addEvaluation(run, evaluation));
            }
            CANNERY_TRY(setExports(run, exports));
            return setCheckpoints(run, checkpoints);
        });
    });
}

Result<void> RunStore::moveToTrash(const std::string& run, double when)
{
    return guardMemory(m_projectFolder, [&]() -> Result<void> {
        CANNERY_TRY(checkRunName(run));
        if (const std::optional<RunOwner> owner = RunLock::owner(folderOf(run))) {
            return fail(ErrorCode::FailedPrecondition, kStillRunning, run, owner->processId);
        }
        return AnnotationStore(m_database).moveToTrash(run, when);
    });
}

Result<void> RunStore::deleteForever(const std::string& run)
{
    return guardMemory(m_projectFolder, [&]() -> Result<void> {
        CANNERY_TRY(checkRunName(run));
        const std::string folder = folderOf(run);
        if (const std::optional<RunOwner> owner = RunLock::owner(folder)) {
            return fail(ErrorCode::FailedPrecondition, kStillOwned, run, owner->processId);
        }
        CANNERY_TRY_ASSIGN(const RunAnnotations annotations, AnnotationStore(m_database).read(run));
        if (!annotations.trashedAt) {
            return fail(ErrorCode::FailedPrecondition, kNotTrashed, run);
        }
        std::optional<RunLock> lock; // nobody can resume a run while it is deleted
        if (isFolder(folder)) {
            CANNERY_TRY_ASSIGN(lock, RunLock::acquire(folder));
        }
        // Without its run.json it is not a run any more, whatever happens next.
        if (lock) {
            (void)realFileSystem().removeFile(joinPath(folder, kRunInfoFile));
        }
        // Before the row: a later run of this name must not inherit its annotations.
        CANNERY_TRY(AnnotationFiles(m_projectFolder).remove(run));
        CANNERY_TRY(m_database.transaction([&] { return eraseRun(m_database, run); }));
        return removeTree(folder);
    });
}

} // namespace cannery::storage
