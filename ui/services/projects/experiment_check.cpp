// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/experiment_check.h"

#include "ui/document/background.h"
#include "ui/document/checked_problems.h"
#include "ui/document/experiment_document.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/data_files_check.h"

#include <QGuiApplication>
#include <QThreadPool>

#include <utility>

namespace cannery::ui {
namespace {

const auto kJson = QStringLiteral("--json");
constexpr int kLookAgainMs = 2000;
constexpr int kWhileTypingMs = 300;

} // namespace

ExperimentCheck::ExperimentCheck(ExperimentDocument& document, JobRunner& jobs, QThreadPool& pool,
                                 QObject* parent)
    : QObject(parent), m_document(document), m_jobs(jobs), m_pool(pool)
{
    m_lookAgain.setSingleShot(true);
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &ExperimentCheck::check);
    m_lookAtData.start(kLookAgainMs);
    connect(&m_lookAtData, &QTimer::timeout, this, &ExperimentCheck::lookAtData);
    connect(&m_lookAgain, &QTimer::timeout, this, &ExperimentCheck::check);
}

void ExperimentCheck::setFolder(const QString& folder)
{
    m_folder = folder;
    m_facts = {};
}

void ExperimentCheck::checkSoon()
{
    m_soon.start(kWhileTypingMs);
}

/// Missing data files are detected here, everything else by `cannery check`.
void ExperimentCheck::check()
{
    if (!m_document.isOpen() || m_document.storage().isSaving()) {
        return;
    }
    const QString file = m_document.file();
    const quint64 revision = m_document.revision();
    inBackground(
        m_pool, this,
        [files = dataFilesOf(m_document), file] { return missingDataFiles(files, file); },
        [this, file, revision](const QList<ProblemRow>& missing) {
            // Edited or closed meanwhile: another check follows.
            if (file != m_document.file() || revision != m_document.revision()) {
                return;
            }
            if (!missing.isEmpty()) {
                // They may come back.
                m_document.problems().setChecked(revision, missing);
                m_lookAgain.start(kLookAgainMs);
            } else {
                runCheck(file, revision);
            }
        });
}

/// Notices, while the window is in front, that a table was deleted, restored or repaired.
void ExperimentCheck::lookAtData()
{
    if (!m_document.isOpen() || m_document.isLoading() || m_isLooking ||
        QGuiApplication::applicationState() != Qt::ApplicationActive) {
        return;
    }
    m_isLooking = true;
    const QString file = m_document.file();
    inBackground(
        m_pool, this,
        [files = readFilesOf(m_document), file] {
            return std::pair(dataFilesState(files, file), files.size());
        },
        [this, file](const std::pair<QByteArray, qsizetype>& state) {
            m_isLooking = false;
            const QByteArray now = file.toUtf8() + '\n' + state.first;
            const QByteArray before = std::exchange(m_dataState, now);
            // Another experiment, or other file names in it, are checked anyway.
            if (before != now && before.count('\n') == now.count('\n') &&
                before.startsWith(file.toUtf8() + '\n') && file == m_document.file()) {
                check();
                Q_EMIT dataFilesChanged();
            }
            Q_EMIT dataFilesLooked();
        });
}

void ExperimentCheck::runCheck(const QString& file, quint64 revision)
{
    m_jobs.cancel(m_check);
    m_check = m_jobs.run(
        tr("Checking"), {{QStringLiteral("check"), file}, m_folder, {kJson}},
        [this, file, revision](const JobRunner::Outcome& outcome) {
            if (outcome.cancelled || file != m_document.file() || !outcome.json.isObject()) {
                return;
            }
            m_document.problems().setChecked(revision, checkedProblems(outcome.json.object()));
            m_facts = outcome.json.object().value(QStringLiteral("facts")).toObject();
        },
        true);
}

} // namespace cannery::ui
