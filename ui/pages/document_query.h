// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"
#include "ui/models/table_trouble.h"

#include <QJsonObject>
#include <QObject>
#include <QSet>
#include <QStringList>

#include <functional>

namespace cannery::ui {

class ProjectSession;

/// What a command says of the open experiment (`preview`, `plan`): asked when somebody looks, and
/// again whenever the text changes. Quiet: no job is listed. GUI thread.
class DocumentQuery : public QObject
{
    Q_OBJECT

public:
    /// The one query of its kind, shared by all pages of the session: of `cannery preview` (200
    /// rows) and of `cannery plan`.
    static DocumentQuery& preview(ProjectSession& session);
    static DocumentQuery& plan(ProjectSession& session);

    /// Somebody looks, or does not any more.
    void setWanted(const QObject* who, bool wanted);
    const QJsonObject& result() const { return m_result; }
    /// Why there is no result; a sentence.
    QString error() const { return m_error; }
    QString errorId() const { return m_errorId; }
    /// When a table cannot be read: which, and where; else empty.
    const TableTrouble& trouble() const { return m_trouble; }
    bool isRunning() const { return m_job != 0; }
    /// Ends the question; askAgain() begins it anew, and so does a new text.
    void cancel();
    void askAgain();
    CommandLine command() const;
    /// Asks once how many training rows there are with some more words ("--set …"); -1 when that
    /// fails too. Not called when `context` is gone.
    void countRows(const QStringList& words, QObject* context, std::function<void(qint64)> told);

Q_SIGNALS:
    void changed();

private:
    /// `arguments` stand behind the experiment file.
    DocumentQuery(ProjectSession& session, const QString& verb, const QStringList& arguments);
    static DocumentQuery& shared(ProjectSession& session, const QString& verb,
                                 const QStringList& arguments);
    void ask();
    void forget();

    ProjectSession* m_session;
    QString m_verb;
    QStringList m_arguments;
    QJsonObject m_result;
    QString m_error;
    QString m_errorId;
    TableTrouble m_trouble;
    QString m_file;
    quint64 m_asked = 0; ///< revision of the text; 0: none
    int m_job = 0;
    QSet<const QObject*> m_wanted;
};

} // namespace cannery::ui
