// SPDX-License-Identifier: Apache-2.0
#include "core/base/memory_guard.h"
#include "storage/io/confinement.h"
#include "storage/io/files.h"
#include "storage/runs/annotation_files.h"
#include "storage/runs/migrations.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_name.h"
#include "storage/runs/run_store.h"

#include <algorithm>
#include <filesystem>

namespace cannery::storage {
namespace {

/// As opposed to a damaged store, or one of a newer version.
bool isNotWritable(const Error& error)
{
    return error.id == "sqlite.read_only" || error.id == "sqlite.cannot_open" ||
           error.id == "sqlite.full" || error.id == "sqlite.disk";
}

} // namespace

void RunStore::confineProject(const std::string& projectFolder)
{
    // Data may be anywhere, and may be reached through links.
    for (const std::string_view name :
         {std::string_view(kRunStoreFile), kRunsFolder, kAnnotationsFolder}) {
        confineItself(joinPath(projectFolder, name));
    }
}

Result<RunStore> RunStore::open(const std::string& projectFolder)
{
    return guardMemory(projectFolder, [&]() -> Result<RunStore> {
        confineProject(projectFolder);
        CANNERY_TRY_ASSIGN(Database database, Database::open(joinPath(projectFolder, kRunStoreFile),
                                                             DatabaseMode::ReadWriteCreate));
        CANNERY_TRY(migrateRunStore(database));
        return RunStore(std::move(database), projectFolder);
    });
}

Result<RunStore> RunStore::openReadOnly(const std::string& projectFolder)
{
    return guardMemory(projectFolder, [&]() -> Result<RunStore> {
        confineProject(projectFolder);
        CANNERY_TRY_ASSIGN(Database database, Database::open(joinPath(projectFolder, kRunStoreFile),
                                                             DatabaseMode::ReadOnly));
        CANNERY_TRY_ASSIGN(const bool isCurrent, isRunStoreCurrent(database));
        if (isCurrent || open(projectFolder)) { // migrates an older store
            RunStore store(std::move(database), projectFolder);
            store.m_isReadOnly = true;
            store.m_fileStamp = store.fileStamp();
            return store;
        }
        CANNERY_TRY_ASSIGN(Database memory,
                           Database::open(":memory:", DatabaseMode::ReadWriteCreate));
        CANNERY_TRY(memory.replaceWith(database));
        return inMemory(std::move(memory), projectFolder);
    });
}

/// Changes in memory are lost, so it counts as read-only.
Result<RunStore> RunStore::inMemory(Database memory, const std::string& projectFolder)
{
    CANNERY_TRY(migrateRunStore(memory));
    RunStore store(std::move(memory), projectFolder);
    CANNERY_TRY(store.m_database.execute("PRAGMA query_only = ON"));
    store.m_isReadOnly = true;
    store.m_fileStamp = store.fileStamp();
    return store;
}

Result<RunStore> RunStore::openForReading(const std::string& projectFolder)
{
    return guardMemory(projectFolder, [&]() -> Result<RunStore> {
        const bool isNew = !exists(joinPath(projectFolder, kRunStoreFile));
        Result<RunStore> store = open(projectFolder);
        if (!store && isNew && isFolder(projectFolder)) {
            CANNERY_TRY_ASSIGN(Database memory,
                               Database::open(":memory:", DatabaseMode::ReadWriteCreate));
            store = inMemory(std::move(memory), projectFolder);
        } else if (!store && isNotWritable(store.error())) {
            store = openReadOnly(projectFolder);
        }
        if (store) {
            CANNERY_TRY(store->adoptFolders());
        }
        return store;
    });
}

Result<void> RunStore::adoptFolders()
{
    CANNERY_TRY_ASSIGN(const std::int64_t runs,
                       m_database.queryInteger("SELECT count(*) FROM runs"));
    if (runs > 0 || !hasRunFolders()) {
        return {};
    }
    // Folders cannot be added to a file that is only read, but to a copy in memory.
    if (m_isReadOnly && !m_database.path().empty()) {
        CANNERY_TRY_ASSIGN(Database memory,
                           Database::open(":memory:", DatabaseMode::ReadWriteCreate));
        CANNERY_TRY(memory.replaceWith(m_database));
        m_database = std::move(memory);
    }
    CANNERY_TRY(m_database.execute("PRAGMA query_only = OFF"));
    CANNERY_TRY(importAll()); // damaged parts are left out, as before
    return m_isReadOnly ? m_database.execute("PRAGMA query_only = ON") : Result<void>();
}

bool RunStore::hasRunFolders() const
{
    const auto names = listFolder(joinPath(m_projectFolder, kRunsFolder));
    return names && std::any_of(names->begin(), names->end(), [&](const std::string& run) {
               return isRunName(run) && RunFiles(folderOf(run)).isRun();
           });
}

Result<std::int64_t> RunStore::unknownFolders()
{
    return guardMemory(m_projectFolder, [&]() -> Result<std::int64_t> {
        CANNERY_TRY_ASSIGN(Statement known,
                           m_database.prepare("SELECT 1 FROM runs WHERE name = ?"));
        std::int64_t unknown = 0;
        const auto names = listFolder(joinPath(m_projectFolder, kRunsFolder));
        for (const std::string& run : names.value_or(std::vector<std::string>())) {
            known.bind(0, std::string_view(run));
            CANNERY_TRY_ASSIGN(const bool isKnown, known.step());
            known.reset();
            unknown += !isKnown && isRunName(run) && RunFiles(folderOf(run)).isRun() ? 1 : 0;
        }
        return unknown;
    });
}

/// Changes whenever another program has written.
std::string RunStore::fileStamp() const
{
    std::string stamp;
    // In WAL mode a change may be in the log alone.
    for (const std::string_view end : {"", "-wal"}) {
        const std::string file = joinPath(m_projectFolder, std::string(kRunStoreFile).append(end));
        std::error_code failure;
        const auto written = std::filesystem::last_write_time(file, failure);
        stamp += fmt::format("{}:{} ", fileSize(file).value_or(0),
                             failure ? 0 : written.time_since_epoch().count());
    }
    return stamp;
}

bool RunStore::isStale() const
{
    const bool seesChanges =
        !m_isReadOnly || !(m_database.isSnapshot() || m_database.path().empty());
    return !seesChanges && fileStamp() != m_fileStamp;
}

Result<void> RunStore::verify(const std::string& projectFolder)
{
    return guardMemory(projectFolder, [&]() -> Result<void> {
        confineProject(projectFolder);
        CANNERY_TRY_ASSIGN(Database file,
                           Database::openAsItStands(joinPath(projectFolder, kRunStoreFile)));
        CANNERY_TRY_ASSIGN(const bool isCurrent, isRunStoreCurrent(file));
        // Copies every page, including unused ones.
        CANNERY_TRY_ASSIGN(Database memory,
                           Database::open(":memory:", DatabaseMode::ReadWriteCreate));
        CANNERY_TRY(memory.replaceWith(file));
        CANNERY_TRY(memory.checkIntegrity());
        if (isCurrent) {
            CANNERY_TRY_ASSIGN(RunStore store, inMemory(std::move(memory), projectFolder));
            CANNERY_TRY(store.list());
            CANNERY_TRY(store.list({.trashed = true}));
        }
        return {};
    });
}

} // namespace cannery::storage
