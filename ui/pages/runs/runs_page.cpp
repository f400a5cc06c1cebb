// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/runs_page.h"

#include "ui/actions/action_registry.h"
#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/runs/parameter_panel.h"
#include "ui/pages/runs/run_page.h"
#include "ui/pages/runs/runs_charts.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_panel.h"
#include "ui/pages/runs/runs_readout.h"
#include "ui/pages/runs/runs_table.h"
#include "ui/pages/runs/runs_toolbar.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/scalars_export.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/split_view.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kSavingMilliseconds = 700;

} // namespace

RunsPage::RunsPage(const PageContext& context, QWidget* parent)
    : Page("runs", context, parent), m_stack(new QStackedWidget),
      m_loading(new Label(tr("Reading the runs…"), TextRole::Body, Ink::Secondary)),
      m_runPage(new RunPage(context)), m_rescan(new QAction(tr("Rescan"), this)),
      m_cancelExport(new QAction(tr("Cancel"), this)), m_export(new ScalarsExport(this)),
      m_saving(new QTimer(this)), m_throttle(new UpdateThrottle(
                                      this, [this] { refresh(); }, UpdateThrottle::kAtOnce))
{
    m_loading->setAlignment(Qt::AlignCenter);
    m_saving->setSingleShot(true);
    m_saving->setInterval(kSavingMilliseconds);
    makeEmptyState();
    m_main = makeMain();
    for (QWidget* widget : {static_cast<QWidget*>(m_empty), static_cast<QWidget*>(m_loading),
                            m_main, static_cast<QWidget*>(m_runPage)}) {
        m_stack->addWidget(widget);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);
    connectServices();
    connectList();
    connectActions();
    connectChartActions();
    connectViews();
    refresh();
}

void RunsPage::makeEmptyState()
{
    m_empty = new EmptyState;
    m_empty->setObjectName("empty.runs");
    m_empty->setPicture(EmptyState::Sketch::Curve, "chart-line");
    m_empty->setTitle(tr("No runs yet"));
    m_empty->setSentence(tr("Train a run to see it here, next to all others."));
    m_empty->setPrimaryAction(action("action.train"), tr("Train"));
    m_empty->setPlainAction(action("action.open_events"), tr("Open Event Files…"));
    m_empty->setHint(tr("Ctrl+R trains from any page"));
}

QWidget* RunsPage::makeMain()
{
    auto* content = new QWidget;
    m_header = new PageHeader(tr("Runs"));
    m_header->setObjectName("header.runs");
    m_views = new Segmented({tr("Charts"), tr("Parameters")});
    m_views->setObjectName("segmented.runs_views");
    m_views->setAccessibleName(tr("Views of the runs"));
    m_header->addWidget(m_views);
    m_header->addAction(action("action.export_scalars"), Button::Kind::Plain,
                        tr("Export Scalars…"));
    m_strip = new Strip;
    m_strip->setObjectName("strip.runs");
    m_strip->setDismissible(true);
    m_strip->hide();
    m_list = new RunsList(session().runs(), action("action.duplicate"),
                          action("action.export_savedmodel"));
    m_charts = new RunsCharts(session().series());
    // Side by side in the smallest window, also with large text.
    m_list->setMinimumWidth(std::min(scaled(280), 340));
    m_charts->setMinimumWidth(std::min(scaled(360), 480));
    m_split = new SplitView(Qt::Horizontal);
    m_split->setObjectName("split.runs");
    m_split->addWidget(m_list);
    m_split->addWidget(m_charts);
    m_split->setStretchFactor(1, 1);
    m_split->setChildrenCollapsible(false);
    m_split->setSizes({scaled(444), scaled(860)});
    auto* head = new QVBoxLayout;
    head->setContentsMargins(scaled(24), 0, scaled(24), 0);
    head->setSpacing(scaled(8));
    head->addWidget(m_header);
    head->addWidget(m_strip);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_split, 1);
    return content;
}

void RunsPage::connectServices()
{
    RunCatalog& catalog = session().runs();
    connect(&catalog, &RunCatalog::snapshotChanged, this, &RunsPage::takeSnapshot);
    connect(&catalog, &RunCatalog::failed, this,
            [this](const QString& sentence) { showProblem({}, sentence); });
    connect(&session().project(), &OpenProject::changed, this, &RunsPage::takeSnapshot);
    connect(&session().settings(), &Settings::changed, this, [this](const QString& key) {
        if (key == QLatin1String("showsHoverReadout")) {
            m_charts->setHoverReadoutShown(session().settings().showsHoverReadout());
        }
    });
    m_charts->setHoverReadoutShown(session().settings().showsHoverReadout());
    connect(m_rescan, &QAction::triggered, &catalog, &RunCatalog::rescan);
    connect(m_saving, &QTimer::timeout, this, &RunsPage::saveNow);
    connect(m_export, &ScalarsExport::progressed, this, [this](double fraction) {
        m_strip->setMessage(Strip::Level::Info, tr("Writing scalars"),
                            tr("%1 % done").arg(static_cast<int>(fraction * 100)));
        m_strip->setActions({m_cancelExport});
    });
    connect(m_cancelExport, &QAction::triggered, m_export, &ScalarsExport::cancel);
    connect(m_export, &ScalarsExport::finished, this,
            [this](const QString&, qint64, const QString& error) {
                m_strip->hide();
                if (!error.isEmpty()) {
                    showProblem(tr("The scalars were not written."), error);
                }
            });
}

void RunsPage::connectList()
{
    connect(&m_list->model(), &RunTableModel::shownChanged, this, &RunsPage::showCurves);
    connect(m_list, &RunsList::filterChanged, this, &RunsPage::showCurves);
    connect(m_list, &RunsList::stateChanged, this, &RunsPage::saveSoon);
    connect(m_list, &RunsList::selectionMoved, this, &RunsPage::updateActions);
    connect(m_list, &RunsList::openRequested, this, &RunsPage::openRun);
    connect(m_list, &RunsList::emptyTrashRequested, this, &RunsPage::confirmEmptyTrash);
    connect(&m_list->table(), &RunsTable::runHovered, m_charts, &RunsCharts::setEmphasis);
    connect(&m_list->table(), &RunsTable::menuRequested, this, &RunsPage::showMenu);
    connect(m_charts, &RunsCharts::stateChanged, this, &RunsPage::saveSoon);
    connect(m_charts, &RunsCharts::optionsChanged, this, &RunsPage::updateActions);
    connect(m_charts, &RunsCharts::csvRequested, this, &RunsPage::saveCsv);
    connect(m_charts, &RunsCharts::runHovered, m_charts, &RunsCharts::setEmphasis);
    connect(&m_charts->toolbar(), &RunsToolbar::groupChanged, this,
            [this] { m_list->setGroup(m_charts->toolbar().group().parameter); });
    connect(m_split, &QSplitter::splitterMoved, this, &RunsPage::saveSoon);
    connect(m_runPage, &RunPage::leaveRequested, this, &RunsPage::leaveRun);
    connect(m_runPage, &RunPage::stateChanged, this, &RunsPage::saveSoon);
    connect(m_runPage, &RunPage::trashRequested, this, [this](const QString& run) {
        leaveRun();
        trash({run});
    });
    connect(m_runPage, &RunPage::navigate, this, [this](const QString& target) {
        const QString page = target.section(':', 0, 0);
        for (Page* other : window()->findChildren<Page*>()) {
            if (other->id() == page && target.contains(':')) {
                other->reveal(target.section(':', 1));
            }
        }
        Q_EMIT navigate(page);
    });
    QMenu& menu = m_charts->toolbar().menu();
    for (const char* id : {"action.log_x", "action.log_y", "action.outliers", "action.next_x_axis",
                           "action.reset_zoom", "action.follow"}) {
        menu.addAction(action(id));
    }
    menu.addSeparator();
    menu.addAction(tr("Limits…"), this, [this] {
        if (ChartCard* card = m_charts->activeCard()) {
            card->perform(ChartCommand::SetLimits);
        }
    });
    menu.addAction(action("action.export_chart"));
    menu.addAction(action("action.export_scalars"));
}

/// The mark in the rail follows at once, the page when it is shown. Another folder and a requested
/// run are handled at once as well.
void RunsPage::takeSnapshot()
{
    RunCatalog& catalog = session().runs();
    const bool isOther = catalog.folder() != m_folder || (catalog.isLoaded() && !m_isRestored);
    if (isOther || !m_wanted.isEmpty()) {
        refresh();
    } else {
        updateMark();
        m_throttle->changed();
    }
}

void RunsPage::refresh()
{
    RunCatalog& catalog = session().runs();
    const ProjectSnapshotPtr snapshot = catalog.snapshot();
    if (catalog.folder() != m_folder) {
        m_folder = catalog.folder();
        beginFolder();
    }
    if (catalog.isLoaded() && !m_isRestored) {
        m_isRestored = true;
        restoreState(catalog.viewState(id()));
    }
    m_list->setSnapshot(snapshot);
    if (!snapshot->error.isEmpty()) {
        showProblem(tr("The runs cannot be read."), snapshot->error);
        m_strip->setActions({m_rescan});
    }
    showCurves();
    if (!m_wanted.isEmpty() && snapshot->find(m_wanted)) {
        const QString run = m_wanted;
        m_wanted.clear();
        openRun(run);
    }
    if (m_stack->currentWidget() == m_runPage && !m_runPage->setRun(snapshot, m_runPage->run())) {
        m_stack->setCurrentWidget(m_main);
    }
    chooseView();
    setHindrance(m_rescan, snapshot->changeHindrance());
    updateActions();
    updateMark();
}

/// Another project: forget everything of the previous one.
void RunsPage::beginFolder()
{
    m_isRestored = false;
    m_saving->stop();
    m_wanted.clear();
    m_strip->hide();
    m_list->showTrash(false);
    if (m_stack->currentWidget() == m_runPage) {
        m_stack->setCurrentWidget(m_main);
    }
}

void RunsPage::saveNow()
{
    m_saving->stop();
    // The state of one project is never written into the store of another.
    if (m_isRestored && session().runs().folder() == m_folder) {
        session().runs().setViewState(id(), saveState());
    }
}

void RunsPage::chooseView()
{
    RunCatalog& catalog = session().runs();
    const ProjectSnapshotPtr snapshot = catalog.snapshot();
    const bool isOpen = session().project().isOpen() || session().project().isEventFolder() ||
                        !catalog.folder().isEmpty();
    if (isOpen && !catalog.isLoaded()) {
        m_stack->setCurrentWidget(m_loading);
    } else if (snapshot->runs.isEmpty() && snapshot->error.isEmpty()) {
        m_stack->setCurrentWidget(m_empty);
    } else if (m_stack->currentWidget() != m_runPage) {
        m_stack->setCurrentWidget(m_main);
    }
}

void RunsPage::showCurves()
{
    QStringList shown;
    int filtered = 0;
    for (const RunRow& run : m_list->model().snapshot()->runs) {
        if (m_list->isDrawn(run)) {
            shown.append(run.name);
        } else if (!run.trashed && m_list->model().isShown(run.name)) {
            ++filtered;
        }
    }
    // Only what is drawn is loaded; a run that is hidden gives its memory back.
    const QSet<QString> watched(shown.begin(), shown.end());
    if (watched != m_watched) {
        m_watched = watched;
        session().watchList().watch(id(), watched);
    }
    m_charts->setRuns(m_list->model().snapshot(), shown, filtered);
}

void RunsPage::updateMark()
{
    int runs = 0;
    for (const RunRow& run : session().runs().snapshot()->runs) {
        runs += run.trashed ? 0 : 1;
    }
    if (runs == 0) {
        setMark({.kind = RailMark::Kind::Empty, .tip = tr("No runs yet")});
        return;
    }
    const QString words = runs == 1 ? tr("1 run") : tr("%1 runs").arg(formatCount(runs));
    setMark({.kind = RailMark::Kind::Count, .count = runs, .tip = words});
    m_header->setSentence(words);
}

void RunsPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    updateActions();
}

void RunsPage::hideEvent(QHideEvent* event)
{
    Page::hideEvent(event);
    if (m_saving->isActive()) {
        saveNow();
    }
    // Actions of the selection mean nothing on another page.
    for (const char* row : {"action.trash", "action.rename", "action.star", "action.show_hide"}) {
        context().actions->setHindrance(row, tr("Select a run on the Runs page first."));
    }
}

CommandLine RunsPage::command() const
{
    if (!session().project().isOpen()) {
        return {};
    }
    QStringList arguments{QStringLiteral("runs")};
    if (m_stack->currentWidget() == m_runPage) {
        arguments << QStringLiteral("show") << m_runPage->run();
    } else {
        arguments << QStringLiteral("list");
        if (m_list->showsTrash()) {
            arguments << QStringLiteral("--trash");
        }
    }
    return {arguments, session().project().folder()};
}

QString RunsPage::currentRun() const
{
    return m_stack->currentWidget() == m_runPage ? m_runPage->run() : m_list->table().currentRun();
}

void RunsPage::reveal(const QString& what)
{
    if (what.startsWith(QLatin1String("run:"))) {
        openRun(what.mid(4));
    } else if (what.startsWith(QLatin1String("select:"))) {
        leaveRun();
        m_list->table().selectRun(what.mid(7));
    } else {
        leaveRun();
    }
}

void RunsPage::openRun(const QString& run)
{
    if (run.isEmpty()) {
        return;
    }
    if (!m_runPage->setRun(session().runs().snapshot(), run)) {
        m_wanted = run; // the store will report it
        return;
    }
    m_list->table().selectRun(run);
    m_stack->setCurrentWidget(m_runPage);
    updateActions();
    saveSoon();
}

void RunsPage::leaveRun()
{
    if (m_stack->currentWidget() == m_runPage) {
        m_stack->setCurrentWidget(m_main);
        m_list->table().setFocus(Qt::OtherFocusReason);
        updateActions();
        saveSoon();
    }
}

void RunsPage::showProblem(const QString& lead, const QString& sentence)
{
    m_strip->setMessage(lead.isEmpty() ? Strip::Level::Warning : Strip::Level::Error, lead,
                        sentence);
    m_strip->setActions({});
}

QWidget* RunsPage::findField()
{
    return &m_list->filterField();
}

void RunsPage::saveSoon()
{
    if (m_isRestored) {
        m_saving->start();
    }
}

QByteArray RunsPage::saveState() const
{
    QJsonObject state;
    state.insert("list", m_list->saveState());
    state.insert("charts", m_charts->saveState());
    state.insert("has_parameters", action("action.compare_parameters")->isChecked());
    state.insert("run_page", m_runPage->saveState());
    if (m_stack->currentWidget() == m_runPage) {
        state.insert("run", m_runPage->run());
    }
    state.insert("split", QString::fromLatin1(m_split->saveState().toBase64()));
    return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

void RunsPage::restoreState(const QByteArray& state)
{
    const QJsonObject json = QJsonDocument::fromJson(state).object();
    m_list->restoreState(json.value("list").toObject());
    m_charts->restoreState(json.value("charts").toObject());
    action("action.compare_parameters")->setChecked(json.value("has_parameters").toBool());
    m_list->setGroup(m_charts->toolbar().group().parameter);
    m_split->restoreState(QByteArray::fromBase64(json.value("split").toString().toLatin1()));
    m_runPage->restoreState(json.value("run_page").toObject());
    const RunRow* run = session().runs().snapshot()->find(json.value("run").toString());
    // A run that was asked for meanwhile comes before the remembered one.
    if (m_wanted.isEmpty() && m_stack->currentWidget() != m_runPage && run != nullptr &&
        !run->trashed) {
        m_wanted = run->name;
    }
    // What was restored need not be saved again.
    m_saving->stop();
}

} // namespace cannery::ui
