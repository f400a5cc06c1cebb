// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_file.h"
#include "ui/document/file_watcher.h"

#include <QObject>
#include <QString>
#include <QThreadPool>

#include <functional>
#include <memory>

namespace cannery::ui {

class ExperimentText;

/// The edits of a window that crashed.
struct RecoveredEdits
{
    int changes = 0;      ///< since the file was opened; 0: nothing to recover
    bool unsaved = false; ///< the last of them had not reached the file
    QString before;       ///< the text without them
    QString after;        ///< the text with all of them
};

/// Whether the file on the disk is what the document shows.
enum class Standing
{
    Settled,     ///< it is, or soon will be
    BothChanged, ///< another program changed the file without the edits made here
    Gone,        ///< another program deleted or moved the file
};

/// Keeps the text of the open experiment and its file the same: writes every change at once, reads
/// what other programs write, and finds what a window that crashed has left.
///
/// From the first edit until close(), a journal (".titanic.cannery.edits") is kept next to the
/// file: the text before the first edit and the newest one, written before the file itself is
/// replaced. A crashed window leaves it behind; the next open() finds it (recovered()). GUI thread;
/// files are read and written off it, one after the other.
class ExperimentStorage : public QObject
{
    Q_OBJECT

public:
    explicit ExperimentStorage(ExperimentText& text);
    /// Waits for pending writes.
    ~ExperimentStorage() override;

    /// After close(). Ends with opened(), or with openingFailed() and no file.
    void open(const QString& file);
    /// Forgets file and text.
    void close();
    QString file() const { return m_file; } ///< empty: none is open

    /// True while an edit is being written to the disk.
    bool isSaving() const;
    bool isSaved() const;
    /// Why the newest text is not on the disk, a sentence; empty if it is or soon will be.
    QString problem() const { return m_problem; }
    /// Calls `then` once everything edited so far was written, or could not be.
    void afterWriting(std::function<void()> then);
    /// Gives the file another path in its folder. Replaces no file; `done` gets why it could not,
    /// or an empty sentence.
    void moveTo(const QString& file, std::function<void(const QString& error)> done);

    Standing standing() const { return m_standing; }
    /// BothChanged: the text of the other program. Until keepMine() or takeTheirs(), nothing is
    /// written but the journal.
    QString theirText() const { return QString::fromUtf8(m_theirs); }
    /// Writes the text shown here; Undo goes to the other program's.
    void keepMine();
    /// Shows the other program's text; Undo goes back to the one shown here.
    void takeTheirs();
    /// Gone: writes the file again, with what was edited meanwhile. Until then, or until the file
    /// is back, edits are only in the journal.
    void saveAgain();
    /// Gone: keeps nowhere what is not in the file, and emits discarded().
    void discard();

    const RecoveredEdits& recovered() const { return m_recovered; }
    /// Keeps the edits of a crashed window, including those not yet in the file.
    void keepRecovered();
    /// Restores, as one undoable step, the text from before those edits.
    void discardRecovered();

Q_SIGNALS:
    void opened();
    void openingFailed(const QString& sentence);
    void saved();
    void failed(const QString& sentence);
    /// Another program's text is about to be the one shown here.
    void reloading();
    /// standing() or theirText() has changed.
    void standingChanged();
    void recoveredChanged();
    /// file() has changed.
    void moved(const QString& from);
    void discarded();

private:
    void takeOpened(const ExperimentFile::Answer& answer, const ExperimentFile::Journal& journal);
    void takeChange(int step, bool fromDisk);
    void save(bool recreates = false);
    void takeSaved(quint64 revision, const ExperimentFile::Answer& answer);
    void lookAtFile();
    void takeLook(const ExperimentFile::Answer& answer, bool lacksEdits);
    void takeForeignText(const QByteArray& bytes, bool lacksEdits);
    void setStanding(Standing standing, const QByteArray& theirs = {});
    void reload(const QByteArray& bytes);
    void keepAside();
    void setRecovered(const RecoveredEdits& recovered);
    void removeJournal();

    ExperimentText& m_text;
    QString m_file;
    std::shared_ptr<ExperimentFile> m_onDisk;
    quint64 m_generation = 0; ///< of open() and close()
    QByteArray m_base;        ///< before the first edit
    int m_changes = 0;
    int m_foreignTexts = 0; ///< that the text includes
    int m_arrivedTexts = 0; ///< of other programs, m_theirs included
    quint64 m_savedRevision = 0;
    QString m_problem;
    Standing m_standing = Standing::Settled;
    QByteArray m_theirs;
    bool m_wasMissing = false; ///< at the last look
    RecoveredEdits m_recovered;
    ExperimentFile::Journal m_journal;
    FileWatcher m_watcher;
    QThreadPool m_files;
};

} // namespace cannery::ui
