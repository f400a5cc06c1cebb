// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/run_starter.h"

#include "ui/document/experiment_document.h"
#include "ui/models/markup.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/services/engine_service.h"
#include "ui/services/projects/experiment_cluster.h"
#include "ui/services/projects/open_project.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/table_import.h"

#include <QFileInfo>

#include <algorithm>
#include <memory>

namespace cannery::ui {
namespace {

QString linkTo(const QString& page)
{
    const QString name = page == QLatin1String("data")       ? RunStarter::tr("Data page")
                         : page == QLatin1String("features") ? RunStarter::tr("Features page")
                         : page == QLatin1String("train")    ? RunStarter::tr("Train page")
                         : page == QLatin1String("home")     ? RunStarter::tr("Home page")
                                                             : RunStarter::tr("Model page");
    return QStringLiteral("<a href=\"page:%1\">%2</a>").arg(page, name);
}

} // namespace

RunStarter::RunStarter(const TrainingParts& parts, QObject* parent)
    : QObject(parent), m_parts(parts), m_commands(parts.project, parts.document, parts.runs,
                                                  parts.cluster, parts.settings, parts.engines)
{}

/// The order is that of the cures: what is asked for first must be done before the rest can be.
QString RunStarter::hindrance() const
{
    if (const QString project = projectHindrance(); !project.isEmpty()) {
        return project;
    }
    if (const QString document = documentHindrance(); !document.isEmpty()) {
        return document;
    }
    if (const QString elsewhere = clusterHindrance(); !elsewhere.isEmpty()) {
        return elsewhere;
    }
    if (m_parts.tables.trying() == m_parts.document.file()) {
        return tr("Models are being tried for this table: wait, or skip that above the page.");
    }
    if (m_parts.engines.isStarting()) {
        return tr("A run is starting.");
    }
    const QString live = liveRun();
    return live.isEmpty() ? QString()
                          : tr("This experiment is training: stop %1 on the %2, or put "
                               "another run in the queue.")
                                .arg(live.toHtmlEscaped(), linkTo(QStringLiteral("train")));
}

QString RunStarter::projectHindrance() const
{
    const OpenProject& project = m_parts.project;
    const QString home = linkTo(QStringLiteral("home"));
    if (project.isOpening()) {
        return tr("Another project is being opened.");
    }
    if (project.isEventFolder()) {
        return tr("These curves are from another program; open a project on the %1 to train.")
            .arg(home);
    }
    if (!m_parts.document.isOpen()) {
        return tr("Open a project, a table or a sample on the %1.").arg(home);
    }
    if (m_parts.document.isLoading()) {
        return tr("The experiment is being read.");
    }
    return project.isReadOnly()
               ? tr("%1 Open that on the %2.").arg(project.changeHindrance().toHtmlEscaped(), home)
               : QString();
}

QString RunStarter::documentHindrance() const
{
    const ExperimentDocument& document = m_parts.document;
    const QString fileName = QFileInfo(document.file()).fileName().toHtmlEscaped();
    if (document.storage().standing() == Standing::BothChanged) {
        return tr("Another program changed %1, too: choose a version above the page.")
            .arg(fileName);
    }
    if (document.storage().standing() == Standing::Gone) {
        return tr("%1 was deleted or moved by another program: save it again.").arg(fileName);
    }
    if (!document.storage().problem().isEmpty()) {
        return tr("The experiment is not saved: %1")
            .arg(document.storage().problem().toHtmlEscaped());
    }
    return firstError();
}

/// Tasks of other machines are started there.
QString RunStarter::clusterHindrance() const
{
    const ClusterTasks tasks = m_parts.cluster.tasks();
    if (const QString problem = tasks.problem(); !problem.isEmpty()) {
        return tr("%1 See the %2.").arg(problem.toHtmlEscaped(), linkTo(QStringLiteral("model")));
    }
    return tasks.isEmpty() || tasks.isOnThisMachine()
               ? QString()
               : tr("Tasks of the cluster are on other machines: start each there with its "
                    "TF_CONFIG, or give all addresses of this machine, on the %1.")
                     .arg(linkTo(QStringLiteral("model")));
}

QString RunStarter::firstError() const
{
    const QList<ProblemRow>& problems = m_parts.document.problems().all();
    const auto error = std::find_if(problems.begin(), problems.end(), [](const ProblemRow& row) {
        return row.level == ProblemRow::Level::Error;
    });
    if (error == problems.end()) {
        return {};
    }
    // Without a label nearly everything else is wrong as well: it is asked for first.
    const bool isLabel = std::any_of(problems.begin(), problems.end(), [](const ProblemRow& row) {
        return row.path == QLatin1String("data.label") && row.level == ProblemRow::Level::Error;
    });
    if (isLabel) {
        return tr("Choose a label column on the %1.").arg(linkTo(QStringLiteral("data")));
    }
    return tr("%1 See the %2.").arg(error->sentence.toHtmlEscaped(), linkTo(error->page));
}

/// An edit made a moment ago may be on its way to the file, which is what a run reads.
void RunStarter::trainOnceSettled()
{
    ExperimentDocument& document = m_parts.document;
    auto* wait = new QObject(this);
    // Both signals may be queued before the first one is handled.
    const auto look = [this, wait, &document, isDone = std::make_shared<bool>(false)] {
        if (!*isDone && document.isSettled()) {
            *isDone = true;
            wait->deleteLater();
            train();
        }
    };
    connect(&document, &ExperimentDocument::saved, wait, look, Qt::QueuedConnection);
    connect(&document, &ExperimentDocument::changed, wait, look, Qt::QueuedConnection);
    connect(&document, &ExperimentDocument::failed, wait, &QObject::deleteLater);
}

void RunStarter::train()
{
    const ExperimentDocument& document = m_parts.document;
    // If it cannot be saved, there is nothing to wait for, and hindrance() has the reason.
    if (document.isOpen() && !document.isSettled() && document.storage().problem().isEmpty()) {
        trainOnceSettled();
        return;
    }
    const QString why = hindrance();
    if (why.isEmpty()) {
        start(m_commands.train());
    } else {
        Q_EMIT failed(plainOf(why));
    }
}

void RunStarter::start(const CommandLine& training)
{
    if (m_parts.project.isReadOnly()) {
        Q_EMIT failed(m_parts.project.changeHindrance());
    } else if (!training.isEmpty()) {
        m_parts.engines.start(training);
    }
}

void RunStarter::resume(const QString& run)
{
    start(m_commands.resume(run));
}

/// A live run that is not in the snapshot yet was just started, most likely here.
QString RunStarter::liveRun() const
{
    const ProjectSnapshotPtr snapshot = m_parts.runs.snapshot();
    const QStringList live = m_parts.engines.liveRuns();
    for (const QString& run : live) {
        const RunRow* row = snapshot->find(run);
        if (row == nullptr || row->experimentFile == m_parts.document.file()) {
            return run;
        }
    }
    return {};
}

/// Nearly every signal of the project leads here, most of them without a consequence: the pages
/// are notified only if there is one.
void RunStarter::refresh()
{
    const QString why = hindrance();
    const CommandLine command = m_commands.train();
    if (why != m_hindrance || !(command == m_command)) {
        m_hindrance = why;
        m_command = command;
        Q_EMIT readinessChanged();
    }
}

} // namespace cannery::ui
