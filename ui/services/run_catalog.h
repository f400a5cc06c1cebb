// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/run_snapshot.h"

#include <QObject>

#include <memory>

class QUndoStack;

namespace cannery::ui {

/// The runs of one project: reads the store off the GUI thread whenever it changes (any program may
/// write it) and publishes immutable snapshots; writes what a person says about a run. GUI thread.
class RunCatalog : public QObject
{
    Q_OBJECT

public:
    explicit RunCatalog(QObject* parent = nullptr);
    ~RunCatalog() override;

    /// Reads the store of a project's folder (made when missing), or nothing when empty.
    void openProject(const QString& folder);
    /// Any folder of event files of other programs, each folder with files in it one foreign run.
    void openEventFolder(const QString& folder);
    QString folder() const;
    /// The project's folder cannot be written: every snapshot is read-only, and what a person says
    /// is refused by failed(). For the folder that is open.
    void setReadOnly(bool readOnly);

    /// Never null; empty until isLoaded().
    ProjectSnapshotPtr snapshot() const;
    /// True once the folder was read (or could not be: snapshot()->error). View states are there
    /// from then on.
    bool isLoaded() const;
    /// Looks again now (an engine told of news).
    void refresh();
    /// Rebuilds what the store knows of every run from the run folders; annotations stay.
    void rescan();

    /// What a person says of runs from now on can be undone there, beside the edits of the
    /// experiment: one history for the whole window. The stack outlives what is done here.
    void setUndoStack(QUndoStack* stack);

    // What a person says. Applied at once to the snapshot, written in the background.
    void setTitle(const QString& run, const QString& title);
    void setNotes(const QString& run, const QString& notes);
    void setStar(const QString& run, bool star);
    void setTags(const QString& run, const QStringList& tags);
    void setColourSlot(const QString& run, int slot);
    /// Runs that are being trained are left out, with the reason by failed(). trashed() says which
    /// ones are there.
    void moveToTrash(const QStringList& runs);
    void restore(const QStringList& runs);
    /// Deletes the trashed runs' folders for ever.
    void emptyTrash();

    /// View state of a page ("runs", "train"), kept in the project's store.
    QByteArray viewState(const QString& page) const;
    void setViewState(const QString& page, const QByteArray& json);

Q_SIGNALS:
    void snapshotChanged();
    /// The store has these runs in the Trash now, after moveToTrash().
    void trashed(const QStringList& runs);
    /// Something could not be written or read; a sentence.
    void failed(const QString& sentence);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
