// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/document/network_outline.h"

#include <QList>
#include <QObject>
#include <QString>

namespace cannery::ui {

class ExperimentProblems;
class ExperimentReader;
class ExperimentStorage;
class ExperimentText;
struct FieldNode;

/// An edit made here in one go; typing is none.
struct EditStep
{
    QString title;
    QString remark; ///< what it leaves out, a sentence; empty: nothing
    QList<FieldEdit> edits;
    /// It takes away an element of a list, a message, or, with other edits, any value.
    bool removes = false;
};

/// Changes the open experiment, field by field or as a whole; all other bytes and comments are
/// kept. GUI thread.
class ExperimentEdits : public QObject
{
    Q_OBJECT

public:
    ExperimentEdits(ExperimentText& text, const ExperimentReader& reader,
                    ExperimentStorage& storage, ExperimentProblems& problems);

    /// See ExperimentDocument.
    bool setValue(const QString& path, const QString& text);
    bool apply(const QString& title, const QList<FieldEdit>& edits, const QString& remark = {});
    /// As apply(), but says in `error` why it cannot be written, and nobody else.
    bool write(const QString& title, const QList<FieldEdit>& edits, QString& error);
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

    /// Whether the fields are those of the newest text.
    bool isRead() const;
    /// The layers of the estimator's network, as they were read; empty if it has none.
    const NetworkOutline& network() const;
    /// The field's label, otherwise its path: for titles of undo steps.
    QString labelOf(const QString& path) const;
    /// The value at a path as the text has it, with quotes or braces; empty if it is not set there.
    QString written(const QString& path) const;

    /// Why nothing may be changed (a project that cannot be written), a sentence; edits then fail
    /// with it. Empty: everything may.
    void setHindrance(const QString& sentence);
    QString hindrance() const { return m_hindrance; }

Q_SIGNALS:
    /// apply() or setValue() has made an undo step.
    void stepMade(const cannery::ui::EditStep& step);
    void hindranceChanged();
    void failed(const QString& sentence);

private:
    bool mayEdit(QString& error);
    bool writeTyped(const QString& title, const QList<FieldEdit>& edits, const QString& typing,
                    QString& error);
    bool removesSomething(const QList<FieldEdit>& edits) const;
    const FieldNode* field(const QString& path) const;

    ExperimentText& m_text;
    const ExperimentReader& m_reader;
    ExperimentStorage& m_storage;
    ExperimentProblems& m_problems;
    QString m_hindrance;
};

} // namespace cannery::ui
