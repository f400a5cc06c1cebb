// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "core/base/result.h"
#include "storage/runs/run_overview.h"
#include "storage/runs/run_store.h"
#include "ui/models/runs/run_snapshot.h"

#include <QHash>

#include <optional>

namespace cannery::ui {

/// Turns a project's store into snapshots, and reads again only what changed. Used from one thread,
/// not the GUI thread.
class RunReader
{
public:
    /// Creates a missing store; one that cannot be written is opened for reading
    /// (store().isReadOnly()). Run folders that an empty store does not know are added to it.
    Result<void> open(const QString& folder);
    bool isOpen() const { return m_store.has_value(); }
    storage::RunStore& store() { return *m_store; }

    /// True if another program committed since the last read, or a live run lost its owner.
    bool hasNews();
    /// The current state of everything. Thorough: also what is not expected to change, and the
    /// folders.
    ProjectSnapshotPtr read(bool thorough);
    /// Discards what was read, so that the next read() reads everything.
    void forget();
    /// How old a run's folder must be before it is reported as missing from the store.
    void setNewFolderSeconds(int seconds) { m_newFolderSeconds = seconds; }
    /// How many runs were read in full since the start, for tests.
    qint64 runsRead() const { return m_runsRead; }

private:
    struct Known
    {
        std::string stamp;
        std::string counts;
        RunRow row;
    };

    Result<ProjectSnapshot> readAll(bool thorough);
    void refresh(Known& known, const storage::RunOverview& run, bool thorough);
    RunRow readRun(const std::string& run);
    QList<RunRow> damagedRuns(const ProjectSnapshot& snapshot) const;
    QStringList queue();

    QString m_folder;
    std::optional<storage::RunStore> m_store;
    int m_newFolderSeconds = 10; ///< a run's folder is created a moment before its row
    QHash<QString, Known> m_known;
    QList<RunRow> m_damaged;
    QStringList m_live;
    std::int64_t m_version = -1;
    qint64 m_runsRead = 0;
};

} // namespace cannery::ui
