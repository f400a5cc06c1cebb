// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_node.h"
#include "ui/document/problem_row.h"

#include <QList>
#include <QObject>
#include <QString>

#include <memory>

class QUndoStack;

namespace cannery::ui {

/// Edits of a window that died.
struct RecoveredEdits
{
    int changes = 0;      ///< since the file was opened; 0: nothing to recover
    bool unsaved = false; ///< the last of them had not reached the file
};

/// The experiment file that is open: its text, the fields in it and its problems. Notices when an
/// editor or git changes the file and reads it again. Reading, parsing, checking and writing happen
/// off the GUI thread; edits are undoable and written at once, atomically.
///
/// Beside the file lies a journal (".titanic.cannery.edits") from the first edit until close(): the
/// text before the first edit and the newest one, written before the file itself is replaced. A
/// window that dies leaves it; the next open() finds it (recovered()). GUI thread.
class ExperimentDocument : public QObject
{
    Q_OBJECT

public:
    explicit ExperimentDocument(QObject* parent = nullptr);
    /// Waits for what is being written.
    ~ExperimentDocument() override;

    /// Begins to read; changed() and problemsChanged() follow, or failed().
    void open(const QString& file);
    void close();
    bool isOpen() const;
    QString file() const;
    QString text() const;
    /// Grows with every new text.
    quint64 revision() const;
    /// What the file calls itself, else its base name.
    QString name() const;

    /// The experiment as read, defaults resolved; as far as it could be read when it has errors.
    const FieldNode& root() const;
    /// By its path ("feature_column[age].numeric_column.key"); null when it is not there.
    const FieldNode* field(const QString& path) const;
    /// Text of a field, or `otherwise`.
    QString value(const QString& path, const QString& otherwise = {}) const;
    /// Which member of a message's oneof is there: member("estimator") is "dnn_classifier".
    QString member(const QString& path) const;

    /// Changes one field as one undo step and saves. Bytes and comments elsewhere stay. `text` is
    /// in text format (`[64, 32]`, `0.1`, `adam { }`); a string need not be quoted; an empty text
    /// takes the field away. False, after failed(), when it cannot be written there.
    bool setValue(const QString& path, const QString& text);
    QUndoStack* undoStack();
    /// True while an edit is on its way to the disk.
    bool isSaving() const;
    /// Why the newest text is not on the disk, a sentence; empty when it is or soon will be.
    QString saveProblem() const;

    /// Those of the text alone and, once told, those that need the data.
    const QList<ProblemRow>& problems() const;
    bool hasErrors() const;
    /// What `cannery check` found in the text of this revision; ignored when it is an older one.
    void setCheckedProblems(quint64 revision, const QList<ProblemRow>& problems);
    /// True while the file is being read.
    bool isLoading() const;

    const RecoveredEdits& recovered() const;
    /// Keeps what a window that died had edited, also what had not reached the file.
    void keepRecovered();
    /// Goes back, as one undoable step, to the text from before those edits.
    void discardRecovered();

    /// "data", "features" or "model": where a field is mended.
    static QString pageOf(const QString& path);

Q_SIGNALS:
    /// Text and fields are new.
    void changed();
    void problemsChanged();
    /// The file was changed by another program and read again.
    void reloaded();
    void saved();
    void failed(const QString& sentence);
    /// recovered() has changed.
    void recoveredChanged();

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
