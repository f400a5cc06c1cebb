// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/run_catalog_worker.h"

#include "storage/runs/view_state_store.h"
#include "ui/services/runs/event_folders.h"

#include <QFile>
#include <QFileInfo>
#include <QTimer>

#include <array>

namespace cannery::ui {
namespace {

// SQLite reports other programs' commits by a number that takes microseconds to read; file
// notifications for its log would add nothing, and do not work on network folders.
constexpr int kPollMilliseconds = 200;
constexpr int kPollsBetweenThorough = 150;
constexpr int kPollsBetweenEventScans = 25;
constexpr int kColourSlots = 16;

/// Pages, and what else the project's view has.
constexpr std::array kPages{"home",  "data", "remarks", "features",    "model",
                            "train", "runs", "export",  "copied_from", "clusters"};

} // namespace

void RunCatalogWorker::begin(const QString& folder, quint64 generation, bool isEvents)
{
    m_folder = folder;
    m_parameters = {};
    m_generation = generation;
    m_isEvents = isEvents;
    m_isFirst = true;
    m_polls = 0;
    if (!m_poll) {
        m_poll = new QTimer(this);
        m_poll->setInterval(kPollMilliseconds);
        connect(m_poll, &QTimer::timeout, this, &RunCatalogWorker::poll);
    }
    m_poll->start();
}

void RunCatalogWorker::openProject(const QString& folder, quint64 generation)
{
    begin(folder, generation, false);
    const Result<void> opened = m_reader.open(folder);
    if (!opened) {
        m_poll->stop();
        ProjectSnapshot snapshot;
        snapshot.error = QString::fromStdString(opened.error().message());
        report(std::make_shared<const ProjectSnapshot>(std::move(snapshot)));
        return;
    }
    look(true);
}

void RunCatalogWorker::openEvents(const QString& folder, quint64 generation)
{
    begin(folder, generation, true);
    lookAtEvents();
}

void RunCatalogWorker::close()
{
    if (m_poll) {
        m_poll->stop();
    }
    m_reader = RunReader();
    m_folder.clear();
}

void RunCatalogWorker::poll()
{
    ++m_polls;
    if (m_isEvents) {
        if (m_polls % kPollsBetweenEventScans == 0) {
            lookAtEvents();
        }
        return;
    }
    const bool isThorough = m_polls % kPollsBetweenThorough == 0;
    if (isThorough || m_reader.hasNews()) {
        report(m_reader.read(isThorough));
    }
}

void RunCatalogWorker::look(bool thorough)
{
    if (m_isEvents) {
        lookAtEvents();
    } else if (m_reader.isOpen() && (thorough || m_reader.hasNews())) {
        report(m_reader.read(thorough));
    }
}

void RunCatalogWorker::write(quint64 edit, const Write& write)
{
    m_lastEdit = edit;
    if (m_isEvents || !m_reader.isOpen()) {
        return;
    }
    if (const Result<void> written = write(m_reader.store()); !written) {
        Q_EMIT failed(QString::fromStdString(written.error().message()));
    }
    report(m_reader.read(false));
}

void RunCatalogWorker::rescan()
{
    if (m_isEvents || m_folder.isEmpty()) {
        look(true);
        return;
    }
    const Result<storage::RescanReport> done =
        storage::RunStore::rescan(QFile::encodeName(m_folder).toStdString());
    if (done && !m_reader.isOpen()) {
        openProject(m_folder, m_generation); // it was too damaged to open
    }
    if (!done) {
        Q_EMIT failed(QString::fromStdString(done.error().message()));
    } else if (!done->damaged.empty()) {
        Q_EMIT failed(QString::fromStdString(done->damaged.front().message()));
    }
    if (m_reader.isOpen()) {
        m_reader.forget();
        report(m_reader.read(true));
    }
}

void RunCatalogWorker::lookAtEvents()
{
    ProjectSnapshot snapshot;
    int slot = 0;
    for (const EventRun& found : listEventRuns(m_folder)) {
        RunRow row;
        row.name = found.name;
        row.folder = found.folder;
        row.state = RunState::Finished;
        row.isForeign = true;
        row.createdAt = QFileInfo(found.folder).lastModified();
        for (const EventFolder& folder : found.folders) {
            if (folder.key.isEmpty()) {
                row.parameters = m_parameters.of(folder.path);
            }
        }
        row.colourSlot = slot++ % kColourSlots;
        snapshot.runs.append(std::move(row));
    }
    report(std::make_shared<const ProjectSnapshot>(std::move(snapshot)));
}

void RunCatalogWorker::report(ProjectSnapshotPtr snapshot)
{
    CatalogReport report{.generation = m_generation,
                         .lastEdit = m_lastEdit,
                         .snapshot = std::move(snapshot),
                         .isFirst = m_isFirst};
    if (m_isFirst && m_reader.isOpen() && !m_isEvents) {
        report.viewStates = readViewStates();
    }
    m_isFirst = false;
    Q_EMIT reported(report);
}

QHash<QString, QByteArray> RunCatalogWorker::readViewStates()
{
    QHash<QString, QByteArray> states;
    storage::ViewStateStore store(m_reader.store().database());
    for (const char* page : kPages) {
        const Result<std::string> state = store.read(page);
        if (state && !state->empty()) {
            states.insert(QString::fromLatin1(page), QByteArray::fromStdString(*state));
        }
    }
    return states;
}

} // namespace cannery::ui
