#include "ui/services/run_catalog.h"

#include "storage/runs/annotation_store.h"
#include "storage/runs/view_state_store.h"
#include "ui/services/run_catalog_worker.h"

#include <QThread>

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

} // namespace

class RunCatalog::Private
{
public:
    explicit Private(RunCatalog* owner);
    ~Private();

    void open(const QString& newFolder, bool isEvents);
    void receive(const CatalogReport& report);
    void publish(const ProjectSnapshotPtr& read);
    /// Applies to one run now and writes in the background.
    void edit(const QString& run, ApplyToRow apply, RunCatalogWorker::Write write);
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
    QThread thread;
    RunCatalogWorker* worker = new RunCatalogWorker;
    QString folder;
    bool isEventFolder = false;
    bool isLoaded = false;
    quint64 generation = 0;
    quint64 lastEdit = 0;
    ProjectSnapshotPtr read = std::make_shared<const ProjectSnapshot>(); ///< as the worker said
    ProjectSnapshotPtr shown = read;                                     ///< with pending edits
    QList<Pending> pending;
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
    ++generation;
    pending.clear();
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
}

void RunCatalog::Private::publish(const ProjectSnapshotPtr& newRead)
{
    read = newRead;
    shown = read;
    if (!pending.isEmpty()) {
        auto copy = std::make_shared<ProjectSnapshot>(*read);
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

void RunCatalog::rescan()
{
    m_private->post([worker = m_private->worker] { worker->rescan(); });
}

void RunCatalog::setTitle(const QString& run, const QString& title)
{
    m_private->edit(
        run, [title](RunRow& row) { row.title = title; },
        [run = run.toStdString(), text = title.toStdString()](RunStore& store) {
            return AnnotationStore(store.database()).setTitle(run, text);
        });
}

void RunCatalog::setNotes(const QString& run, const QString& notes)
{
    m_private->edit(
        run, [notes](RunRow& row) { row.notes = notes; },
        [run = run.toStdString(), text = notes.toStdString()](RunStore& store) {
            return AnnotationStore(store.database()).setNotes(run, text);
        });
}

void RunCatalog::setStar(const QString& run, bool star)
{
    m_private->edit(
        run, [star](RunRow& row) { row.starred = star; },
        [run = run.toStdString(), star](RunStore& store) {
            return AnnotationStore(store.database()).setStar(run, star);
        });
}

void RunCatalog::setTags(const QString& run, const QStringList& tags)
{
    const QStringList clean = cleanTags(tags);
    m_private->edit(
        run, [clean](RunRow& row) { row.tags = clean; },
        [run = run.toStdString(), clean](RunStore& store) { return writeTags(store, run, clean); });
}

void RunCatalog::setColourSlot(const QString& run, int slot)
{
    m_private->edit(
        run, [slot](RunRow& row) { row.colourSlot = slot; },
        [run = run.toStdString(), slot](RunStore& store) {
            return AnnotationStore(store.database()).setColourSlot(run, slot);
        });
}

void RunCatalog::moveToTrash(const QStringList& runs)
{
    for (const QString& run : runs) {
        const RunRow* found = m_private->shown->find(run);
        if (found && isLive(found->state)) {
            Q_EMIT failed(tr("%1 is being trained; stop it before moving it to the Trash.")
                              .arg(found->displayName()));
            continue;
        }
        const double when = now();
        m_private->edit(
            run,
            [when](RunRow& row) {
                row.trashed = true;
                row.trashedAt = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(when * 1000));
            },
            [run = run.toStdString(), when](RunStore& store) {
                return store.moveToTrash(run, when);
            });
    }
}

void RunCatalog::restore(const QStringList& runs)
{
    for (const QString& run : runs) {
        m_private->edit(
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
    if (m_private->isEventFolder || m_private->folder.isEmpty()) {
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
