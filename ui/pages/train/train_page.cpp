// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/train_page.h"

#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/models/formats.h"
#include "ui/pages/continue_dialog.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/train/health_strip.h"
#include "ui/pages/train/train_charts.h"
#include "ui/pages/train/train_distributions.h"
#include "ui/pages/train/train_empty_state.h"
#include "ui/pages/train/train_facts.h"
#include "ui/pages/train/train_fields.h"
#include "ui/pages/train/train_header.h"
#include "ui/pages/train/train_inspector.h"
#include "ui/pages/train/train_toolbar.h"
#include "ui/pages/train/worker_table.h"
#include "ui/pages/what_now.h"
#include "ui/services/engine_service.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/series_store.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/fact_row.h"
#include "ui/widgets/label.h"
#include "ui/widgets/progress_bar.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

/// Nobody reads numbers faster.
constexpr std::chrono::milliseconds kBetweenNumbers{250};
constexpr int kLeastHeight = 440; ///< with fixed fields above the charts

} // namespace

TrainPage::TrainPage(const PageContext& context, QWidget* parent)
    : Page("train", context, parent), m_stack(new QStackedWidget(this)),
      m_empty(new TrainEmptyState(context, this)), m_inspector(new TrainInspector(this)),
      m_clock(new QTimer(this)), m_whole(new UpdateThrottle(
                                     this, [this] { refreshWhole(); }, UpdateThrottle::kAtOnce)),
      m_live(new UpdateThrottle(
          this, [this] { refreshLive(); }, kBetweenNumbers))
{
    m_inspector->hide();
    connect(m_empty, &EmptyState::linkActivated, this, [this](const QString& link) {
        Q_EMIT navigate(link.startsWith(QLatin1String("page:")) ? link.mid(5) : link);
    });
    m_stack->addWidget(makeEmptyPage(tr("Train"), m_empty));
    m_stack->addWidget(makeContent());
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    m_clock->setInterval(1000);
    // Times go on between two reports of the engine.
    connect(m_clock, &QTimer::timeout, m_live, &UpdateThrottle::changed);
    connectServices();
    chooseRun();
}

QWidget* TrainPage::makeFacts()
{
    auto* facts = new QWidget(this);
    auto* line = new QHBoxLayout(facts);
    line->setContentsMargins(0, 0, 0, 0);
    m_facts = new FactRow;
    m_facts->setObjectName("facts.train");
    m_times = new Label({}, TextRole::Label, Ink::Secondary);
    m_times->setObjectName("label.times");
    m_times->setAlignment(Qt::AlignRight | Qt::AlignBottom);
    line->addWidget(m_facts, 1);
    line->addWidget(m_times, 0, Qt::AlignBottom);
    return facts;
}

QWidget* TrainPage::makeContent()
{
    auto* content = new QWidget(this);
    QVBoxLayout* column = makePageColumn(content);
    column->setSpacing(scaled(8));
    m_progress = new ProgressBar;
    m_progress->setObjectName("progress.train");
    m_progress->setAccessibleName(tr("Steps done"));
    m_whatNow = new WhatNow(context(), true);
    m_workers = new WorkerTable;
    m_toolbar = new TrainToolbar;
    m_charts = new TrainCharts(session().series());
    m_distributions = new TrainDistributions;
    auto* drawn = new QWidget;
    m_scrolled = new QVBoxLayout(drawn);
    m_scrolled->setContentsMargins(0, 0, 0, 0);
    m_scrolled->addWidget(m_whatNow);
    m_scrolled->addWidget(m_workers);
    m_scrolled->addWidget(m_charts, 1);
    m_scrolled->addWidget(m_distributions);
    m_strip = new HealthStrip(context());
    m_strip->setObjectName("strip.health");
    m_header = new TrainHeader(context());
    m_fields = new TrainFields(session());
    column->addWidget(m_header);
    m_head = new QWidget;
    auto* head = new QVBoxLayout(m_head);
    head->setContentsMargins(0, 0, 0, 0);
    head->setSpacing(scaled(8));
    head->addWidget(m_fields);
    head->addWidget(makeFacts());
    column->addWidget(m_head);
    m_fixed = column;
    column->addWidget(m_progress);
    column->addWidget(m_toolbar);
    column->addWidget(makeScrollArea(drawn), 1);
    column->addSpacing(scaled(4));
    column->addWidget(m_strip);
    connect(m_toolbar, &TrainToolbar::optionsChanged, this,
            [this] { m_charts->setOptions(m_toolbar->options()); });
    connect(m_toolbar, &TrainToolbar::followRequested, m_charts, &TrainCharts::follow);
    connect(m_charts, &TrainCharts::followChanged, this,
            [this] { m_toolbar->setFollows(m_charts->follows()); });
    return content;
}

/// Where large text leaves no room for both, the fields and facts scroll with the charts.
void TrainPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    QVBoxLayout* wanted = height() < scaled(kLeastHeight) ? m_scrolled : m_fixed;
    if (wanted->indexOf(m_head) < 0) {
        (wanted == m_fixed ? m_scrolled : m_fixed)->removeWidget(m_head);
        wanted->insertWidget(wanted == m_fixed ? m_fixed->indexOf(m_progress) : 0, m_head);
    }
}

void TrainPage::connectServices()
{
    EngineService& engines = session().engines();
    connect(&engines, &EngineService::liveRunsChanged, this, &TrainPage::chooseRun);
    connect(&engines, &EngineService::statusChanged, this, [this](const QString& run) {
        if (run == m_run) {
            m_live->changed();
        }
        refreshMark();
    });
    const auto logChanged = [this](const QString& run) {
        if (run == m_run) {
            m_live->changed();
        }
    };
    connect(&engines, &EngineService::logChanged, this, logChanged);
    connect(&engines, &EngineService::logged, this, logChanged);
    connect(&engines, &EngineService::ended, this, &TrainPage::refresh);
    connect(&session().runs(), &RunCatalog::snapshotChanged, this, &TrainPage::chooseRun);
    connect(&session().engines(), &EngineService::started, this, &TrainPage::showRun);
    connect(&session().project(), &OpenProject::changed, this, [this] {
        m_run.clear();
        m_charts->clear();
        m_distributions->clear();
        m_inspector->clear();
        chooseRun();
    });
    connect(&session().starter(), &RunStarter::readinessChanged, m_empty,
            &TrainEmptyState::refresh);
    connect(&session().document(), &ExperimentDocument::changed, m_empty,
            &TrainEmptyState::refresh);
    connect(&session().document(), &ExperimentDocument::changed, this, &TrainPage::refreshFields);
    connect(m_inspector, &TrainInspector::logRequested, this,
            [this] { action("action.log")->trigger(); });
    connect(m_inspector, &TrainInspector::queueStartRequested, this,
            [this](const QString& name) { queueCommand("start", name); });
    connect(m_inspector, &TrainInspector::queueRemoveRequested, this,
            [this](const QString& name) { queueCommand("remove", name); });
    connect(action("action.duplicate"), &QAction::triggered, this, [this] {
        const QList<RunRow> runs = session().runs().snapshot()->runs;
        if (isVisible() && !runs.isEmpty()) {
            session().experiments().duplicateRun(m_run.isEmpty() ? runs.first().name : m_run);
        }
    });
    const auto goOn = [this] {
        if (const RunRow* run = row()) {
            resumeOrTrainLonger(session(), *run, this);
        }
    };
    connect(m_header, &TrainHeader::continueRequested, this, goOn);
    connect(m_header, &TrainHeader::openRequested, this,
            [this](const QString& run) { Q_EMIT navigate("run:" + run); });
    connect(m_header, &TrainHeader::runChosen, this, &TrainPage::showRun);
    connect(m_header, &TrainHeader::crumbActivated, this, [this] {
        m_run.clear();
        refresh();
    });
    connect(action("action.resume_run"), &QAction::triggered, this, [this, goOn] {
        if (isVisible()) {
            goOn();
        }
    });
}

QWidget* TrainPage::inspector()
{
    return m_inspector;
}

CommandLine TrainPage::command() const
{
    const RunRow* run = row();
    return run && (run->state == RunState::Interrupted || run->state == RunState::Failed)
               ? session().starter().commands().resume(m_run)
               : session().starter().commands().train();
}

void TrainPage::reveal(const QString& what)
{
    if (what.startsWith(QLatin1String("run:"))) {
        showRun(what.mid(4));
    }
}

QByteArray TrainPage::saveState() const
{
    const QJsonObject state{{"run", m_run}, {"options", toJson(m_toolbar->options())}};
    return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

void TrainPage::restoreState(const QByteArray& state)
{
    const QJsonObject json = QJsonDocument::fromJson(state).object();
    m_toolbar->setOptions(chartOptionsFromJson(json.value("options").toObject()));
    m_charts->setOptions(m_toolbar->options());
    const QString run = json.value("run").toString();
    if (m_run.isEmpty() && session().runs().snapshot()->find(run)) {
        showRun(run);
    }
}

void TrainPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_clock->start();
    refresh();
}

void TrainPage::hideEvent(QHideEvent* event)
{
    Page::hideEvent(event);
    m_clock->stop();
}

const RunRow* TrainPage::row() const
{
    return session().runs().snapshot()->find(m_run);
}

void TrainPage::showRun(const QString& run)
{
    m_run = run;
    m_strip->forgetDismissal();
    session().watchList().watch("train", {run});
    const RunRow* known = row();
    // The log of a live run comes from its engine.
    if (known && !isLive(known->state) && session().engines().events(run).isEmpty()) {
        session().engines().readLog(run, known->folder);
    }
    refresh();
}

void TrainPage::chooseRun()
{
    const ProjectSnapshotPtr snapshot = session().runs().snapshot();
    const QStringList live = session().engines().liveRuns();
    // Only if none is chosen: a run that starts must not take the place of the one that is looked
    // at.
    if (m_run.isEmpty() && !live.isEmpty()) {
        showRun(live.last());
        return;
    }
    if (m_run.isEmpty() && !snapshot->runs.isEmpty()) {
        const RunRow& newest = snapshot->runs.first();
        if (newest.state == RunState::Interrupted || newest.state == RunState::Failed) {
            showRun(newest.name);
            return;
        }
    }
    refresh();
}

/// The mark in the rail follows at once, the page when it is shown.
void TrainPage::refresh()
{
    refreshMark();
    m_whole->changed();
}

void TrainPage::refreshWhole()
{
    m_empty->refresh();
    m_stack->setCurrentIndex(m_run.isEmpty() ? 0 : 1);
    refreshFields();
    m_inspector->setQueue(session().runs().snapshot()->queue);
    if (m_run.isEmpty()) {
        m_charts->clear();
        m_distributions->clear();
        return;
    }
    const RunRow* run = row();
    // A run that has just begun may not be in the catalog yet.
    m_charts->setRun(run ? *run : RunRow{.name = m_run, .state = RunState::Preparing});
    if (run) {
        m_distributions->setRun(*run);
        m_inspector->setRun(*run);
    } else {
        m_distributions->clear();
    }
    refreshLive();
}

/// Of the next run; not while one trains.
void TrainPage::refreshFields()
{
    const RunRow* run = row();
    const bool trains = run == nullptr || isLive(run->state);
    m_fields->setVisible(session().document().isOpen() && !session().project().isReadOnly() &&
                         !trains);
    m_fields->refresh();
}

void TrainPage::refreshLive()
{
    if (m_run.isEmpty()) {
        return;
    }
    const RunRow* known = row();
    const RunRow run = known ? *known : RunRow{.name = m_run, .state = RunState::Preparing};
    const std::optional<EngineStatus> status = session().engines().status(m_run);
    m_header->showRun(run, status);
    const TrainFacts facts = trainFacts(run, status, QDateTime::currentDateTime());
    m_facts->setFacts(facts.facts);
    m_times->setText(facts.times);
    m_progress->setFraction(facts.fraction);
    m_progress->setMarks(facts.checkpoints);
    m_workers->setWorkers(status ? status->workers : QList<WorkerRow>());
    m_inspector->setEvents(session().engines().events(m_run));
    m_whatNow->showRun(run, stateOf(run, status));
    m_strip->showRun(run, status);
}

void TrainPage::refreshMark()
{
    const QStringList live = session().engines().liveRuns();
    if (!session().project().isOpen()) {
        setMark({.kind = RailMark::Kind::Empty, .tip = tr("Nothing is open.")});
        return;
    }
    if (live.isEmpty()) {
        const RunRow* run = row();
        const bool failed = run && run->state == RunState::Failed;
        const bool stuck = failed || (run && run->state == RunState::Interrupted);
        setMark(stuck ? RailMark{.kind = failed ? RailMark::Kind::Error : RailMark::Kind::Warning,
                                 .tip = failed ? tr("%1 failed.").arg(m_run)
                                               : tr("%1 was interrupted.").arg(m_run)}
                      : RailMark{});
        return;
    }
    const QString run = live.contains(m_run) ? m_run : live.last();
    const std::optional<EngineStatus> status = session().engines().status(run);
    const double share =
        status && status->maxSteps && *status->maxSteps > 0
            ? static_cast<double>(status->globalStep) / static_cast<double>(*status->maxSteps)
            : 0;
    setMark({.kind = RailMark::Kind::Working,
             .progress = share,
             .tip = status ? tr("%1, step %2").arg(run, formatCount(status->globalStep))
                           : tr("%1 is starting.").arg(run)});
}

void TrainPage::queueCommand(const QString& verb, const QString& name)
{
    const CommandLine command{.arguments = {"queue", verb, name},
                              .folder = session().project().folder()};
    session().jobs().run(
        tr("Queue"), command, [this](const JobRunner::Outcome&) { session().runs().refresh(); },
        true);
}

} // namespace cannery::ui
