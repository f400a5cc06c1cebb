// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "core/base/result.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/services/runs/foreign_parameters.h"
#include "ui/services/runs/run_reader.h"

#include <QByteArray>
#include <QHash>
#include <QObject>

#include <functional>

class QTimer;

namespace cannery::ui {

/// A report of a RunCatalog's thread.
struct CatalogReport
{
    quint64 generation = 0; ///< which folder it belongs to
    quint64 lastEdit = 0;   ///< every edit up to this one is written (or refused)
    ProjectSnapshotPtr snapshot;
    QHash<QString, QByteArray> viewStates; ///< set in the first report of a folder
    bool isFirst = false;
};

/// Watches and writes the store of one project. Lives in a thread of its own; every function except
/// the constructor is called there.
class RunCatalogWorker : public QObject
{
    Q_OBJECT

public:
    using Write = std::function<Result<void>(storage::RunStore&)>;

    void openProject(const QString& folder, quint64 generation);
    void openEvents(const QString& folder, quint64 generation);
    void close();
    /// Reads again if something changed; thorough: in any case, and everything.
    void look(bool thorough);
    void write(quint64 edit, const Write& write);
    void rescan();

Q_SIGNALS:
    void reported(const cannery::ui::CatalogReport& report);
    void failed(const QString& sentence);

private:
    void begin(const QString& folder, quint64 generation, bool isEvents);
    void poll();
    void lookAtEvents();
    void report(ProjectSnapshotPtr snapshot);
    QHash<QString, QByteArray> readViewStates();

    RunReader m_reader;
    ForeignParameters m_parameters;
    QTimer* m_poll = nullptr;
    QString m_folder;
    bool m_isEvents = false;
    bool m_isFirst = true;
    int m_polls = 0;
    quint64 m_generation = 0;
    quint64 m_lastEdit = 0;
};

} // namespace cannery::ui

Q_DECLARE_METATYPE(cannery::ui::CatalogReport)
