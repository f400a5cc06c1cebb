// SPDX-License-Identifier: Apache-2.0
#include "core/base/memory_guard.h"
#include "storage/io/files.h"
#include "storage/runs/annotation_files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/migrations.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_name.h"
#include "storage/runs/run_store.h"
#include "storage/runs/salvage.h"
#include "storage/runs/tag_scan.h"

#include <algorithm>

namespace cannery::storage {

Result<void> RunStore::importRun(const std::string& run)
{
    CANNERY_TRY(checkRunName(run));
    const RunFiles files(folderOf(run));
    CANNERY_TRY_ASSIGN(RunInfo info, files.readInfo());
    info.name = run; // the folder may have been renamed
    CANNERY_TRY_ASSIGN(RunStatus status, files.readStatus());
    CANNERY_TRY_ASSIGN(const std::vector<RunEvaluation> evaluations, files.readEvaluations());
    CANNERY_TRY_ASSIGN(const std::vector<RunCheckpoint> checkpoints, files.readCheckpoints());
    CANNERY_TRY_ASSIGN(std::vector<RunExport> exports, files.readExports());
    // One may have been deleted by hand.
    std::erase_if(exports, [&](const RunExport& entry) {
        return !exists(joinPath(folderOf(run), entry.path));
    });
    CANNERY_TRY_ASSIGN(const std::vector<TagStatistics> tags, scanTags(folderOf(run)));
    // The state is not written at every save: a saved step has certainly been reached.
    if (!checkpoints.empty()) {
        status.globalStep = std::max(status.globalStep, checkpoints.back().globalStep);
    }
    CANNERY_TRY(putRun(info, status));
    for (const RunEvaluation& evaluation : evaluations) {
        CANNERY_TRY(addEvaluation(run, evaluation));
    }
    CANNERY_TRY(setExports(run, exports));
    CANNERY_TRY(setCheckpoints(run, checkpoints));
    return setTags(run, tags);
}

Result<RescanReport> RunStore::rescan(const std::string& projectFolder)
{
    return guardMemory(projectFolder, [&]() -> Result<RescanReport> {
        Result<RescanReport> report =
            open(projectFolder).and_then([](RunStore store) -> Result<RescanReport> {
                CANNERY_TRY(store.m_database.checkIntegrity());
                CANNERY_TRY_ASSIGN(RescanReport found, store.importAll());
                store.copyAnnotations(found);
                return Result<RescanReport>(std::move(found));
            });
        // "failed": its tables are not ours.
        const bool isDamaged = !report && (report.error().id == "sqlite.corrupt" ||
                                           report.error().id == "sqlite.failed");
        return isDamaged ? mend(projectFolder) : report;
    });
}

Result<RescanReport> RunStore::mend(const std::string& projectFolder)
{
    const std::string path = joinPath(projectFolder, kRunStoreFile);
    const std::string kept = joinPath(projectFolder, kDamagedStoreFile);
    CANNERY_TRY(copyFile(path, kept));
    CANNERY_TRY_ASSIGN(Database inMemory,
                       Database::open(":memory:", DatabaseMode::ReadWriteCreate));
    RunStore fresh(std::move(inMemory), projectFolder);
    CANNERY_TRY(migrateRunStore(fresh.m_database));
    CANNERY_TRY_ASSIGN(RescanReport report, fresh.importAll());
    Result<Database> damaged = Database::open(path, DatabaseMode::Repair);
    if (damaged) {
        CANNERY_TRY(salvage(*damaged, fresh.m_database, report.damaged));
        CANNERY_TRY(fresh.dropBadNames());
        if (damaged->replaceWith(fresh.m_database)) {
            if (Result<RunStore> mended = open(projectFolder)) {
                mended->copyAnnotations(report);
            }
            return report;
        }
    } else {
        report.damaged.push_back(std::move(damaged).error());
    }
    // That file is unreadable: it is replaced.
    for (const std::string_view end : {"-wal", "-shm", ""}) {
        CANNERY_TRY(removeTree(path + std::string(end)));
    }
    CANNERY_TRY_ASSIGN(RunStore mended, open(projectFolder));
    CANNERY_TRY(mended.m_database.replaceWith(fresh.m_database));
    mended.copyAnnotations(report);
    return report;
}

Result<RescanReport> RunStore::importAll()
{
    const std::string runsFolder = joinPath(m_projectFolder, kRunsFolder);
    std::vector<std::string> folders;
    if (isFolder(runsFolder)) {
        CANNERY_TRY_ASSIGN(folders, listFolder(runsFolder));
    }
    RescanReport report;
    const Result<void> done = m_database.transaction([&] { return importRuns(folders, report); });
    CANNERY_TRY(done);
    return report;
}

Result<void> RunStore::importRuns(std::span<const std::string> folders, RescanReport& report)
{
    // Each table separately: a damaged row may belong to no run at all.
    for (const std::string_view table :
         {"parameters", "evaluations", "checkpoints", "tags", "exports", "runs"}) {
        CANNERY_TRY(m_database.execute(fmt::format("DELETE FROM {}", table)));
    }
    for (const std::string& run : folders) {
        if (!RunFiles(folderOf(run)).isRun()) {
            continue;
        }
        CANNERY_TRY(m_database.execute("SAVEPOINT one_run"));
        Result<void> imported = importRun(run);
        if (!imported && imported.error().id == kNoMemoryId) {
            return imported; // not an error of the run
        }
        if (!imported) {
            CANNERY_TRY(m_database.execute("ROLLBACK TO one_run"));
            report.damaged.push_back(std::move(imported).error().with("rescanning " + run));
        }
        CANNERY_TRY(m_database.execute("RELEASE one_run"));
        report.runs += imported ? 1 : 0;
    }
    CANNERY_TRY(dropBadNames());
    return restoreAnnotations(folders, report);
}

/// From the copies, for runs without annotations in this store, which may be new.
Result<void> RunStore::restoreAnnotations(std::span<const std::string> folders,
                                          RescanReport& report)
{
    CANNERY_TRY_ASSIGN(
        Statement known,
        m_database.prepare("SELECT 1 FROM annotations WHERE run = ? UNION ALL SELECT "
                           "1 FROM annotation_tags WHERE run = ?"));
    const AnnotationFiles copies(m_projectFolder);
    for (const std::string& run : folders) {
        if (!isRunName(run)) {
            continue;
        }
        known.bind(0, std::string_view(run)).bind(1, std::string_view(run));
        CANNERY_TRY_ASSIGN(const bool isKnown, known.step());
        known.reset();
        Result<std::optional<RunAnnotations>> annotations =
            isKnown ? std::optional<RunAnnotations>() : copies.read(run);
        if (annotations && *annotations) {
            CANNERY_TRY(AnnotationStore(m_database).restore(run, **annotations));
        } else if (!annotations) {
            report.damaged.push_back(std::move(annotations).error());
        }
    }
    return {};
}

/// After everything is read: the store is authoritative from now on.
void RunStore::copyAnnotations(RescanReport& report)
{
    // Every run gets a colour slot automatically.
    Result<Statement> rows = m_database.prepare(
        "SELECT run FROM annotations WHERE title <> '' OR notes <> '' OR star <> 0 OR colour <> '' "
        "OR trashed_at IS NOT NULL UNION SELECT run FROM annotation_tags");
    std::vector<std::string> runs;
    while (rows && rows->step().value_or(false)) {
        runs.push_back(rows->text(0));
    }
    for (const std::string& run : runs) {
        if (Result<void> copied = AnnotationStore(m_database).copy(run); !copied) {
            report.damaged.push_back(std::move(copied).error());
            return; // one is enough to report a full disk
        }
    }
}

/// Annotations of an impossible run name come from a malicious store.
Result<void> RunStore::dropBadNames()
{
    for (const std::string_view table : {"annotations", "annotation_tags"}) {
        std::vector<std::string> bad;
        {
            CANNERY_TRY_ASSIGN(Statement rows, m_database.prepare(fmt::format(
                                                   "SELECT DISTINCT run FROM {}", table)));
            CANNERY_TRY_ASSIGN(bool hasRow, rows.step());
            while (hasRow) {
                bad.push_back(rows.text(0));
                CANNERY_TRY_ASSIGN(hasRow, rows.step());
            }
        }
        std::erase_if(bad, isRunName);
        CANNERY_TRY_ASSIGN(Statement remove,
                           m_database.prepare(fmt::format("DELETE FROM {} WHERE run = ?", table)));
        for (const std::string& run : bad) {
            remove.bind(0, std::string_view(run));
            CANNERY_TRY(remove.run());
        }
    }
    return {};
}

} // namespace cannery::storage
