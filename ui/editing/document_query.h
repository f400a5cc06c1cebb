// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_node.h"
#include "ui/models/command_line.h"
#include "ui/models/plan_facts.h"
#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/table_trouble.h"
#include "ui/services/job_runner.h"

#include <QJsonObject>
#include <QObject>
#include <QSet>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>

#include <functional>
#include <optional>

namespace cannery::ui {

class ProjectSession;

/// The result of a command on the open experiment (`preview`, `plan`): run when a page needs it,
/// and again whenever the text changes where the command reads it. It is not listed as a job. GUI
/// thread.
class DocumentQuery : public QObject
{
    Q_OBJECT

public:
    ~DocumentQuery() override;

    /// The one query of its kind, shared by all pages of the session: of `cannery preview` (200
    /// rows) and of its principal components, of `cannery plan` and of the learning rates alone,
    /// which are there at once.
    static DocumentQuery& preview(ProjectSession& session);
    static DocumentQuery& components(ProjectSession& session);
    static DocumentQuery& plan(ProjectSession& session);
    static DocumentQuery& learningRates(ProjectSession& session);
    /// What `cannery sweep` would train.
    static DocumentQuery& sweep(ProjectSession& session);

    /// Whether a page needs the result.
    void setWanted(const QObject* who, bool wanted);
    const QJsonObject& result() const { return m_result; }
    /// The facts about the table in a preview.
    const DataFacts& dataFacts() const { return m_facts; }
    /// The facts about the model in a plan.
    const PlanFacts& planFacts() const { return m_planFacts; }
    /// How many rows there are to train on, if the result was made of the data as they are now.
    std::optional<qint64> trainRows() const;
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
    void countRows(const QStringList& words, QObject* context, std::function<void(qint64)> counted);

Q_SIGNALS:
    void changed();

private:
    /// `arguments` follow the experiment file.
    DocumentQuery(ProjectSession& session, const QString& verb, const QStringList& arguments);
    static DocumentQuery& shared(ProjectSession& session, const QString& name, const QString& verb,
                                 const QStringList& arguments, const QStringList& reads = {});
    void ask();
    void take(const JobRunner::Outcome& outcome, const DataFacts& facts);
    CommandLine commandNow() const;
    bool isAnswered() const;
    void setResult(const QJsonObject& result, const DataFacts& facts);
    /// Once nobody types any more.
    void askSoon();
    void forget();

    ProjectSession* m_session;
    QString m_verb;
    QStringList m_arguments;
    QStringList m_reads; ///< the parts of the experiment that the command reads; all if empty
    QJsonObject m_result;
    DataFacts m_facts;     ///< of m_result
    PlanFacts m_planFacts; ///< of m_result
    FieldNode m_about;     ///< the experiment that was asked about
    FieldNode m_answered;  ///< the one that m_result is about
    QString m_error;
    QString m_errorId;
    TableTrouble m_trouble;
    QString m_file;
    quint64 m_asked = 0; ///< revision of the text; 0: none yet
    int m_job = 0;
    QTimer m_soon;
    QSet<const QObject*> m_wanted;
    QThreadPool m_reader; ///< results of wide tables are long
};

} // namespace cannery::ui
