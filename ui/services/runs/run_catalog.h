// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QObject>

#include <memory>

class QUndoStack;

namespace cannery::ui {

/// The runs of one project: reads the store off the GUI thread whenever it changes (any program may
/// write it), publishes immutable snapshots, and writes the user's annotations. GUI thread.
class RunCatalog : public QObject
{
    Q_OBJECT

public:
    explicit RunCatalog(QObject* parent = nullptr);
    ~RunCatalog() override;

    /// Reads the store of a project's folder (created if missing). An empty `folder` closes the
    /// project.
    void openProject(const QString& folder);
    /// Any folder of event files of other programs; each folder with files in it is a foreign run.
    void openEventFolder(const QString& folder);
    QString folder() const;
    /// The project's folder cannot be written: every snapshot is read-only, and annotations are
    /// refused with failed(). Applies to the open folder.
    void setReadOnly(bool readOnly);

    /// Never null; empty until isLoaded().
    ProjectSnapshotPtr snapshot() const;
    /// True once the folder was read (or could not be: snapshot()->error). View states are
    /// available from then on.
    bool isLoaded() const;
    /// Looks again now (an engine has reported something).
    void refresh();
    /// Rebuilds the store's entries from the run folders; annotations are kept.
    void rescan();

    /// Annotations go onto this undo stack from now on, together with the edits of the experiment:
    /// one history for the whole window. The stack outlives the catalog's commands.
    void setUndoStack(QUndoStack* stack);

    // Annotations. Applied to the snapshot at once, written in the background.
    void setTitle(const QString& run, const QString& title);
    void setNotes(const QString& run, const QString& notes);
    void setStar(const QString& run, bool star);
    void setTags(const QString& run, const QStringList& tags);
    void setColourSlot(const QString& run, int slot);
    /// Waiting entries of the queue follow an experiment that was renamed.
    void moveInQueue(const QString& from, const QString& to);
    /// Training runs are left out, with the reason in failed(). trashed() reports those moved.
    void moveToTrash(const QStringList& runs);
    void restore(const QStringList& runs);
    /// Deletes the folders of trashed runs permanently.
    void emptyTrash();

    /// The view state of a page ("runs", "train"), kept in the project's store.
    QByteArray viewState(const QString& page) const;
    void setViewState(const QString& page, const QByteArray& json);

Q_SIGNALS:
    void snapshotChanged();
    /// These runs are now in the store's Trash, after moveToTrash().
    void trashed(const QStringList& runs);
    /// Something could not be written or read; a sentence.
    void failed(const QString& sentence);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
