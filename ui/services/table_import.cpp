// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/table_import.h"

#include "ui/document/background.h"
#include "ui/document/experiment_reading.h"
#include "ui/models/formats.h"
#include "ui/services/job_runner.h"
#include "ui/services/pasted_table.h"
#include "ui/services/projects/experiment_folder.h"
#include "ui/services/projects/project_target.h"
#include "ui/services/projects/sample_library.h"
#include "ui/services/projects/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonObject>
#include <QRegularExpression>

namespace cannery::ui {
namespace {

/// The place of a new experiment.
struct MadeFile
{
    QString file;
    QString error;
};

/// The place of a project created from a table: next to it if that folder is already a project of
/// the user's.
MadeFile placeForTable(const QString& table, const QString& projects, const QString& samples)
{
    const QFileInfo info(table);
    const QString name = info.completeBaseName();
    const bool isSample = !samples.isEmpty() && info.absolutePath().startsWith(samples + u'/');
    if (!isSample && !experimentsIn(info.absolutePath()).isEmpty()) {
        return {freshExperimentFile(info.absolutePath(), name), {}};
    }
    QString folder = projects + u'/' + name;
    for (int i = 2; QFileInfo::exists(folder); ++i) {
        folder = QStringLiteral("%1/%2-%3").arg(projects, name).arg(i);
    }
    if (!QDir().mkpath(folder)) {
        return {{},
                TableImport::tr("Cannot create a folder in %1; choose another folder for "
                                "projects in the settings.")
                    .arg(projects)};
    }
    return {folder + u'/' + name + QStringLiteral(".cannery"), {}};
}

/// Writes an experiment that was found for a table; a folder that was created for it is removed
/// again if that fails.
MadeExperiment writeFound(const QByteArray& text, const QString& table, const QString& output)
{
    const QFileInfo place(output);
    const QByteArray placed = withTable(text, QDir(place.absolutePath()).relativeFilePath(table));
    MadeExperiment made = makeExperiment(place.absolutePath(), place.completeBaseName(), placed);
    // rmdir() leaves a folder alone that has anything in it.
    if (made.file.isEmpty()) {
        QDir().rmdir(place.absolutePath());
    }
    return made;
}

QStringList wordsOf(const QString& table, const TableReading& reading)
{
    QStringList words{QStringLiteral("new"), table};
    if (reading.skipsBadRows) {
        words << QStringLiteral("--skip-bad-rows");
    }
    if (!reading.delimiter.isEmpty()) {
        // Written as an escape, so that the command can be copied into a shell.
        words << QStringLiteral("--delimiter")
              << (reading.delimiter == u"\t" ? QStringLiteral("\\t") : reading.delimiter);
    }
    if (!reading.encoding.isEmpty()) {
        words << QStringLiteral("--encoding") << reading.encoding;
    }
    return words + tableOptions(reading.rows);
}

QStringList wordsOf(const ProjectChoices& choices)
{
    QStringList words;
    if (!choices.label.isEmpty()) {
        words << QStringLiteral("--label") << choices.label;
    }
    if (!choices.estimator.isEmpty()) {
        words << QStringLiteral("--estimator") << choices.estimator;
    }
    for (const QString& column : choices.leftOut) {
        words << QStringLiteral("--leave-out") << column;
    }
    if (choices.bestScore) {
        words << QStringLiteral("--best-score");
    }
    if (choices.isQuick) {
        words << QStringLiteral("--no-tries");
    }
    return words;
}

} // namespace

ProjectChoices ProjectChoices::clusters()
{
    return {.estimator = QStringLiteral("kmeans")};
}

TableImport::TableImport(JobRunner& jobs, const Settings& settings, QObject* parent)
    : QObject(parent), m_jobs(jobs), m_settings(settings)
{
    m_pool.setMaxThreadCount(1);
}

TableImport::~TableImport()
{
    m_pool.waitForDone();
}

CommandLine TableImport::command(const QString& table, const ProjectChoices& choices,
                                 const TableReading& reading) const
{
    return {wordsOf(table, reading) + wordsOf(choices), {}, {"--json", "--progress", "json"}};
}

void TableImport::ask(const QString& table, const TableReading& reading,
                      const ProjectChoices& choices)
{
    // One question at a time: an answer to the one before would replace this one's.
    cancel();
    const QString path = QFileInfo(table).absoluteFilePath();
    CommandLine asking = command(path, choices, reading);
    asking.arguments << QStringLiteral("--dry-run");
    m_asking = path;
    m_askingReading = reading;
    m_job = m_jobs.run(tr("Reading %1").arg(QFileInfo(path).fileName()), asking,
                       [this, path, reading, choices](const JobRunner::Outcome& outcome) {
                           // m_job may be that of the next question already.
                           if (outcome.cancelled) {
                               return;
                           }
                           m_job = 0;
                           Q_EMIT askingChanged();
                           if (outcome.ok) {
                               forgetTrouble();
                               m_question = {.table = path,
                                             .reading = reading,
                                             .answer = newFactsFromJson(outcome.json.object()),
                                             .choices = choices};
                               Q_EMIT asked();
                               return;
                           }
                           // Not an error to the user but a question.
                           if (outcome.errorId == QLatin1String("sqlite_source.which_table")) {
                               Q_EMIT tableWanted(path);
                               return;
                           }
                           // Paths in the error are absolute, so the root is the folder they begin
                           // at.
                           const TableTrouble trouble =
                               tableTroubleOf(outcome.errorId, outcome.sentence,
                                              outcome.errorArguments, QDir::rootPath());
                           if (trouble.isEmpty()) {
                               Q_EMIT failed(outcome.sentence, outcome.error);
                           } else {
                               setTrouble(trouble, reading);
                           }
                       });
    Q_EMIT askingChanged();
}

void TableImport::cancel()
{
    if (m_job != 0) {
        m_jobs.cancel(std::exchange(m_job, 0));
        Q_EMIT askingChanged();
    }
}

void TableImport::paste(const QString& text, const QString& folder)
{
    inBackground(
        m_pool, this,
        [text, folder = folder.isEmpty() ? m_settings.projectsFolder() : folder] {
            return writePastedTable(text, folder);
        },
        [this](const PastedTable& table) {
            if (table.file.isEmpty()) {
                Q_EMIT failed(table.problem, {});
            } else {
                Q_EMIT pasted(table.file);
            }
        });
}

void TableImport::setTrouble(const TableTrouble& trouble, const TableReading& reading)
{
    m_trouble = trouble;
    m_reading = reading;
    Q_EMIT troubleChanged();
}

void TableImport::forgetTrouble()
{
    if (!m_trouble.isEmpty()) {
        setTrouble({}, {});
    }
}

void TableImport::countRowsWithoutBad(std::function<void(qint64)> counted)
{
    TableReading reading = m_reading;
    reading.skipsBadRows = true;
    CommandLine counting = command(m_trouble.file, {}, reading);
    counting.arguments << QStringLiteral("--dry-run");
    m_jobs.run(
        tr("Counting rows"), counting,
        [counted = std::move(counted)](const JobRunner::Outcome& outcome) {
            counted(outcome.ok ? newFactsFromJson(outcome.json.object()).rows : -1);
        },
        true);
}

void TableImport::make(const QString& table, const ProjectChoices& choices,
                       const TableReading& reading)
{
    const QString path = QFileInfo(table).absoluteFilePath();
    const QByteArray text = foundText(path, choices, reading);
    Q_EMIT working(1);
    inBackground(
        m_pool, this,
        [path, text, projects = m_settings.projectsFolder(),
         samples = SampleLibrary::libraryFolder()] {
            MadeFile place = placeForTable(path, projects, samples);
            if (!place.file.isEmpty() && !text.isEmpty()) {
                const MadeExperiment made = writeFound(text, path, place.file);
                place = {made.file, made.error};
            }
            return place;
        },
        [this, path, text, choices, reading](const MadeFile& place) {
            Q_EMIT working(-1);
            if (place.file.isEmpty()) {
                m_toTry.reset();
                Q_EMIT failed(place.error, {});
            } else if (!text.isEmpty()) {
                reportMade(place.file);
            } else {
                write(path, choices, reading, place.file);
            }
        });
}

void TableImport::makeAtOnce(const QString& table, const ProjectChoices& choices,
                             const TableReading& reading)
{
    skipTrying();
    ProjectChoices usual = choices;
    usual.isQuick = true;
    if (!choices.areClusters()) { // of which there is one kind
        m_toTry = LabelQuestion{.table = QFileInfo(table).absoluteFilePath(),
                                .reading = reading,
                                .answer = {},
                                .choices = choices};
    }
    make(table, usual, reading);
}

/// The trying begins only now: it costs time that the new experiment should not wait for.
void TableImport::reportMade(const QString& experiment)
{
    Q_EMIT made(experiment);
    if (m_toTry) {
        tryModels(experiment);
    }
}

void TableImport::tryModels(const QString& experiment)
{
    const LabelQuestion what = *std::exchange(m_toTry, std::nullopt);
    CommandLine command = this->command(what.table, what.choices, what.reading);
    command.arguments << QStringLiteral("--dry-run");
    m_trying = experiment;
    m_tryingJob = m_jobs.run(
        tr("Trying models for %1").arg(QFileInfo(what.table).fileName()), command,
        [this, experiment, table = what.table](const JobRunner::Outcome& outcome) {
            if (m_trying != experiment) {
                return; // skipped
            }
            m_trying.clear();
            m_tryingJob = 0;
            Q_EMIT tryingChanged();
            const QByteArray text = newFactsFromJson(outcome.json.object()).text;
            if (outcome.ok && !text.isEmpty()) {
                const QDir folder(QFileInfo(experiment).absolutePath());
                Q_EMIT found(experiment, withTable(text, folder.relativeFilePath(table)));
            }
        });
    Q_EMIT tryingChanged();
}

QString TableImport::triedCount() const
{
    // The engine has no field for it: the count is at the end of its progress message.
    static const QRegularExpression kCount(QStringLiteral("(\\d+) of (\\d+)$"));
    for (const Job& job : m_jobs.jobs()) {
        const QRegularExpressionMatch count = kCount.match(job.message);
        if (job.id == m_tryingJob && count.hasMatch()) {
            return tr("%1 of %2")
                .arg(formatCount(count.captured(1).toInt()),
                     formatCount(count.captured(2).toInt()));
        }
    }
    return {};
}

void TableImport::skipTrying()
{
    if (!m_trying.isEmpty()) {
        m_trying.clear();
        m_jobs.cancel(std::exchange(m_tryingJob, 0));
        Q_EMIT tryingChanged();
    }
}

QByteArray TableImport::foundText(const QString& table, const ProjectChoices& choices,
                                  const TableReading& reading) const
{
    const bool isKnown = !choices.label.isEmpty() || choices.areClusters();
    // Without a label, the question was answered with the usual model for its guess.
    const ProjectChoices usual{.label = m_question.answer.guess, .isQuick = true};
    const bool isSameChoice =
        m_question.choices == choices || (m_question.choices == ProjectChoices() &&
                                          !m_question.answer.guess.isEmpty() && choices == usual);
    const bool isSame =
        isKnown && m_question.table == table && isSameChoice && m_question.reading == reading;
    return isSame ? m_question.answer.text : QByteArray();
}

void TableImport::write(const QString& table, const ProjectChoices& choices,
                        const TableReading& reading, const QString& output)
{
    CommandLine making = command(table, choices, reading);
    making.arguments << QStringLiteral("--output") << output;
    Q_EMIT working(1);
    m_jobs.run(tr("Creating a project from %1").arg(QFileInfo(table).fileName()), making,
               [this, output](const JobRunner::Outcome& outcome) {
                   Q_EMIT working(-1);
                   if (outcome.ok) {
                       reportMade(output);
                       return;
                   }
                   m_toTry.reset();
                   // The folder was created for it; removed only if empty.
                   m_pool.start([output] { QDir().rmdir(QFileInfo(output).absolutePath()); });
                   if (!outcome.cancelled) {
                       Q_EMIT failed(outcome.sentence, outcome.error);
                   }
               });
}

} // namespace cannery::ui
