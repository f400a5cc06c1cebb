// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/document_query.h"

#include "ui/document/experiment_document.h"
#include "ui/services/job_runner.h"
#include "ui/services/project_session.h"

#include <QFileInfo>
#include <QPointer>

#include <chrono>

namespace cannery::ui {
namespace {

/// A pause after the last key: a process for each key would only be cancelled by the next.
constexpr std::chrono::milliseconds kWhileTyping{300};

} // namespace

DocumentQuery::DocumentQuery(ProjectSession& session, const QString& verb,
                             const QStringList& arguments)
    : QObject(&session), m_session(&session), m_verb(verb), m_arguments(arguments)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(kWhileTyping);
    connect(&m_soon, &QTimer::timeout, this, &DocumentQuery::ask);
    connect(&session.document(), &ExperimentDocument::changed, this, &DocumentQuery::askSoon);
    connect(&session.document(), &ExperimentDocument::saved, this, &DocumentQuery::askSoon);
    connect(&session, &ProjectSession::projectChanged, this, &DocumentQuery::forget);
    connect(&session, &ProjectSession::dataFilesChanged, this, &DocumentQuery::askAgain);
}

DocumentQuery& DocumentQuery::shared(ProjectSession& session, const QString& name,
                                     const QString& verb, const QStringList& arguments)
{
    auto* query = session.findChild<DocumentQuery*>("query." + name, Qt::FindDirectChildrenOnly);
    if (query == nullptr) {
        query = new DocumentQuery(session, verb, arguments);
        query->setObjectName("query." + name);
    }
    return *query;
}

DocumentQuery& DocumentQuery::preview(ProjectSession& session)
{
    return shared(session, "preview", "preview", {"--rows", "200"});
}

DocumentQuery& DocumentQuery::plan(ProjectSession& session)
{
    return shared(session, "plan", "plan", {});
}

DocumentQuery& DocumentQuery::learningRates(ProjectSession& session)
{
    return shared(session, "learning_rates", "plan", {"--learning-rates"});
}

void DocumentQuery::setWanted(const QObject* who, bool wanted)
{
    if (wanted) {
        m_wanted.insert(who);
        ask();
    } else {
        m_wanted.remove(who);
    }
}

const DataFacts& DocumentQuery::dataFacts()
{
    if (!m_facts) {
        m_facts = dataFactsFromJson(m_result);
    }
    return *m_facts;
}

CommandLine DocumentQuery::command() const
{
    const ExperimentDocument& document = m_session->document();
    if (!document.isOpen()) {
        return {};
    }
    const QFileInfo file(document.file());
    return {.arguments = QStringList{m_verb, file.fileName()} + m_arguments,
            .folder = file.absolutePath(),
            .machineArguments = {"--json"}};
}

void DocumentQuery::forget()
{
    if (m_job != 0) {
        m_session->jobs().cancel(m_job);
    }
    m_job = 0;
    m_asked = 0;
    m_facts.reset();
    m_result = {};
    m_error.clear();
    m_errorId.clear();
    m_trouble = {};
    Q_EMIT changed();
    ask();
}

void DocumentQuery::cancel()
{
    if (m_job != 0) {
        m_session->jobs().cancel(std::exchange(m_job, 0));
        Q_EMIT changed();
    }
}

/// The text is unchanged, but the files that it names are not.
void DocumentQuery::askAgain()
{
    m_asked = 0;
    ask();
}

void DocumentQuery::countRows(const QStringList& words, QObject* context,
                              std::function<void(qint64)> told)
{
    CommandLine counting = command();
    counting.arguments += words;
    m_session->jobs().run(
        m_verb, counting,
        [told = std::move(told),
         alive = QPointer<QObject>(context)](const JobRunner::Outcome& outcome) {
            if (!alive) {
                return;
            }
            const QJsonObject sources = outcome.json.object().value("sources").toObject();
            told(outcome.ok ? sources.value("train").toObject().value("rows").toInteger(-1) : -1);
        },
        true);
}

void DocumentQuery::askSoon()
{
    if (m_file == m_session->document().file()) {
        m_soon.start();
    } else {
        ask();
    }
}

void DocumentQuery::ask()
{
    const ExperimentDocument& document = m_session->document();
    if (m_wanted.isEmpty() || !document.isOpen() || document.isLoading() ||
        document.text().isEmpty()) {
        return;
    }
    if (!document.isSettled() && document.saveProblem().isEmpty()) {
        return; // the engine reads the file: asked again once it is saved
    }
    const quint64 revision = document.revision() + 1;
    if (m_asked == revision && m_file == document.file()) {
        return;
    }
    m_asked = revision;
    m_file = document.file();
    if (m_job != 0) {
        m_session->jobs().cancel(m_job);
    }
    m_job = m_session->jobs().run(
        m_verb, command(),
        [this, revision](const JobRunner::Outcome& outcome) {
            if (revision != m_asked || outcome.cancelled) {
                return;
            }
            m_job = 0;
            m_error = outcome.ok ? QString() : outcome.sentence;
            m_errorId = outcome.ok ? QString() : outcome.errorId;
            m_trouble = outcome.ok ? TableTrouble()
                                   : tableTroubleOf(outcome.errorId, outcome.sentence,
                                                    outcome.errorArguments, command().folder);
            m_facts.reset();
            if (outcome.ok) {
                m_result = outcome.json.object();
            } else if (!m_errorId.isEmpty() || !m_error.isEmpty()) {
                m_result = {};
            }
            Q_EMIT changed();
        },
        true);
    Q_EMIT changed();
}

} // namespace cannery::ui
