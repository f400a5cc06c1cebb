// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/column_facts.h"
#include "ui/models/command_line.h"
#include "ui/models/table_trouble.h"

#include <QJsonObject>
#include <QObject>
#include <QSet>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <optional>

namespace cannery::ui {

class ProjectSession;

/// The result of a command on the open experiment (`preview`, `plan`): run when a page needs it,
/// and again whenever the text changes. It is not listed as a job. GUI thread.
class DocumentQuery : public QObject
{
    Q_OBJECT

public:
    /// The one query of its kind, shared by all pages of the session: of `cannery preview` (200
    /// rows), of `cannery plan` and of the learning rates alone, which are there at once.
    static DocumentQuery& preview(ProjectSession& session);
    static DocumentQuery& plan(ProjectSession& session);
    static DocumentQuery& learningRates(ProjectSession& session);

    /// Whether a page needs the result.
    void setWanted(const QObject* who, bool wanted);
    const QJsonObject& result() const { return m_result; }
    /// The facts about the table in a preview; read once for each result.
    const DataFacts& dataFacts();
    /// Why there is no result; a sentence.
    QString error() const { return m_error; }
    QString errorId() const { return m_errorId; }
    /// The table that cannot be read, and where; otherwise empty.
    const TableTrouble& trouble() const { return m_trouble; }
    bool isRunning() const { return m_job != 0; }
    /// Cancels the query; askAgain() or a new text starts it again.
    void cancel();
    void askAgain();
    CommandLine command() const;
    /// Asks once for the number of training rows with additional arguments ("--set …"); -1 if that
    /// fails too. Not called once `context` is destroyed.
    void countRows(const QStringList& words, QObject* context, std::function<void(qint64)> told);

Q_SIGNALS:
    void changed();

private:
    /// `arguments` follow the experiment file.
    DocumentQuery(ProjectSession& session, const QString& verb, const QStringList& arguments);
    static DocumentQuery& shared(ProjectSession& session, const QString& name, const QString& verb,
                                 const QStringList& arguments);
    void ask();
    /// Once nobody types any more.
    void askSoon();
    void forget();

    ProjectSession* m_session;
    QString m_verb;
    QStringList m_arguments;
    QJsonObject m_result;
    std::optional<DataFacts> m_facts; ///< of m_result
    QString m_error;
    QString m_errorId;
    TableTrouble m_trouble;
    QString m_file;
    quint64 m_asked = 0; ///< revision of the text; 0: none yet
    int m_job = 0;
    QTimer m_soon;
    QSet<const QObject*> m_wanted;
};

} // namespace cannery::ui
