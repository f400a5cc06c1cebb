// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/run_reader.h"

#include "storage/io/files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/queue_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "ui/services/runs/run_row_builder.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>

namespace cannery::ui {
namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("RunCatalog", text);
}

RunRow damagedRow(const QString& folder, const QString& name, const QString& error)
{
    RunRow row;
    row.name = name;
    row.folder = folder;
    row.state = RunState::Interrupted;
    row.createdAt = QFileInfo(folder).lastModified();
    row.error = error;
    return row;
}

} // namespace

Result<void> RunReader::open(const QString& folder)
{
    forget();
    m_folder = folder;
    m_store.reset();
    CANNERY_TRY_ASSIGN(storage::RunStore store,
                       storage::RunStore::openForReading(folder.toStdString()));
    m_store.emplace(std::move(store));
    return {};
}

void RunReader::forget()
{
    m_known.clear();
    m_damaged.clear();
    m_live.clear();
    m_version = -1;
}

bool RunReader::hasNews()
{
    if (m_store->isStale()) {
        return true;
    }
    // SQLite raises it whenever another connection has committed.
    const Result<std::int64_t> version = m_store->database().queryInteger("PRAGMA data_version");
    if (!version || *version != m_version) {
        return true;
    }
    // An engine that was killed writes nothing; only its lock is gone.
    for (const QString& run : std::as_const(m_live)) {
        if (!storage::RunLock::owner(m_store->folderOf(run.toStdString()))) {
            return true;
        }
    }
    return false;
}

ProjectSnapshotPtr RunReader::read(bool thorough)
{
    Result<ProjectSnapshot> snapshot = readAll(thorough);
    if (snapshot) {
        return std::make_shared<const ProjectSnapshot>(std::move(*snapshot));
    }
    ProjectSnapshot failed;
    failed.error = QString::fromStdString(snapshot.error().message());
    return std::make_shared<const ProjectSnapshot>(std::move(failed));
}

Result<ProjectSnapshot> RunReader::readAll(bool thorough)
{
    if (m_store->isStale()) {
        // Not open(): what was read before need not be read again.
        CANNERY_TRY_ASSIGN(storage::RunStore store,
                           storage::RunStore::openForReading(m_folder.toStdString()));
        m_store.emplace(std::move(store));
    }
    // Read before the data, so that commits in between count as changes next time.
    CANNERY_TRY_ASSIGN(m_version, m_store->database().queryInteger("PRAGMA data_version"));
    if (!m_store->isReadOnly()) {
        CANNERY_TRY(storage::AnnotationStore(m_store->database()).assignColourSlots());
    }
    CANNERY_TRY_ASSIGN(const std::vector<storage::RunOverview> overview,
                       storage::readOverview(*m_store, thorough));
    ProjectSnapshot snapshot;
    QHash<QString, Known> known;
    m_live.clear();
    for (const storage::RunOverview& run : overview) {
        const QString name = QString::fromStdString(run.run);
        Known entry = m_known.take(name);
        refresh(entry, run, thorough);
        if (run.isLive) {
            m_live.append(name);
        }
        snapshot.runs.append(entry.row);
        known.insert(name, std::move(entry));
    }
    m_known = std::move(known);
    if (thorough) {
        m_damaged = damagedRuns(snapshot);
    }
    snapshot.runs += m_damaged;
    snapshot.queue = queue();
    snapshot.isReadOnly = m_store->isReadOnly();
    return snapshot;
}

void RunReader::refresh(Known& known, const storage::RunOverview& run, bool thorough)
{
    const bool grew = thorough && !known.counts.empty() && known.counts != run.counts;
    // The rows of a live run change without a new stamp.
    if (run.isLive || grew || known.stamp != run.stamp) {
        known.row = readRun(run.run);
        known.counts.clear();
    }
    known.stamp = run.stamp;
    if (thorough) {
        known.counts = run.counts;
        if (!storage::isFolder(m_store->folderOf(run.run))) {
            known.row.error = translated("The folder of this run is gone.");
        }
    }
    updateRow(known.row, run.annotations);
    known.row.colourSlot = static_cast<int>(run.annotations.colourSlot.value_or(0));
}

RunRow RunReader::readRun(const std::string& run)
{
    ++m_runsRead;
    const QString folder = QString::fromStdString(m_store->folderOf(run));
    const Result<storage::RunDetails> details = m_store->show(run);
    if (!details) {
        return damagedRow(folder, QString::fromStdString(run),
                          QString::fromStdString(details.error().message()));
    }
    return runRow(*details, folder);
}

/// Run folders that are not in the store.
QList<RunRow> RunReader::damagedRuns(const ProjectSnapshot& snapshot) const
{
    const std::string runsFolder = storage::joinPath(m_folder.toStdString(), storage::kRunsFolder);
    QList<RunRow> damaged;
    const Result<std::vector<std::string>> names = storage::listFolder(runsFolder);
    for (const std::string& run : names.value_or(std::vector<std::string>())) {
        const QString name = QString::fromStdString(run);
        const std::string folder = storage::joinPath(runsFolder, run);
        const storage::RunFiles files(folder);
        if (snapshot.find(name) || !files.isRun() || storage::RunLock::owner(folder)) {
            continue;
        }
        const QString path = QString::fromStdString(folder);
        if (QFileInfo(path).lastModified().secsTo(QDateTime::currentDateTime()) <
            m_newFolderSeconds) {
            continue;
        }
        const Result<storage::RunInfo> info = files.readInfo();
        damaged.append(damagedRow(path, name,
                                  info ? translated("The project's store does not know this run.")
                                       : QString::fromStdString(info.error().message())));
    }
    return damaged;
}

QStringList RunReader::queue()
{
    QStringList titles;
    const auto entries = storage::QueueStore(m_store->database()).list();
    if (!entries) {
        return titles;
    }
    for (const storage::QueueEntry& entry : *entries) {
        if (entry.state == storage::QueueState::Started) {
            continue; // already among the runs
        }
        titles.append(entry.title.empty()
                          ? QFileInfo(QString::fromStdString(entry.experimentFile)).baseName()
                          : QString::fromStdString(entry.title));
    }
    return titles;
}

} // namespace cannery::ui
