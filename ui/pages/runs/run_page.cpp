// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/run_page.h"

#include "ui/actions/action_registry.h"
#include "ui/models/formats.h"
#include "ui/pages/continue_dialog.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/runs/log_lines.h"
#include "ui/pages/runs/run_checkpoints.h"
#include "ui/pages/runs/run_experiment.h"
#include "ui/pages/runs/run_inspect.h"
#include "ui/pages/runs/run_overview.h"
#include "ui/pages/runs/runs_panel.h"
#include "ui/pages/train/health_strip.h"
#include "ui/pages/train/train_facts.h"
#include "ui/services/engine_service.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/run_files.h"
#include "ui/widgets/button.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

/// The views in saved states, by RunPage::View.
const QStringList kRunViewNames{QStringLiteral("overview"), QStringLiteral("inspect"),
                                QStringLiteral("experiment"), QStringLiteral("checkpoints"),
                                QStringLiteral("log")};

} // namespace

RunPage::RunPage(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_header(new PageHeader({})),
      m_banner(new HealthStrip(context)),
      m_views(new Segmented(
          {tr("Overview"), tr("Inspect"), tr("Experiment"), tr("Checkpoints"), tr("Log")})),
      m_stack(new QStackedWidget), m_overview(new RunOverview(context)),
      m_inspect(new RunInspect(context.session->jobs())), m_experiment(new RunExperiment),
      m_checkpoints(new RunCheckpoints), m_log(new LogLines(context.session->engines()))
{
    setObjectName("run_page");
    makeActions();
    m_header->setCrumb(tr("Runs"));
    m_header->setObjectName("header.run");
    m_views->setObjectName("segmented.run_views");
    m_views->setAccessibleName(tr("Run views"));
    m_banner->setDismissible(false);
    m_banner->hide();
    m_stack->addWidget(makeScrollArea(m_overview));
    m_stack->addWidget(m_inspect);
    m_stack->addWidget(m_experiment);
    m_stack->addWidget(m_checkpoints);
    m_stack->addWidget(m_log);
    auto* viewRow = new QHBoxLayout;
    viewRow->addWidget(m_views);
    viewRow->addStretch(1);
    auto* inner = new QVBoxLayout;
    inner->setContentsMargins(scaled(24), 0, scaled(24), scaled(16));
    inner->setSpacing(scaled(12));
    inner->addWidget(m_header);
    inner->addWidget(m_banner);
    inner->addLayout(viewRow);
    inner->addWidget(m_stack, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(inner, 1);

    connect(m_header, &PageHeader::crumbActivated, this, &RunPage::leaveRequested);
    connect(m_views, &Segmented::currentChanged, this, [this](int view) {
        m_stack->setCurrentIndex(view);
        showView();
    });
    connect(m_views, &Segmented::currentChanged, this, &RunPage::stateChanged);
    connect(m_inspect, &RunInspect::stateChanged, this, &RunPage::stateChanged);
    connect(m_inspect, &RunInspect::fileOpened, m_context.session, &ProjectSession::showOutside);
    connect(m_checkpoints, &RunCheckpoints::exportRequested, this, [this](qint64 step) {
        Q_EMIT navigate(QStringLiteral("export:run:%1@%2").arg(m_run.name).arg(step));
    });
    connect(m_checkpoints, &RunCheckpoints::startRequested, this, [this](qint64 step) {
        ProjectSession& session = *m_context.session;
        session.starter().start(session.starter().commands().warmStart(m_run.name, step));
    });
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] {
        if (!m_run.name.isEmpty()) {
            showBanner(); // its text contains a colour
        }
    });
}

void RunPage::makeActions()
{
    const auto make = [this](const char* name, const char* icon, const QString& text,
                             const QString& tip) {
        auto* action = new QAction(text, this);
        action->setObjectName(QString::fromLatin1(name));
        action->setToolTip(tip);
        action->setProperty("icon_name", QString::fromLatin1(icon));
        return action;
    };
    m_duplicate = m_context.actions->find("action.duplicate");
    m_export = m_context.actions->find("action.export_savedmodel");
    m_resume = make("action.run_resume", "player-play", tr("Resume"),
                    tr("Continue from the last checkpoint"));
    m_continue = make("action.run_continue", "player-play", tr("Train Longer…"),
                      tr("Train more steps from the last checkpoint"));
    m_trash = make("action.run_trash", "trash", tr("Move to Trash"), tr("Can be undone"));
    m_rescan = make("action.run_rescan", "refresh", tr("Rebuild From Event Files"),
                    tr("Reads the run folders again"));
    connect(m_resume, &QAction::triggered, this,
            [this] { m_context.session->starter().resume(m_run.name); });
    connect(m_continue, &QAction::triggered, this,
            [this] { askToTrainLonger(*m_context.session, m_run, this); });
    connect(m_trash, &QAction::triggered, this, [this] { Q_EMIT trashRequested(m_run.name); });
    connect(m_rescan, &QAction::triggered, this, [this] { m_context.session->runs().rescan(); });
    m_header->addAction(m_trash, Button::Kind::Quiet);
    m_header->addAction(m_continue);
    m_header->addAction(m_duplicate, Button::Kind::Plain, tr("Duplicate and Edit"));
    m_header->addAction(m_export, Button::Kind::Primary, tr("Export…"));
}

bool RunPage::setRun(const ProjectSnapshotPtr& snapshot, const QString& run)
{
    const RunRow* row = snapshot->find(run);
    if (!row) {
        return false;
    }
    const bool isNew = row->name != m_run.name;
    m_snapshot = snapshot;
    m_run = *row;
    showHeader();
    showBanner();
    showView();
    // Each snapshot comes here. The files of a run are read once.
    if (isNew) {
        m_experiment->setText({}, {});
        m_overview->clearFiles();
        readFiles();
        m_log->setRun(m_run.name, m_run.folder);
    }
    return true;
}

void RunPage::setView(View view)
{
    m_views->setCurrentIndex(view);
    m_stack->setCurrentIndex(view);
    showView();
}

QJsonObject RunPage::saveState() const
{
    return {{"view", kRunViewNames[m_stack->currentIndex()]}, {"inspect", m_inspect->saveState()}};
}

void RunPage::restoreState(const QJsonObject& state)
{
    const qsizetype view = kRunViewNames.indexOf(state.value("view").toString());
    setView(view < 0 ? Overview : View(view));
    m_inspect->restoreState(state.value("inspect").toObject());
}

/// Updates the visible view; the others are updated when they are shown.
void RunPage::showView()
{
    if (!m_snapshot) {
        return;
    }
    switch (m_stack->currentIndex()) {
    case Overview:
        m_overview->showRun(*m_snapshot, m_run);
        break;
    case Inspect:
        m_inspect->showRun(m_run);
        break;
    case Experiment:
        m_experiment->showRun(m_snapshot, m_run);
        break;
    case Checkpoints:
        m_checkpoints->showRun(*m_snapshot, m_run);
        break;
    default:
        break; // the log listens itself
    }
}

void RunPage::showHeader()
{
    m_header->setTitle(m_run.displayName());
    m_header->setSentence(runFacts(m_run));
    m_header->pill().setVisible(!m_run.isForeign);
    showState(m_header->pill(), m_run.state);
    // A run that has failed without a checkpoint has nothing to resume from.
    m_resume->setText(m_run.state == RunState::Failed && m_run.checkpoints.isEmpty()
                          ? tr("Retry")
                          : tr("Resume"));
    const QString fixed = m_snapshot->changeHindrance(&m_run);
    setHindrance(m_resume, fixed, tr("Continue from the last checkpoint"));
    m_resume->setEnabled(fixed.isEmpty() && canResume(m_run));
    setHindrance(m_continue, fixed, tr("Train more steps from the last checkpoint"));
    setHindrance(m_trash, fixed, tr("Can be undone"));
    setHindrance(m_rescan, fixed, tr("Reads the run folders again"));
    m_continue->setVisible(canTrainLonger(m_run));
    m_trash->setVisible(!m_run.isForeign && !isLive(m_run.state) && !m_run.trashed);
}

void RunPage::showBanner()
{
    const HealthNote note =
        healthNote(m_run, m_run.state, m_context.session->engines().events(m_run.name));
    const bool hasCure = note.cure != HealthCure::None && note.cure != HealthCure::Resume &&
                         note.cure != HealthCure::Retry;
    // A note with a cure of its own is more useful than the state.
    if (m_run.error.isEmpty() && !isLive(m_run.state) && hasCure) {
        m_banner->showRun(m_run, {});
    } else if (!m_run.error.isEmpty()) {
        m_banner->setMessage(Strip::Level::Error, tr("This run cannot be read."), m_run.error);
        m_banner->setActions({m_rescan});
    } else if (m_run.state == RunState::Failed) {
        m_banner->setMessage(Strip::Level::Error, tr("Failed."), m_run.reason);
        m_banner->setActions({m_resume});
    } else if (m_run.state == RunState::Interrupted) {
        m_banner->setMessage(
            Strip::Level::Warning, tr("Interrupted."),
            m_run.checkpoints.isEmpty()
                ? tr("The engine ended before the first checkpoint; Resume starts over.")
                : tr("The engine ended at step %1; Resume continues from checkpoint %2.")
                      .arg(formatCount(m_run.globalStep),
                           formatCount(m_run.checkpoints.last().step)));
        m_banner->setActions({m_resume});
    } else {
        m_banner->hide();
    }
}

void RunPage::readFiles()
{
    const quint64 reading = ++m_reading;
    readRunFiles(m_run.folder, this, [this, reading](const RunFilesRead& files) {
        if (reading != m_reading) {
            return; // another run is shown by now
        }
        m_experiment->setText(files.experiment.isEmpty() ? tr("This run has no frozen experiment.")
                                                         : files.experiment,
                              files.problems);
        m_overview->showFiles(m_run.folder, files);
    });
}

} // namespace cannery::ui
