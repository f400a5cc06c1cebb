// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/document/field_node.h"
#include "ui/document/problem_row.h"

#include <QList>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>

class QUndoStack;

namespace cannery::ui {

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

/// An edit made here in one go; typing is none.
struct EditStep
{
    QString title;
    QString remark; ///< what it leaves out, a sentence; empty if there is nothing
    QList<FieldEdit> edits;
    /// It takes away an element of a list, a message, or, with other edits, any value.
    bool removes = false;
};

/// The open experiment file: its text, its fields and its problems. Reads the file again when
/// another program changes it. Reading, parsing, checking and writing happen off the GUI thread;
/// edits are undoable and written at once, atomically.
///
/// From the first edit until close(), a journal (".titanic.cannery.edits") is kept next to the
/// file: the text before the first edit and the newest one, written before the file itself is
/// replaced. A crashed window leaves it behind; the next open() finds it (recovered()). GUI thread.
class ExperimentDocument : public QObject
{
    Q_OBJECT

public:
    explicit ExperimentDocument(QObject* parent = nullptr);
    /// Waits for pending writes.
    ~ExperimentDocument() override;

    /// Starts reading; changed() and problemsChanged() follow, or failed().
    void open(const QString& file);
    void close();
    bool isOpen() const;
    QString file() const;
    QString text() const;
    /// Increases with every new text.
    quint64 revision() const;
    /// The experiment's name, otherwise the file's base name.
    QString name() const;

    /// The parsed experiment with defaults resolved; with errors, as far as it could be parsed.
    const FieldNode& root() const;
    /// A field by its path ("feature_column[age].numeric_column.key"); null if it does not exist.
    const FieldNode* field(const QString& path) const;
    /// The text of a field, or `otherwise`.
    QString value(const QString& path, const QString& otherwise = {}) const;
    /// The set member of a message's oneof: member("estimator") is "dnn_classifier".
    QString member(const QString& path) const;

    /// Changes one field as one undo step and saves. All other bytes and comments are kept. `text`
    /// is in text format (`[64, 32]`, `0.1`, `adam { }`); a string need not be quoted; an empty
    /// text removes the field. Returns false, after failed(), if it cannot be written there.
    bool setValue(const QString& path, const QString& text);
    /// Several edits as one undo step named `title` ("Add age × sex"); none of them is made, after
    /// failed(), if one cannot be written. `remark`: what the step leaves out, for stepMade().
    bool apply(const QString& title, const QList<FieldEdit>& edits, const QString& remark = {});
    /// The whole text as one undo step; false, after failed(), if nothing may be changed.
    bool replaceText(const QString& title, const QByteArray& text);
    /// As setValue(), key by key: until endTyping(), all changes of one field are one undo step. A
    /// text that cannot be written leaves the field as it was and becomes a problem of its path,
    /// until the field gets another value. Returns whether it was written.
    bool typeValue(const QString& path, const QString& text);
    /// What is typed in the field cannot be a value of it, as the sentence says: the field is as it
    /// was before this typing, and has the problem until it gets another value.
    void refuseTyped(const QString& path, const QString& sentence);
    void endTyping();
    /// The field's label, otherwise its path: for titles of undo steps.
    QString labelOf(const QString& path) const;
    /// The value at a path as the text has it, with quotes or braces; empty if it is not set there.
    QString written(const QString& path) const;
    /// Why nothing may be changed (a project that cannot be written), a sentence; edits then fail
    /// with it. If empty, everything may.
    void setHindrance(const QString& sentence);
    QString hindrance() const;
    QUndoStack* undoStack();
    /// True while an edit is being written to the disk.
    bool isSaving() const;
    /// Whether the newest text is on the disk and has been read: what is shown is what a run gets.
    bool isSettled() const;
    /// Whether the fields are those of the newest text.
    bool isRead() const;
    /// Why the newest text is not on the disk, a sentence; empty if it is or soon will be.
    QString saveProblem() const;

    /// The problems of the text and, once known, those that need the data.
    const QList<ProblemRow>& problems() const;
    bool hasErrors() const;
    /// The first problem of a field or of anything in it, errors first; null if there is none.
    /// Valid until problemsChanged().
    const ProblemRow* problemAt(const QString& path) const;
    /// Sets what `cannery check` found in the text of this revision; ignored if it is outdated.
    void setCheckedProblems(quint64 revision, const QList<ProblemRow>& problems);
    /// Does what the problem's `fix` says, as one undo step.
    bool fix(const ProblemRow& problem);
    /// True while the file is being read.
    bool isLoading() const;

    Standing standing() const;
    /// BothChanged: the text of the other program. Until keepMine() or takeTheirs(), nothing is
    /// written but the journal.
    QString theirText() const;
    /// Writes the text shown here; Undo goes to the other program's.
    void keepMine();
    /// Shows the other program's text; Undo goes back to the one shown here.
    void takeTheirs();
    /// Gone: writes the file again, with what was edited meanwhile. Until then, or until the file
    /// is back, edits are only in the journal.
    void saveAgain();
    /// Gone: closes it without keeping, anywhere, what is not in the file.
    void discard();
    /// Gives the experiment another name, or none if it is empty, and its file another path in its
    /// folder, as one undo step. Replaces no file; `done` gets why it could not, or an empty
    /// sentence.
    void rename(const QString& name, const QString& file,
                const std::function<void(const QString& error)>& done);
    /// Calls `then` once everything edited so far was written, or could not be.
    void afterWriting(std::function<void()> then);

    const RecoveredEdits& recovered() const;
    /// Keeps the edits of a crashed window, including those not yet in the file.
    void keepRecovered();
    /// Restores, as one undoable step, the text from before those edits.
    void discardRecovered();

    /// "data", "features" or "model": the page where a field can be fixed.
    static QString pageOf(const QString& path);

Q_SIGNALS:
    /// Text and fields have changed.
    void changed();
    void problemsChanged();
    /// apply() or setValue() has made an undo step.
    void stepMade(const cannery::ui::EditStep& step);
    /// Another program changed the file, and it was read again.
    void reloaded();
    void saved();
    void failed(const QString& sentence);
    /// recovered() has changed.
    void recoveredChanged();
    /// standing() or theirText() has changed.
    void standingChanged();
    /// file() has changed: the experiment was renamed.
    void moved(const QString& from);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
