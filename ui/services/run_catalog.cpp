// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/run_catalog.h"

#include "storage/runs/annotation_store.h"
#include "storage/runs/view_state_store.h"
#include "ui/services/run_catalog_worker.h"

#include <QPointer>
#include <QThread>
#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>

namespace cannery::ui {
namespace {

using storage::AnnotationStore;
using storage::RunStore;

/// Changes a row of a snapshot the way that the store will say it too.
using ApplyToRow = std::function<void(RunRow&)>;

double now()
{
    return static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
}

QStringList cleanTags(const QStringList& tags)
{
    QStringList clean;
    for (const QString& tag : tags) {
        const QString trimmed = tag.trimmed();
        if (!trimmed.isEmpty() && !clean.contains(trimmed)) {
            clean.append(trimmed);
        }
    }
    clean.sort();
    return clean;
}

Result<void> writeTags(RunStore& store, const std::string& run, const QStringList& tags)
{
    return store.database().transaction([&]() -> Result<void> {
        AnnotationStore annotations(store.database());
        CANNERY_TRY_ASSIGN(const storage::RunAnnotations before, annotations.read(run));
        for (const std::string& tag : before.tags) {
            if (!tags.contains(QString::fromStdString(tag))) {
                CANNERY_TRY(annotations.removeTag(run, tag));
            }
        }
        for (const QString& tag : tags) {
            CANNERY_TRY(annotations.addTag(run, tag.toStdString()));
        }
        return {};
    });
}

/// What a person said of runs, and its opposite.
class CatalogCommand : public QUndoCommand
{
public:
    CatalogCommand(const QString& text, std::function<void()> redo, std::function<void()> undo)
        : QUndoCommand(text), m_redo(std::move(redo)), m_undo(std::move(undo))
    {}

    void redo() override { m_redo(); }
    void undo() override { m_undo(); }

private:
    std::function<void()> m_redo;
    std::function<void()> m_undo;
};

} // namespace

class RunCatalog::Private
{
public:
    explicit Private(RunCatalog* owner);
    ~Private();

    void open(const QString& newFolder, bool isEvents);
    void receive(const CatalogReport& report);
    void publish(const ProjectSnapshotPtr& read);
    void tellTrashed(const CatalogReport& report);
    /// Applies to one run now and writes in the background.
    void edit(const QString& run, ApplyToRow apply, RunCatalogWorker::Write write);
    /// Does it, as one step of the history.
    void perform(const QString& text, std::function<void()> redo, std::function<void()> undo);
    /// perform() of an annotation: `set` writes a value, `before` is the one that is there.
    template <typename Value, typename Set>
    void annotate(const QString& run, const QString& what, Value RunRow::*field, const Value& value,
                  Set set);
    QString nameOf(const QString& run) const;
    /// False after failed() where nothing can be written.
    bool canWrite() const;
    void trash(const QStringList& runs);
    void restore(const QStringList& runs);
    template <typename Function>
    void post(Function function)
    {
        QMetaObject::invokeMethod(worker, std::move(function), Qt::QueuedConnection);
    }

    struct Pending
    {
        quint64 number;
        QString run;
        ApplyToRow apply;
    };

    RunCatalog* q;
    QPointer<QUndoStack> history;
    QThread thread;
    RunCatalogWorker* worker = new RunCatalogWorker;
    QString folder;
    bool isEventFolder = false;
    bool isLoaded = false;
    bool isReadOnly = false;
    quint64 generation = 0;
    quint64 lastEdit = 0;
    ProjectSnapshotPtr read = std::make_shared<const ProjectSnapshot>(); ///< as the worker said
    ProjectSnapshotPtr shown = read;                                     ///< with pending edits
    QList<Pending> pending;
    QList<std::pair<quint64, QString>> trashing; ///< edits that move runs to the Trash
    QHash<QString, QByteArray> viewStates;
};

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
    // Behind everything that was asked for: an edit is never lost.
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
    if (report.generation != generation) {
        return;
    }
    if (report.isFirst) {
        // What a page has said meanwhile is newer.
        for (auto it = report.viewStates.begin(); it != report.viewStates.end(); ++it) {
            if (!viewStates.contains(it.key())) {
                viewStates.insert(it.key(), it.value());
            }
        }
        isLoaded = true;
    }
    if (!isEventFolder) {
        const auto isWritten = [&](const Pending& edit) { return edit.number <= report.lastEdit; };
        pending.erase(std::remove_if(pending.begin(), pending.end(), isWritten), pending.end());
    }
    publish(report.snapshot);
    tellTrashed(report);
}

/// What the store says counts: a move that could not be written has not happened.
void RunCatalog::Private::tellTrashed(const CatalogReport& report)
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

void RunCatalog::Private::perform(const QString& text, std::function<void()> redo,
                                  std::function<void()> undo)
{
    if (history) {
        history->push(new CatalogCommand(text, std::move(redo), std::move(undo)));
    } else {
        redo();
    }
}

bool RunCatalog::Private::canWrite() const
{
    const QString hindrance = shown->changeHindrance();
    if (!hindrance.isEmpty()) {
        Q_EMIT q->failed(hindrance);
    }
    return hindrance.isEmpty();
}

QString RunCatalog::Private::nameOf(const QString& run) const
{
    const RunRow* row = shown->find(run);
    return row ? row->displayName() : run;
}

template <typename Value, typename Set>
void RunCatalog::Private::annotate(const QString& run, const QString& what, Value RunRow::*field,
                                   const Value& value, Set set)
{
    const RunRow* row = shown->find(run);
    if (!row || row->*field == value || !canWrite()) {
        return;
    }
    const auto write = [this, run, field, set](const Value& wanted) {
        edit(
            run, [field, wanted](RunRow& changed) { changed.*field = wanted; },
            [name = run.toStdString(), wanted, set](RunStore& store) {
                return set(store, name, wanted);
            });
    };
    perform(
        what.arg(nameOf(run)), [write, value] { write(value); },
        [write, before = row->*field] { write(before); });
}

void RunCatalog::setTitle(const QString& run, const QString& title)
{
    m_private->annotate(
        run, tr("Rename %1"), &RunRow::title, title,
        [](RunStore& store, const std::string& name, const QString& text) {
            return AnnotationStore(store.database()).setTitle(name, text.toStdString());
        });
}

void RunCatalog::setNotes(const QString& run, const QString& notes)
{
    m_private->annotate(
        run, tr("Notes on %1"), &RunRow::notes, notes,
        [](RunStore& store, const std::string& name, const QString& text) {
            return AnnotationStore(store.database()).setNotes(name, text.toStdString());
        });
}

void RunCatalog::setStar(const QString& run, bool star)
{
    m_private->annotate(run, tr("Star of %1"), &RunRow::starred, star,
                        [](RunStore& store, const std::string& name, bool is) {
                            return AnnotationStore(store.database()).setStar(name, is);
                        });
}

void RunCatalog::setTags(const QString& run, const QStringList& tags)
{
    m_private->annotate(run, tr("Tags of %1"), &RunRow::tags, cleanTags(tags),
                        [](RunStore& store, const std::string& name, const QStringList& wanted) {
                            return writeTags(store, name, wanted);
                        });
}

void RunCatalog::setColourSlot(const QString& run, int slot)
{
    m_private->annotate(run, tr("Colour of %1"), &RunRow::colourSlot, slot,
                        [](RunStore& store, const std::string& name, int wanted) {
                            return AnnotationStore(store.database()).setColourSlot(name, wanted);
                        });
}

void RunCatalog::moveToTrash(const QStringList& runs)
{
    QStringList movable;
    for (const QString& run : runs) {
        const RunRow* found = m_private->shown->find(run);
        if (found && isLive(found->state)) {
            Q_EMIT failed(tr("%1 is being trained; stop it before moving it to the Trash.")
                              .arg(found->displayName()));
        } else if (found && !found->trashed) {
            movable.append(run);
        }
    }
    if (movable.isEmpty() || !m_private->canWrite()) {
        return;
    }
    m_private->perform(
        movable.size() == 1 ? tr("Move %1 to the Trash").arg(m_private->nameOf(movable.front()))
                            : tr("Move %1 runs to the Trash").arg(movable.size()),
        [this, movable] { m_private->trash(movable); },
        [this, movable] { m_private->restore(movable); });
}

void RunCatalog::Private::trash(const QStringList& runs)
{
    const double when = now();
    for (const QString& run : runs) {
        edit(
            run,
            [when](RunRow& row) {
                row.trashed = true;
                row.trashedAt = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(when * 1000));
            },
            [run = run.toStdString(), when](RunStore& store) {
                return store.moveToTrash(run, when);
            });
        trashing.append({lastEdit, run});
    }
}

void RunCatalog::restore(const QStringList& runs)
{
    QStringList trashed;
    for (const QString& run : runs) {
        const RunRow* found = m_private->shown->find(run);
        if (found && found->trashed) {
            trashed.append(run);
        }
    }
    if (trashed.isEmpty() || !m_private->canWrite()) {
        return;
    }
    m_private->perform(
        trashed.size() == 1 ? tr("Restore %1").arg(m_private->nameOf(trashed.front()))
                            : tr("Restore %1 runs").arg(trashed.size()),
        [this, trashed] { m_private->restore(trashed); },
        [this, trashed] { m_private->trash(trashed); });
}

void RunCatalog::Private::restore(const QStringList& runs)
{
    for (const QString& run : runs) {
        edit(
            run,
            [](RunRow& row) {
                row.trashed = false;
                row.trashedAt = {};
            },
            [run = run.toStdString()](RunStore& store) {
                return AnnotationStore(store.database()).restoreFromTrash(run);
            });
    }
}

void RunCatalog::emptyTrash()
{
    if (!m_private->canWrite()) {
        return;
    }
    const ProjectSnapshotPtr before = m_private->shown;
    for (const RunRow& row : before->runs) {
        if (row.trashed) {
            m_private->edit(
                row.name, [](RunRow&) {},
                [run = row.name.toStdString()](RunStore& store) {
                    return store.deleteForever(run);
                });
        }
    }
}

QByteArray RunCatalog::viewState(const QString& page) const
{
    return m_private->viewStates.value(page);
}

void RunCatalog::setViewState(const QString& page, const QByteArray& json)
{
    if (m_private->viewStates.value(page) == json) {
        return;
    }
    m_private->viewStates.insert(page, json);
    if (m_private->isEventFolder || m_private->folder.isEmpty() || m_private->shown->isReadOnly) {
        return;
    }
    m_private->post([worker = m_private->worker, number = m_private->lastEdit,
                     page = page.toStdString(), json] {
        worker->write(number, [&](RunStore& store) {
            return storage::ViewStateStore(store.database()).write(page, json.toStdString());
        });
    });
}

} // namespace cannery::ui
