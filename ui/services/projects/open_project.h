// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/projects/opening.h"
#include "ui/services/projects/project_target.h"
#include "ui/services/projects/single_instance.h"

#include <QObject>
#include <QString>

#include <functional>

class QThreadPool;

namespace cannery::ui {

class ExperimentDocument;
class RunCatalog;

/// The project (or folder of foreign event files) that the window has open: which one, what may be
/// done in it, and opening another. Opening is asynchronous: changed() follows when the project is
/// open, or failed(). Only the latest request counts. GUI thread.
class OpenProject : public QObject
{
    Q_OBJECT

public:
    /// All outlive it. `pool`: for disk access.
    OpenProject(ExperimentDocument& document, RunCatalog& runs, QThreadPool& pool,
                QObject* parent = nullptr);

    /// Starts opening an experiment file, a folder of experiments (the last changed one), or a
    /// folder of event files. False if the path is empty. If another window has the project, that
    /// window comes to the front and openedElsewhere() is emitted here.
    bool open(const QString& path, Opening why = Opening::Chosen);
    /// Opens event files of other programs, read-only.
    void openEventFolder(const QString& folder);
    /// Opens that experiment of the project, otherwise another one, or the project without one.
    void openNext(const QString& experiment);
    void close();

    bool isOpen() const { return !m_folder.isEmpty(); }
    bool isEventFolder() const { return m_isEvents; }
    /// The project's folder cannot be written: everything is shown, nothing can be trained or
    /// changed.
    bool isReadOnly() const;
    /// Why nothing can be changed or trained in a read-only project, a sentence; otherwise empty.
    QString changeHindrance() const;
    bool isOpening() const { return m_opening > 0; }
    /// A project is being made (+1), or no longer (-1), that will be opened: what is open is not
    /// trained meanwhile.
    void noteMaking(int change);
    const QString& folder() const { return m_folder; }
    QString name() const;

Q_SIGNALS:
    /// A request has found this; a target of kind Nothing: the project was closed. The services
    /// follow before anyone else is notified. `isSameFolder`: as before.
    void taken(const ProjectTarget& target, bool isSameFolder);
    /// Another project or experiment is open, or none.
    void changed();
    /// After changed(), if a project was opened rather than closed.
    void opened(Opening why);
    /// The experiment that is open was read again.
    void reread();
    /// After everything else that follows from opening, closing or reading.
    void settled();
    /// isOpening() has changed.
    void openingChanged();
    /// The path is a table, of which a project can be made.
    void tableFound(const QString& table);
    /// A request opens nothing: the project is gone, or another window has it.
    void notOpened(Opening why);
    /// Another window has this project and was brought to the front.
    void openedElsewhere(const QString& path);
    /// This window should come to the front and show the path.
    void raiseRequested(const QString& path);
    void failed(const QString& sentence);

private:
    void find(const QString& path, Opening why, std::function<ProjectTarget()> look);
    void claim(const ProjectTarget& target, const QString& path, Opening why);
    void show(const ProjectTarget& target, Opening why);
    void takeDocument();

    ExperimentDocument& m_document;
    RunCatalog& m_runs;
    QThreadPool& m_pool;
    SingleInstance m_instance;
    QString m_folder;
    bool m_isEvents = false;
    bool m_isShown = false; ///< changed() was emitted for m_folder
    Opening m_why = Opening::Chosen;
    int m_opening = 0;
    quint64 m_request = 0; ///< id of the latest request to open
};

} // namespace cannery::ui
