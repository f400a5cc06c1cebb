// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/run_catalog.h"

#include "storage/runs/queue_store.h"
#include "storage/runs/view_state_store.h"
#include "ui/services/runs/run_catalog_private.h"

#include <algorithm>

namespace cannery::ui {

RunCatalog::Private::Private(RunCatalog* owner) : q(owner)
{
    qRegisterMetaType<CatalogReport>();
    thread.setObjectName(QStringLiteral("run-catalog"));
    worker->moveToThread(&thread);
    QObject::connect(&thread, &QThread::finished, worker, &QObject::deleteLater);
    QObject::connect(worker, &RunCatalogWorker::reported, owner,
                     [this](const CatalogReport& report) { receive(report); });
    QObject::connect(worker, &RunCatalogWorker::failed, owner, &RunCatalog::failed);
    thread.start(QThread::LowPriority);
}

RunCatalog::Private::~Private()
{
    // After all pending requests: an edit is never lost.
    post([thread = &thread] { thread->quit(); });
    thread.wait();
}

void RunCatalog::Private::open(const QString& newFolder, bool isEvents)
{
    folder = newFolder;
    isEventFolder = isEvents;
    isLoaded = false;
    isReadOnly = false;
    ++generation;
    pending.clear();
    trashing.clear();
    viewStates.clear();
    read = std::make_shared<const ProjectSnapshot>();
    shown = read;
    post([worker = worker, folder = folder, isEvents, generation = generation] {
        if (folder.isEmpty()) {
            worker->close();
        } else if (isEvents) {
            worker->openEvents(folder, generation);
        } else {
            worker->openProject(folder, generation);
        }
    });
    Q_EMIT q->snapshotChanged();
}

void RunCatalog::Private::receive(const CatalogReport& report)
{
    // About the project before, whose worker was still busy.
    if (report.generation != generation) {
        return;
    }
    if (report.isFirst) {
        // Edits since then are newer.
        for (auto it = report.viewStates.begin(); it != report.viewStates.end(); ++it) {
            if (!viewStates.contains(it.key())) {
                viewStates.insert(it.key(), it.value());
            }
        }
        isLoaded = true;
    }
    // Nothing is written beside foreign event files: annotations of them last as long as the
    // window.
    if (!isEventFolder) {
        // Or failed to be written: the report then takes it back.
        const auto isWritten = [&](const Pending& edit) { return edit.number <= report.lastEdit; };
        pending.erase(std::remove_if(pending.begin(), pending.end(), isWritten), pending.end());
    }
    publish(report.snapshot);
    reportTrashed(report);
}

/// The store decides: a move that could not be written has not happened.
void RunCatalog::Private::reportTrashed(const CatalogReport& report)
{
    QStringList runs;
    while (!trashing.isEmpty() && trashing.first().first <= report.lastEdit) {
        const QString run = trashing.takeFirst().second;
        const RunRow* row = report.snapshot->find(run);
        if (row && row->trashed) {
            runs << run;
        }
    }
    if (!runs.isEmpty()) {
        Q_EMIT q->trashed(runs);
    }
}

void RunCatalog::Private::publish(const ProjectSnapshotPtr& newRead)
{
    read = newRead;
    shown = read;
    // A report made before an edit was written does not have it. It is applied again, so that it
    // does not vanish for a moment.
    if (!pending.isEmpty() || (isReadOnly && !read->isReadOnly)) {
        auto copy = std::make_shared<ProjectSnapshot>(*read);
        copy->isReadOnly = isReadOnly || read->isReadOnly;
        for (RunRow& row : copy->runs) {
            for (const Pending& edit : std::as_const(pending)) {
                if (edit.run == row.name) {
                    edit.apply(row);
                }
            }
        }
        shown = std::move(copy);
    }
    Q_EMIT q->snapshotChanged();
}

void RunCatalog::Private::edit(const QString& run, ApplyToRow apply, RunCatalogWorker::Write write)
{
    if (!shown->find(run)) {
        return;
    }
    ++lastEdit;
    pending.append({lastEdit, run, std::move(apply)});
    post([worker = worker, number = lastEdit, write = std::move(write)] {
        worker->write(number, write);
    });
    publish(read);
}

RunCatalog::RunCatalog(QObject* parent)
    : QObject(parent), m_private(std::make_unique<Private>(this))
{}

RunCatalog::~RunCatalog() = default;

void RunCatalog::openProject(const QString& folder)
{
    m_private->open(folder, false);
}

void RunCatalog::openEventFolder(const QString& folder)
{
    m_private->open(folder, true);
}

QString RunCatalog::folder() const
{
    return m_private->folder;
}

ProjectSnapshotPtr RunCatalog::snapshot() const
{
    return m_private->shown;
}

bool RunCatalog::isLoaded() const
{
    return m_private->isLoaded;
}

void RunCatalog::refresh()
{
    m_private->post([worker = m_private->worker] { worker->look(false); });
}

void RunCatalog::setReadOnly(bool readOnly)
{
    if (m_private->isReadOnly != readOnly) {
        m_private->isReadOnly = readOnly;
        m_private->publish(m_private->read);
    }
}

void RunCatalog::rescan()
{
    if (!m_private->canWrite()) {
        return;
    }
    m_private->post([worker = m_private->worker] { worker->rescan(); });
}

void RunCatalog::setUndoStack(QUndoStack* stack)
{
    m_private->history = stack;
}

QByteArray RunCatalog::viewState(const QString& page) const
{
    return m_private->viewStates.value(page);
}

void RunCatalog::moveInQueue(const QString& from, const QString& to)
{
    if (m_private->isEventFolder || m_private->shown->isReadOnly ||
        m_private->shown->queue.isEmpty()) {
        return;
    }
    // With the number of the last edit, not one of its own: the queue has no pending value to
    // confirm.
    m_private->post([worker = m_private->worker, number = m_private->lastEdit,
                     from = from.toStdString(), to = to.toStdString()] {
        worker->write(number, [&](storage::RunStore& store) {
            return storage::QueueStore(store.database()).moveFile(from, to);
        });
    });
}

void RunCatalog::setViewState(const QString& page, const QByteArray& json)
{
    if (m_private->viewStates.value(page) == json) {
        return;
    }
    // Also where nothing can be written: the state then lasts as long as the window.
    m_private->viewStates.insert(page, json);
    if (m_private->isEventFolder || m_private->folder.isEmpty() || m_private->shown->isReadOnly) {
        return;
    }
    m_private->post([worker = m_private->worker, number = m_private->lastEdit,
                     page = page.toStdString(), json] {
        worker->write(number, [&](storage::RunStore& store) {
            return storage::ViewStateStore(store.database()).write(page, json.toStdString());
        });
    });
}

} // namespace cannery::ui
