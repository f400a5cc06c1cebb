// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/table_browser.h"

#include "core/reports/browse.pb.h"
#include "core/reports/preview.pb.h"
#include "core/reports/report_json.h"
#include "ui/document/background.h"
#include "ui/document/experiment_document.h"
#include "ui/document/field_node.h"
#include "ui/models/tables/column_report.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QProcess>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace cannery::ui {
namespace {

/// A pause after the last edit: a helper for each key would only be ended by the next.
constexpr std::chrono::milliseconds kWhileTyping{300};
/// A helper that nobody looks at keeps what it has found for a while.
constexpr std::chrono::seconds kHelperRest{60};
/// A helper that does not end with its input is killed.
constexpr int kHelperPatienceMs = 2000;
constexpr std::string_view kCancelledId = "data.browse_cancelled";

/// Every set field below a node: path and value, independent of comments and layout.
void addFields(const FieldNode& node, QByteArray& all)
{
    if (node.isDefault) {
        return;
    }
    all += node.path.toUtf8() + '=' + node.text.toUtf8() + '\n';
    for (const FieldNode& child : node.children) {
        addFields(child, all);
    }
}

TablePage pageOf(reports::RowsPage& rows)
{
    reports::Preview texts;
    texts.mutable_texts()->Swap(rows.mutable_texts());
    return {.first = static_cast<qint64>(rows.first()),
            .total = static_cast<qint64>(rows.total()),
            .isSoFar = rows.so_far(),
            .numbers = {rows.numbers().begin(), rows.numbers().end()},
            .texts = dataFactsOf(texts).texts};
}

QList<LeftOutRow> leftOutOf(const reports::RefusedRows& refused)
{
    QList<LeftOutRow> rows;
    for (const reports::RefusedRow& row : refused.rows()) {
        rows.append({.file = QString::fromStdString(row.file()),
                     .line = static_cast<qint64>(row.line()),
                     .reason = QString::fromStdString(row.message()),
                     .text = QString::fromStdString(row.text())});
    }
    return rows;
}

} // namespace

/// One line of the helper, with what takes long to read in it.
struct TableBrowser::Answer
{
    explicit Answer(const QByteArray& text)
    {
        reports::readReport({text.constData(), static_cast<std::size_t>(text.size())}, line);
        reports::Preview columns;
        if (line.has_rows()) {
            page = pageOf(*line.mutable_rows());
        } else if (line.has_table()) {
            columns.mutable_columns()->Swap(line.mutable_table()->mutable_columns());
            facts = dataFactsOf(columns);
        } else if (line.has_statistics()) {
            columns.mutable_columns()->Swap(line.mutable_statistics()->mutable_columns());
            facts = dataFactsOf(columns);
            facts.trainRows = static_cast<qint64>(line.statistics().rows());
            facts.isSoFar = line.statistics().so_far();
        }
    }

    reports::BrowseLine line; ///< without its columns and cells
    TablePage page;           ///< of "rows"
    DataFacts facts;          ///< of "table" and "statistics"
};

TableBrowser::TableBrowser(ProjectSession& session, QObject* parent)
    : QObject(parent), m_session(&session)
{
    m_reader.setMaxThreadCount(1); // in their order
    m_soon.setSingleShot(true);
    m_soon.setInterval(kWhileTyping);
    connect(&m_soon, &QTimer::timeout, this, &TableBrowser::follow);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kHelperRest);
    connect(&m_rest, &QTimer::timeout, this, &TableBrowser::stop);
    connect(&session.document(), &ExperimentDocument::changed, &m_soon,
            qOverload<>(&QTimer::start));
    connect(&session.document(), &ExperimentDocument::saved, &m_soon, qOverload<>(&QTimer::start));
    connect(&session.project(), &OpenProject::changed, this, [this] {
        stop();
        follow();
    });
    connect(&session.check(), &ExperimentCheck::dataFilesChanged, this, &TableBrowser::startAgain);
}

TableBrowser::~TableBrowser()
{
    // Its input is closed, at which it ends by itself; it is killed only if it does not.
    if (m_process != nullptr) {
        m_process->disconnect(this);
        m_process->closeWriteChannel();
        if (!m_process->waitForFinished(kHelperPatienceMs)) {
            m_process->kill();
            m_process->waitForFinished(kHelperPatienceMs);
        }
    }
    m_reader.waitForDone();
}

void TableBrowser::setWanted(bool wanted)
{
    if (std::exchange(m_isWanted, wanted) == wanted) {
        return;
    }
    if (wanted) {
        m_rest.stop();
        follow();
    } else {
        m_rest.start();
    }
}

void TableBrowser::startAgain()
{
    stop();
    follow();
}

/// What decides how the rows are read; the rest of the experiment may change while they are shown.
QByteArray TableBrowser::reading() const
{
    const ExperimentDocument& document = m_session->document();
    QByteArray all = document.file().toUtf8() + '\n';
    for (const char* path : {"data.train", "data.column"}) {
        if (const FieldNode* field = document.field(QLatin1String(path))) {
            addFields(*field, all);
        }
    }
    return all;
}

void TableBrowser::follow()
{
    const ExperimentDocument& document = m_session->document();
    if (!m_isWanted || !document.isOpen() || document.isLoading() || document.text().isEmpty()) {
        return;
    }
    if (!document.isSettled() && document.storage().problem().isEmpty()) {
        return; // the helper reads the file: once it is saved
    }
    const QByteArray now = reading();
    if (m_state == State::Off || now != m_reading) {
        stop();
        m_reading = now;
        start();
    }
}

void TableBrowser::start()
{
    // Relative paths of the experiment begin at its folder.
    const QFileInfo file(m_session->document().file());
    m_process = new QProcess(this);
    m_process->setWorkingDirectory(file.absolutePath());
    connect(m_process, &QProcess::readyReadStandardOutput, this, &TableBrowser::readLines);
    connect(m_process, &QProcess::finished, this,
            [this](int, QProcess::ExitStatus status) { ended(status == QProcess::CrashExit); });
    connect(
        m_process, &QProcess::errorOccurred, this,
        [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart) {
                ended(true);
            }
        },
        Qt::QueuedConnection);
    m_state = State::Starting;
    m_process->start(m_session->jobs().program(), {"browse", file.fileName(), "--serve", "--json"});
    Q_EMIT stateChanged();
}

/// It ends by itself when its input does.
void TableBrowser::stop()
{
    if (m_process != nullptr) {
        QProcess* process = std::exchange(m_process, nullptr);
        process->disconnect(this);
        connect(process, &QProcess::finished, process, &QObject::deleteLater);
        process->closeWriteChannel();
        QTimer::singleShot(kHelperPatienceMs, process, [process] { process->kill(); });
        // It has ended or never started, so no finished() follows.
        if (process->state() == QProcess::NotRunning) {
            process->deleteLater();
        }
    }
    m_unread.clear();
    m_columns = {};
    m_rows = 0;
    m_leftOut = 0;
    m_isWhole = false;
    m_error.clear();
    if (std::exchange(m_state, State::Off) != State::Off) {
        Q_EMIT stateChanged();
    }
}

void TableBrowser::fail(const QString& sentence)
{
    m_state = State::Failed;
    m_error = sentence;
    Q_EMIT stateChanged();
}

/// What it wrote last may be the reason for its end.
void TableBrowser::ended(bool crashed)
{
    readLines();
    JobRunner::Outcome outcome{.error = QString::fromUtf8(m_process->readAllStandardError())};
    JobRunner::readError(outcome);
    const QString why = !outcome.sentence.isEmpty() && !crashed
                            ? outcome.sentence
                            : tr("The helper that reads the table ended unexpectedly.");
    // Behind the lines that are still being parsed, so that its last answers come before the
    // failure.
    inBackground(
        m_reader, this, [] { return true; },
        [this, why, process = m_process](bool) {
            if (m_process != process) {
                return;
            }
            m_process->disconnect(this);
            std::exchange(m_process, nullptr)->deleteLater();
            m_unread.clear();
            if (m_state != State::Failed) {
                fail(why);
            }
        });
}

void TableBrowser::readLines()
{
    m_unread += m_process->readAllStandardOutput();
    qsizetype begin = 0;
    for (qsizetype end = m_unread.indexOf('\n'); end >= 0; end = m_unread.indexOf('\n', begin)) {
        inBackground(
            m_reader, this, [line = m_unread.mid(begin, end - begin)] { return Answer(line); },
            [this, process = m_process](const Answer& answer) {
                if (m_process == process) { // a receiver of an earlier line may have restarted it
                    take(answer);
                }
            });
        begin = end + 1;
    }
    m_unread.remove(0, begin);
}

void TableBrowser::take(const Answer& answer)
{
    const reports::BrowseLine& line = answer.line;
    const auto request = static_cast<int>(line.id());
    switch (line.answer_case()) {
    case reports::BrowseLine::kRows:
        Q_EMIT rowsCame(request, answer.page);
        break;
    case reports::BrowseLine::kProgress: {
        const reports::BrowseStep& step = line.progress();
        Q_EMIT progressed(request, QString::fromStdString(step.doing()),
                          step.total() > 0 ? double(step.done()) / double(step.total()) : -1);
        break;
    }
    case reports::BrowseLine::kStatistics:
        Q_EMIT statisticsCame(request, answer.facts);
        break;
    case reports::BrowseLine::kExtent:
        m_rows = static_cast<qint64>(line.extent().rows());
        m_leftOut = static_cast<qint64>(line.extent().bad_rows());
        m_isWhole = !line.extent().so_far();
        Q_EMIT extentChanged();
        break;
    case reports::BrowseLine::kBadRows:
        Q_EMIT leftOutCame(request, leftOutOf(line.bad_rows()),
                           static_cast<qint64>(line.bad_rows().first()));
        break;
    case reports::BrowseLine::kCheck: {
        const reports::BrowseError& problem = line.check().error();
        Q_EMIT filterChecked(request, QString::fromStdString(problem.sentence()),
                             static_cast<int>(problem.position()),
                             static_cast<int>(problem.length()));
        break;
    }
    case reports::BrowseLine::kTable:
        m_columns = answer.facts;
        m_state = State::Ready;
        Q_EMIT stateChanged();
        break;
    case reports::BrowseLine::kError:
        takeError(line);
        break;
    case reports::BrowseLine::ANSWER_NOT_SET:
        break; // of a newer program
    }
}

void TableBrowser::takeError(const reports::BrowseLine& line)
{
    const QString sentence = QString::fromStdString(line.error().sentence());
    // An error without a request is the helper's own.
    if (line.has_id()) {
        Q_EMIT failed(static_cast<int>(line.id()), sentence, line.error().id() == kCancelledId);
    } else {
        fail(sentence);
    }
}

bool TableBrowser::isRunning() const
{
    return m_process != nullptr && m_process->state() != QProcess::NotRunning;
}

int TableBrowser::ask(const QString& what, const QJsonObject& details)
{
    // No request has the number 0.
    if (m_state != State::Ready || !isRunning()) {
        return 0;
    }
    const QJsonObject request{{"id", ++m_lastRequest}, {what, details}};
    m_process->write(QJsonDocument(request).toJson(QJsonDocument::Compact) + '\n');
    return m_lastRequest;
}

int TableBrowser::askRows(const TableQuery& query, qint64 first, qint64 count)
{
    return ask("rows", {{"first", first},
                        {"count", count},
                        {"filter", query.filter.trimmed()},
                        {"sort", query.sort},
                        {"descending", query.descending}});
}

int TableBrowser::askStatistics()
{
    return ask("statistics", {});
}

int TableBrowser::askLeftOut(qint64 first, qint64 count)
{
    return ask("bad_rows", {{"first", first}, {"count", count}});
}

int TableBrowser::checkFilter(const QString& filter)
{
    return ask("check", {{"filter", filter.trimmed()}});
}

void TableBrowser::cancel(int request)
{
    if (request > 0 && isRunning()) {
        m_process->write(
            QJsonDocument(QJsonObject{{"cancel", request}}).toJson(QJsonDocument::Compact) + '\n');
    }
}

} // namespace cannery::ui
