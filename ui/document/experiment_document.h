// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_edits.h"
#include "ui/document/experiment_problems.h"
#include "ui/document/experiment_storage.h"
#include "ui/document/field_node.h"

#include <QObject>
#include <QString>

#include <memory>

class QUndoStack;

namespace cannery::ui {

/// The open experiment file: its text, its fields and its problems. Reads the file again when
/// another program changes it. Reading, parsing, checking and writing happen off the GUI thread;
/// edits are undoable and written at once, atomically. The document connects its parts. GUI thread.
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
    /// True while the file is being read.
    bool isLoading() const;
    QString file() const;
    QString text() const;
    /// Increases with every new text.
    quint64 revision() const;
    /// The experiment's name, otherwise the file's base name.
    QString name() const;
    /// Whether the newest text is on the disk and has been read: what is shown is what a run gets.
    bool isSettled() const;

    /// The parsed experiment with defaults resolved; with errors, as far as it could be parsed.
    const FieldNode& root() const;
    /// A field by its path ("feature_column[age].numeric_column.key"); null if it does not exist.
    const FieldNode* field(const QString& path) const;
    /// The text of a field, or `otherwise`.
    QString value(const QString& path, const QString& otherwise = {}) const;

    /// Changes one field as one undo step and saves. All other bytes and comments are kept. `text`
    /// is in text format (`[64, 32]`, `0.1`, `adam { }`); a string need not be quoted; an empty
    /// text removes the field. Returns false, after failed(), if it cannot be written there.
    bool setValue(const QString& path, const QString& text);
    /// Several edits as one undo step named `title` ("Add age × sex"); none of them is made, after
    /// failed(), if one cannot be written. `remark`: what the step leaves out, for stepMade().
    bool apply(const QString& title, const QList<FieldEdit>& edits, const QString& remark = {});
    QUndoStack* undoStack();

    ExperimentEdits& edits() const; ///< typing, whole texts, why nothing may be changed
    ExperimentProblems& problems() const;
    ExperimentStorage& storage() const; ///< file, conflicts, what a crash has left

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
    /// What storage() has recovered() has changed.
    void recoveredChanged();
    /// The standing of storage(), or the text of the other program, has changed.
    void standingChanged();
    /// file() has changed: the experiment was renamed.
    void moved(const QString& from);

private:
    struct Parts;

    void connectParts();
    void forget();
    void takeReading();

    bool m_isReloading = false;
    std::unique_ptr<Parts> m_parts;
};

/// The set member of a message's oneof: memberOf(document, "estimator") is "dnn_classifier".
QString memberOf(const ExperimentDocument& document, const QString& path);

} // namespace cannery::ui
