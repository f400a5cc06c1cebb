// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train_page.h"

#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/models/formats.h"
#include "ui/pages/continue_dialog.h"
#include "ui/pages/experiment_facts.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/recipe_card.h"
#include "ui/pages/train_charts.h"
#include "ui/pages/train_facts.h"
#include "ui/pages/train_inspector.h"
#include "ui/pages/train_toolbar.h"
#include "ui/services/engine_service.h"
#include "ui/services/job_runner.h"
#include "ui/services/project_session.h"
#include "ui/services/run_catalog.h"
#include "ui/services/series_store.h"
#include "ui/widgets/attention.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/fact_row.h"
#include "ui/widgets/label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/progress_bar.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/theme.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

/// No person reads numbers faster.
constexpr std::chrono::milliseconds kBetweenNumbers{250};

} // namespace

TrainPage::TrainPage(const PageContext& context, QWidget* parent)
    : Page("train", context, parent), m_stack(new QStackedWidget(this)),
      m_empty(new EmptyState(this)), m_recipe(new RecipeCard),
      m_inspector(new TrainInspector(this)), m_clock(new QTimer(this)),
      m_whole(new Attention(
          this, [this] { refreshWhole(); }, Attention::kAtOnce)),
      m_live(new Attention(
          this, [this] { refreshLive(); }, kBetweenNumbers)),
      m_cure(new QAction(this)), m_openRun(new QAction(tr("Open in Runs"), this)),
      m_resume(new QAction(tr("Resume"), this)), m_longer(new QAction(tr("Train Longer…"), this))
{
    m_inspector->hide();
    m_cure->setObjectName("action.health_cure");
    m_openRun->setObjectName("action.open_in_runs");
    m_resume->setObjectName("action.train_resume");
    m_longer->setObjectName("action.train_longer");
    makeEmptyState();
    m_stack->addWidget(makeEmptyPage(tr("Train"), m_empty));
    m_stack->addWidget(makeContent());
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    m_clock->setInterval(1000);
    connect(m_clock, &QTimer::timeout, m_live, &Attention::changed);
    connect(m_cure, &QAction::triggered, this, &TrainPage::cure);
    connect(m_openRun, &QAction::triggered, this, [this] { Q_EMIT navigate("run:" + m_run); });
    connect(m_resume, &QAction::triggered, this, [this] { session().resumeRun(m_run); });
    connectServices();
    chooseRun();
}

void TrainPage::makeEmptyState()
{
    m_empty->setObjectName("empty.train");
    m_empty->setPicture(EmptyState::Sketch::Curve, "player-play");
    m_empty->setFooter(m_recipe);
    connect(m_empty, &EmptyState::linkActivated, this, [this](const QString& link) {
        Q_EMIT navigate(link.startsWith(QLatin1String("page:")) ? link.mid(5) : link);
    });
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
    m_column = makePageColumn(content);
    m_column->setSpacing(scaled(8));
    m_progress = new ProgressBar;
    m_progress->setObjectName("progress.train");
    m_progress->setAccessibleName(tr("Steps done"));
    m_toolbar = new TrainToolbar;
    m_charts = new TrainCharts(session().series());
    m_strip = new Strip;
    m_strip->setObjectName("strip.health");
    m_strip->setDismissible(true);
    m_strip->hide();
    makeHeader(Stage::Live);
    m_column->addWidget(makeFacts());
    m_column->addWidget(m_progress);
    m_column->addWidget(m_toolbar);
    m_column->addWidget(makeScrollArea(m_charts), 1);
    m_column->addSpacing(scaled(4));
    m_column->addWidget(m_strip);
    connect(m_strip, &Strip::dismissed, this, [this] {
        const RunRow* run = row();
        m_dismissedNote = run ? healthNote(*run, stateOf(*run, session().engines().status(m_run)),
                                           session().engines().events(m_run))
                                    .id
                              : QString();
    });
    connect(m_toolbar, &TrainToolbar::optionsChanged, this,
            [this] { m_charts->setOptions(m_toolbar->options()); });
    connect(m_toolbar, &TrainToolbar::followRequested, m_charts, &TrainCharts::follow);
    connect(m_charts, &TrainCharts::followChanged, this,
            [this] { m_toolbar->setFollows(m_charts->follows()); });
    return content;
}

void TrainPage::makeHeader(Stage stage)
{
    if (m_stage == stage) {
        return;
    }
    m_stage = stage;
    if (m_header) {
        m_header->hide();
        m_header->setObjectName({});
        m_header->deleteLater();
    }
    m_header = new PageHeader({});
    m_header->setObjectName("header.train");
    m_header->setCrumb(tr("Train"));
    m_switcher = new QComboBox;
    m_switcher->setObjectName("field.run");
    m_switcher->setAccessibleName(tr("Run that is shown"));
    m_header->addWidget(m_switcher);
    m_switcher->hide();
    switch (stage) {
    case Stage::Live:
    case Stage::Paused:
        m_header->addAction(action("action.checkpoint_now"));
        m_header->addAction(action("action.pause"), Button::Kind::Plain,
                            stage == Stage::Paused ? tr("Resume") : tr("Pause"));
        m_header->addAction(action("action.stop_keep"), Button::Kind::Plain, tr("Stop and Keep"));
        break;
    case Stage::Finishing:
        m_header->addAction(action("action.stop_discard"), Button::Kind::Danger,
                            tr("Stop Without Saving"));
        break;
    case Stage::Ended:
        m_header->addAction(m_openRun);
        m_header->addAction(m_longer);
        m_header->addAction(action("action.train"), Button::Kind::Plain, tr("Train Again"));
        m_header->addAction(action("action.export_savedmodel"), Button::Kind::Primary,
                            tr("Export…"));
        break;
    case Stage::Stuck:
        m_header->addAction(m_openRun);
        m_header->addAction(m_resume, Button::Kind::Primary);
        break;
    }
    m_column->insertWidget(0, m_header);
    connect(m_header, &PageHeader::crumbActivated, this, [this] {
        m_run.clear();
        refresh();
    });
    connect(m_switcher, &QComboBox::activated, this,
            [this](int index) { showRun(m_switcher->itemData(index).toString()); });
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
    connect(&session(), &ProjectSession::runStarted, this, &TrainPage::showRun);
    connect(&session(), &ProjectSession::projectChanged, this, [this] {
        m_run.clear();
        m_charts->clear();
        m_inspector->clear();
        chooseRun();
    });
    connect(&session(), &ProjectSession::readinessChanged, this, &TrainPage::refreshEmptyState);
    connect(&session().document(), &ExperimentDocument::changed, this,
            &TrainPage::refreshEmptyState);
    connect(m_inspector, &TrainInspector::logRequested, this,
            [this] { action("action.log")->trigger(); });
    connect(m_inspector, &TrainInspector::queueStartRequested, this,
            [this](const QString& name) { queueCommand("start", name); });
    connect(m_inspector, &TrainInspector::queueRemoveRequested, this,
            [this](const QString& name) { queueCommand("remove", name); });
    connect(action("action.duplicate"), &QAction::triggered, this, [this] {
        const ProjectSnapshotPtr snapshot = session().runs().snapshot();
        if (isVisible() && !snapshot->runs.isEmpty()) {
            session().duplicateRun(m_run.isEmpty() ? snapshot->runs.first().name : m_run);
        }
    });
    const auto goOn = [this] {
        if (const RunRow* run = row()) {
            resumeOrTrainLonger(session(), *run, this);
        }
    };
    connect(m_longer, &QAction::triggered, this, goOn);
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
               ? session().resumeCommand(m_run)
               : session().trainCommand();
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
    m_dismissedNote.clear();
    session().setWatchedRuns("train", {run});
    const RunRow* known = row();
    if (known && !isLive(known->state) && session().engines().events(run).isEmpty()) {
        session().engines().readLog(run, known->folder);
    }
    refresh();
}

void TrainPage::chooseRun()
{
    const ProjectSnapshotPtr snapshot = session().runs().snapshot();
    const QStringList live = session().engines().liveRuns();
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

/// The mark in the rail follows at once, the page when it is looked at.
void TrainPage::refresh()
{
    refreshMark();
    m_whole->changed();
}

void TrainPage::refreshWhole()
{
    refreshEmptyState();
    m_stack->setCurrentIndex(m_run.isEmpty() ? 0 : 1);
    m_inspector->setQueue(session().runs().snapshot()->queue);
    if (m_run.isEmpty()) {
        m_charts->clear();
        return;
    }
    const RunRow* run = row();
    m_charts->setRun(run ? *run : RunRow{.name = m_run, .state = RunState::Preparing});
    if (run) {
        m_inspector->setRun(*run);
    }
    refreshLive();
}

void TrainPage::refreshLive()
{
    if (m_run.isEmpty()) {
        return;
    }
    const RunRow* known = row();
    const RunRow run = known ? *known : RunRow{.name = m_run, .state = RunState::Preparing};
    const std::optional<EngineStatus> status = session().engines().status(m_run);
    refreshHeader(run, status);
    const TrainFacts facts = trainFacts(run, status, QDateTime::currentDateTime());
    m_facts->setFacts(facts.facts);
    m_times->setText(facts.times);
    m_progress->setFraction(facts.fraction);
    m_progress->setMarks(facts.checkpoints);
    m_inspector->setEvents(session().engines().events(m_run));
    refreshStrip(run, status);
}

void TrainPage::refreshHeader(const RunRow& run, const std::optional<EngineStatus>& status)
{
    const RunState state = stateOf(run, status);
    const bool stuck = state == RunState::Failed || state == RunState::Interrupted;
    makeHeader(state == RunState::Finishing ? Stage::Finishing
               : state == RunState::Paused  ? Stage::Paused
               : isLive(state)              ? Stage::Live
               : stuck                      ? Stage::Stuck
                                            : Stage::Ended);
    m_header->setTitle(run.displayName());
    showState(m_header->pill(), state);
    m_header->pill().show();
    const bool says = status && !status->reason.isEmpty();
    m_header->setSentence(says ? status->reason : run.subtitle());
    refreshSwitcher();
    const ProjectSnapshotPtr snapshot = session().runs().snapshot();
    context().actions->setHindrance("action.resume_run", resumeHindrance(*snapshot, row()));
    m_longer->setText(canResume(run) ? tr("Resume") : tr("Train Longer…"));
    const QString fixed = snapshot->changeHindrance(&run);
    setHindrance(m_longer, fixed, tr("More steps from the last checkpoint"));
    m_longer->setEnabled(fixed.isEmpty() && (canResume(run) || canTrainLonger(run)));
    setHindrance(m_resume, fixed);
}

void TrainPage::refreshSwitcher()
{
    QStringList runs = session().engines().liveRuns();
    if (!runs.contains(m_run)) {
        runs.append(m_run);
    }
    QStringList shown;
    for (int i = 0; i < m_switcher->count(); ++i) {
        shown.append(m_switcher->itemData(i).toString());
    }
    if (shown != runs) {
        const QSignalBlocker blocker(m_switcher);
        m_switcher->clear();
        const ProjectSnapshotPtr snapshot = session().runs().snapshot();
        for (const QString& run : runs) {
            const RunRow* known = snapshot->find(run);
            m_switcher->addItem(known ? known->displayName() : run, run);
        }
    }
    const QSignalBlocker blocker(m_switcher);
    m_switcher->setCurrentIndex(static_cast<int>(runs.indexOf(m_run)));
    m_switcher->setVisible(runs.size() > 1);
}

void TrainPage::refreshStrip(const RunRow& run, const std::optional<EngineStatus>& status)
{
    const HealthNote note =
        healthNote(run, stateOf(run, status), session().engines().events(m_run));
    if (note.isEmpty() || note.id == m_dismissedNote) {
        m_strip->hide();
        return;
    }
    m_strip->setMessage(note.level, note.lead, note.sentence);
    m_cure->setText(note.cureText);
    m_cure->setData(static_cast<int>(note.cure));
    const bool trains = note.cure == HealthCure::Resume || note.cure == HealthCure::Retry;
    setHindrance(m_cure, trains ? session().changeHindrance() : QString());
    m_strip->setActions(note.cure == HealthCure::None ? QList<QAction*>()
                                                      : QList<QAction*>{m_cure});
    m_strip->show();
}

void TrainPage::refreshEmptyState()
{
    const bool hasProject = session().hasProject();
    const QString hindrance = session().trainHindrance();
    m_recipe->setVisible(hasProject);
    if (!hasProject) {
        m_empty->setTitle(tr("Nothing is open"));
        m_empty->setSentence(tr("Open a project or start from a sample; its curves appear here."));
        m_empty->setPrimaryAction(action("action.page_home"), tr("Go to Home"));
        m_empty->setPlainAction(action("action.open_project"));
        m_empty->setHint({});
        return;
    }
    const bool hasRuns = !session().runs().snapshot()->runs.isEmpty();
    m_empty->setTitle(tr("Nothing is training"));
    m_empty->setSentence(
        hindrance.isEmpty()
            ? tr("Curves, speed and checkpoints appear here the moment the first step is logged.")
            : hindrance);
    m_empty->setPrimaryAction(action("action.train"), tr("Train Current Recipe"));
    m_empty->setPlainAction(hasRuns ? action("action.duplicate") : nullptr,
                            tr("Duplicate Last Run"));
    const QKeySequence keys = action("action.train")->shortcut();
    m_empty->setHint(
        keys.isEmpty()
            ? QString()
            : tr("%1 trains from any page").arg(keys.toString(QKeySequence::NativeText)));
    const ExperimentFacts facts = ExperimentFacts::of(session().document().root());
    const qint64 rows = session().facts().value("train_rows").toInteger();
    m_recipe->setItems(
        {{"table", facts.trainFiles.join(QLatin1String(", ")),
          rows > 0 ? tr("%1 training rows").arg(formatCount(rows))
                   : tr("predicts %1").arg(facts.label)},
         {"columns",
          counted(facts.features.size(), tr("One feature column"), tr("%1 feature columns")),
          tr("wide %1 · deep %2")
              .arg(formatCount(facts.width(FeatureSide::Wide)),
                   formatCount(facts.width(FeatureSide::Deep)))},
         {"topology-star-3", facts.estimatorTitle, facts.className},
         {"cpu", facts.strategy,
          facts.maxSteps > 0 ? tr("%1 steps").arg(formatCount(facts.maxSteps))
                             : tr("until stopped")}});
}

void TrainPage::refreshMark()
{
    const QStringList live = session().engines().liveRuns();
    if (!session().hasProject()) {
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

void TrainPage::cure()
{
    const RunRow* run = row();
    switch (static_cast<HealthCure>(m_cure->data().toInt())) {
    case HealthCure::StopAndKeep:
        session().engines().stopAndKeep(m_run);
        break;
    case HealthCure::Resume:
        session().resumeRun(m_run);
        break;
    case HealthCure::Retry:
        session().train();
        break;
    case HealthCure::OpenFolder:
        session().showOutside(run ? run->folder : QString());
        break;
    case HealthCure::OpenLog:
        action("action.log")->trigger();
        break;
    case HealthCure::None:
        break;
    }
}

void TrainPage::queueCommand(const QString& verb, const QString& name)
{
    const CommandLine command{.arguments = {"queue", verb, name},
                              .folder = session().projectFolder()};
    session().jobs().run(
        tr("Queue"), command, [this](const JobRunner::Outcome&) { session().runs().refresh(); },
        true);
}

} // namespace cannery::ui
