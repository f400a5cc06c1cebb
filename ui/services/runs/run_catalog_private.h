// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/run_catalog_worker.h"

#include <QHash>
#include <QPointer>
#include <QThread>
#include <QUndoStack>

#include <functional>
#include <memory>
#include <utility>

namespace cannery::ui {

/// The runs as read from the project, and the annotations since.
class RunCatalog::Private
{
public:
    /// Changes a row of a snapshot the same way as the store will report it.
    using ApplyToRow = std::function<void(RunRow&)>;

    explicit Private(RunCatalog* owner);
    ~Private();

    void open(const QString& newFolder, bool isEvents);
    void receive(const CatalogReport& report);
    void publish(const ProjectSnapshotPtr& read);
    void reportTrashed(const CatalogReport& report);
    /// Applies to one run now and writes in the background.
    void edit(const QString& run, ApplyToRow apply, RunCatalogWorker::Write write);
    /// Performs it as one step of the history.
    void perform(const QString& text, std::function<void()> redo, std::function<void()> undo);
    /// perform() for an annotation: `set` writes a value, `before` is the current one.
    template <typename Value, typename Set>
    void annotate(const QString& run, const QString& what, Value RunRow::*field, const Value& value,
                  Set set);
    QString nameOf(const QString& run) const;
    /// False after failed() if nothing can be written.
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
    ProjectSnapshotPtr read = std::make_shared<const ProjectSnapshot>(); ///< as the worker reported
    ProjectSnapshotPtr shown = read;                                     ///< with pending edits
    QList<Pending> pending;
    QList<std::pair<quint64, QString>> trashing; ///< edits that move runs to the Trash
    QHash<QString, QByteArray> viewStates;
};

} // namespace cannery::ui
