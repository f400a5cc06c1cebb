// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/document_query.h"

#include "ui/document/background.h"
#include "ui/document/experiment_document.h"
#include "ui/services/projects/project_session.h"

#include <QFileInfo>
#include <QPointer>

#include <algorithm>
#include <chrono>

namespace cannery::ui {
namespace {

/// A pause after the last key: a process for each key would only be cancelled by the next.
constexpr std::chrono::milliseconds kWhileTyping{300};

const QString kLearningRates = QStringLiteral("--learning-rates");

/// One part of an experiment; an empty field if it is not there.
FieldNode partOf(const FieldNode& experiment, const QString& name)
{
    const FieldNode* part = experiment.child(name);
    return part == nullptr ? FieldNode() : *part;
}

} // namespace

DocumentQuery::DocumentQuery(ProjectSession& session, const QString& verb,
                             const QStringList& arguments)
    : QObject(&session), m_session(&session), m_verb(verb), m_arguments(arguments)
{
    m_reader.setMaxThreadCount(1);
    m_soon.setSingleShot(true);
    m_soon.setInterval(kWhileTyping);
    connect(&m_soon, &QTimer::timeout, this, &DocumentQuery::ask);
    connect(&session.document(), &ExperimentDocument::changed, this, &DocumentQuery::askSoon);
    connect(&session.document(), &ExperimentDocument::saved, this, &DocumentQuery::askSoon);
    connect(&session.project(), &OpenProject::changed, this, &DocumentQuery::forget);
    connect(&session.check(), &ExperimentCheck::dataFilesChanged, this, &DocumentQuery::askAgain);
}

DocumentQuery::~DocumentQuery()
{
    m_reader.waitForDone();
}

DocumentQuery& DocumentQuery::shared(ProjectSession& session, const QString& name,
                                     const QString& verb, const QStringList& arguments,
                                     const QStringList& reads)
{
    // One query for all pages that need its answer, as a child of the session.
    auto* query = session.findChild<DocumentQuery*>("query." + name, Qt::FindDirectChildrenOnly);
    if (query == nullptr) {
        query = new DocumentQuery(session, verb, arguments);
        query->setObjectName("query." + name);
        query->m_reads = reads;
    }
    return *query;
}

DocumentQuery& DocumentQuery::preview(ProjectSession& session)
{
    return shared(session, "preview", "preview", {"--rows", "200"},
                  {"data", "feature_column", "estimator"});
}

DocumentQuery& DocumentQuery::components(ProjectSession& session)
{
    return shared(session, "components", "preview", {"--components"},
                  {"data", "feature_column", "estimator"});
}

DocumentQuery& DocumentQuery::plan(ProjectSession& session)
{
    return shared(session, "plan", "plan", {});
}

DocumentQuery& DocumentQuery::learningRates(ProjectSession& session)
{
    return shared(session, "learning_rates", "plan", {kLearningRates});
}

DocumentQuery& DocumentQuery::sweep(ProjectSession& session)
{
    return shared(session, "sweep", "sweep", {QStringLiteral("--dry-run")});
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

std::optional<qint64> DocumentQuery::trainRows() const
{
    const qint64 rows =
        m_facts.trainRows >= 0 ? m_facts.trainRows : m_result.value("train_rows").toInteger(-1);
    const QString data = QStringLiteral("data");
    // The count holds as long as the data section is the same, whatever else was edited.
    const bool isOfNow =
        rows >= 0 && partOf(m_answered, data) == partOf(m_session->document().root(), data);
    return isOfNow ? std::optional(rows) : std::nullopt;
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

/// The rows are counted once, not for every edit of a schedule.
CommandLine DocumentQuery::commandNow() const
{
    CommandLine asked = command();
    if (m_arguments.contains(kLearningRates)) {
        // The count of a query that has run already spares another pass over the table.
        const std::optional<qint64> previewed = preview(*m_session).trainRows();
        if (const auto rows = previewed ? previewed : plan(*m_session).trainRows()) {
            asked.arguments << QStringLiteral("--train-rows") << QString::number(*rows);
        }
    }
    return asked;
}

void DocumentQuery::forget()
{
    if (m_job != 0) {
        m_session->jobs().cancel(m_job);
    }
    m_job = 0;
    m_asked = 0;
    setResult({}, {});
    m_answered = {};
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
    m_answered = {};
    ask();
}

void DocumentQuery::countRows(const QStringList& words, QObject* context,
                              std::function<void(qint64)> counted)
{
    CommandLine counting = command();
    counting.arguments += words;
    m_session->jobs().run(
        m_verb, counting,
        [counted = std::move(counted),
         alive = QPointer<QObject>(context)](const JobRunner::Outcome& outcome) {
            if (!alive) {
                return;
            }
            counted(outcome.ok ? dataFactsFromJson(outcome.json.object()).trainRows : -1);
        },
        true);
}

void DocumentQuery::askSoon()
{
    const ExperimentDocument& document = m_session->document();
    // A file that has just been opened is queried at once; an edit waits for the typing to end.
    if (m_file == document.file() || !document.isSettled()) {
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
    if (!document.isSettled() && document.storage().problem().isEmpty()) {
        return; // the engine reads the file: asked again once it is saved
    }
    const quint64 revision = document.revision() + 1;
    if (m_asked == revision && m_file == document.file()) {
        return;
    }
    const bool isSameFile = m_file == document.file();
    m_asked = revision;
    m_file = document.file();
    if (isSameFile && isAnswered()) {
        return;
    }
    if (m_job != 0) {
        m_session->jobs().cancel(m_job);
    }
    // What the answer will be about: edits may come before it does.
    m_about = document.root();
    m_job = m_session->jobs().run(
        m_verb, commandNow(),
        [this, revision](const JobRunner::Outcome& outcome) {
            if (revision != m_asked || outcome.cancelled) {
                return;
            }
            inBackground(
                m_reader, this, [json = outcome.json.object()] { return dataFactsFromJson(json); },
                [this, revision, outcome, job = m_job](const DataFacts& facts) {
                    // It may have been cancelled while the answer was read on the other thread.
                    if (revision == m_asked && job == m_job) {
                        take(outcome, facts);
                    }
                });
        },
        true);
    Q_EMIT changed();
}

/// Whether the result is about the text as it is now: a table need not be read for every edit of
/// the training.
bool DocumentQuery::isAnswered() const
{
    const FieldNode& now = m_session->document().root();
    return m_job == 0 && !m_reads.isEmpty() && !m_answered.children.isEmpty() &&
           m_error.isEmpty() &&
           std::all_of(m_reads.begin(), m_reads.end(), [&](const QString& part) {
               return partOf(m_answered, part) == partOf(now, part);
           });
}

void DocumentQuery::take(const JobRunner::Outcome& outcome, const DataFacts& facts)
{
    m_job = 0;
    m_error = outcome.ok ? QString() : outcome.sentence;
    m_errorId = outcome.ok ? QString() : outcome.errorId;
    m_trouble = outcome.ok ? TableTrouble()
                           : tableTroubleOf(outcome.errorId, outcome.sentence,
                                            outcome.errorArguments, command().folder);
    if (outcome.ok) {
        setResult(outcome.json.object(), facts);
        m_answered = m_about;
    } else if (!m_errorId.isEmpty() || !m_error.isEmpty()) {
        setResult({}, {});
        m_answered = {};
    }
    Q_EMIT changed();
}

void DocumentQuery::setResult(const QJsonObject& result, const DataFacts& facts)
{
    m_result = result;
    m_facts = facts;
    // Once for each answer: pages ask for these facts with every edit.
    m_planFacts = m_verb == QLatin1String("plan") ? planFactsFromJson(result) : PlanFacts();
}

} // namespace cannery::ui
