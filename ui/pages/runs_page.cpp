#include "ui/pages/runs_page.h"

#include "ui/actions/action_registry.h"
#include "ui/models/formats.h"
#include "ui/pages/run_page.h"
#include "ui/pages/runs_charts.h"
#include "ui/pages/runs_list.h"
#include "ui/pages/runs_panel.h"
#include "ui/pages/runs_readout.h"
#include "ui/pages/runs_table.h"
#include "ui/pages/runs_toolbar.h"
#include "ui/services/project_session.h"
#include "ui/services/run_catalog.h"
#include "ui/services/scalars_export.h"
#include "ui/services/settings.h"
#include "ui/widgets/button.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/split_view.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/toaster.h"

#include <QAction>
#include <QFileDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QSaveFile>
#include <QStackedWidget>
#include <QThreadPool>
#include <QTimer>
#include <QVBoxLayout>

#include <array>

namespace cannery::ui {
namespace {

constexpr int kSavingMilliseconds = 700;

struct ChartAction
{
    const char* id;
    ChartCommand command;
};

constexpr std::array kChartActions{
    ChartAction{"action.log_x", ChartCommand::LogX},
    ChartAction{"action.log_y", ChartCommand::LogY},
    ChartAction{"action.outliers", ChartCommand::Outliers},
    ChartAction{"action.next_x_axis", ChartCommand::NextXAxis},
    ChartAction{"action.more_smoothing", ChartCommand::MoreSmoothing},
    ChartAction{"action.less_smoothing", ChartCommand::LessSmoothing},
    ChartAction{"action.reset_zoom", ChartCommand::ResetZoom},
    ChartAction{"action.follow", ChartCommand::Follow},
    ChartAction{"action.export_chart", ChartCommand::SaveAs},
    ChartAction{"action.copy_chart", ChartCommand::CopyImage}};

} // namespace

RunsPage::RunsPage(const PageContext& context, QWidget* parent)
    : Page("runs", context, parent), m_stack(new QStackedWidget),
      m_loading(new Label(tr("Reading the runs…"), TextRole::Body, Ink::Secondary)),
      m_runPage(new RunPage(context)), m_rescan(new QAction(tr("Rescan"), this)),
      m_cancelExport(new QAction(tr("Cancel"), this)), m_export(new ScalarsExport(this)),
      m_saving(new QTimer(this))
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
    refresh();
}

void RunsPage::makeEmptyState()
{
    m_empty = new EmptyState;
    m_empty->setObjectName("empty.runs");
    m_empty->setPicture(EmptyState::Sketch::Curve, "chart-line");
    m_empty->setTitle(tr("No runs yet"));
    m_empty->setSentence(tr("Finish a run to see it here, beside every other one."));
    m_empty->setPrimaryAction(action("action.train"), tr("Train"));
    m_empty->setPlainAction(action("action.open_events"), tr("Open Event Files…"));
    m_empty->setHint(tr("Ctrl+R trains from any page"));
}

QWidget* RunsPage::makeMain()
{
    auto* content = new QWidget;
    m_header = new PageHeader(tr("Runs"));
    m_header->setObjectName("header.runs");
    m_header->addAction(action("action.export_scalars"), Button::Kind::Plain,
                        tr("Export Scalars…"));
    m_strip = new Strip;
    m_strip->setObjectName("strip.runs");
    m_strip->setDismissible(true);
    m_strip->hide();
    m_list = new RunsList(session().runs(), action("action.duplicate"),
                          action("action.export_savedmodel"));
    m_charts = new RunsCharts(session().series());
    m_list->setMinimumWidth(scaled(280));
    m_charts->setMinimumWidth(scaled(360));
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
    connect(&catalog, &RunCatalog::snapshotChanged, this, &RunsPage::refresh);
    connect(&catalog, &RunCatalog::failed, this,
            [this](const QString& sentence) { tellProblem({}, sentence); });
    connect(&session(), &ProjectSession::projectChanged, this, &RunsPage::refresh);
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
                    tellProblem(tr("The scalars were not written."), error);
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

/// Actions of the window mean the selected runs while this page is shown.
void RunsPage::connectActions()
{
    const auto on = [this](const char* id, auto function) {
        connect(action(id), &QAction::triggered, this, [this, function] {
            if (isVisible()) {
                function();
            }
        });
    };
    on("action.trash", [this] {
        if (!m_list->showsTrash()) {
            trash(chosenRuns());
        }
    });
    on("action.rename", [this] {
        if (m_stack->currentWidget() == m_main) {
            m_list->table().editCurrentName();
        }
    });
    on("action.star", [this] {
        const QStringList runs = chosenRuns();
        const RunRow* first =
            runs.isEmpty() ? nullptr : session().runs().snapshot()->find(runs.front());
        const bool star = first && !first->starred;
        for (const QString& run : runs) {
            session().runs().setStar(run, star);
        }
    });
    on("action.show_hide", [this] {
        const QStringList runs = chosenRuns();
        if (!runs.isEmpty()) {
            m_list->model().setShown(runs, !m_list->model().isShown(runs.front()));
        }
    });
    on("action.duplicate", [this] { session().duplicateRun(currentRun()); });
    on("action.export_scalars", [this] { exportScalars(); });
    on("action.filter", [this] { findField()->setFocus(Qt::ShortcutFocusReason); });
    for (const char* id : {"action.star", "action.show_hide"}) {
        m_list->table().addAction(action(id));
    }
}

void RunsPage::connectChartActions()
{
    for (const ChartAction& row : kChartActions) {
        connect(action(row.id), &QAction::triggered, this, [this, row] {
            if (isVisible() && m_stack->currentWidget() == m_main) {
                m_charts->perform(row.command);
                updateActions();
            }
        });
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
        tellProblem(tr("The runs cannot be read."), snapshot->error);
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
    updateActions();
    updateMark();
}

/// Another project: nothing of the one before stays.
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
    if (m_isRestored && session().runs().folder() == m_folder) {
        session().runs().setViewState(id(), saveState());
    }
}

void RunsPage::chooseView()
{
    RunCatalog& catalog = session().runs();
    const ProjectSnapshotPtr snapshot = catalog.snapshot();
    const bool isOpen =
        session().hasProject() || session().isEventFolder() || !catalog.folder().isEmpty();
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
    for (const RunRow& run : m_list->model().snapshot()->runs) {
        if (m_list->isDrawn(run)) {
            shown.append(run.name);
        }
    }
    const QSet<QString> watched(shown.begin(), shown.end());
    if (watched != m_watched) {
        m_watched = watched;
        session().setWatchedRuns(id(), watched);
    }
    m_charts->setRuns(m_list->model().snapshot(), shown);
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

void RunsPage::updateActions()
{
    if (!isVisible()) {
        return;
    }
    ActionRegistry& actions = *context().actions;
    const QStringList runs = chosenRuns();
    const RunRow* run = runs.isEmpty() ? nullptr : session().runs().snapshot()->find(runs.front());
    const QString none = run ? QString() : tr("Select a run first.");
    const QString foreign =
        run && run->isForeign ? tr("Event files of another program are read-only here.") : none;
    actions.setHindrance("action.trash",
                         run && isLive(run->state)
                             ? tr("A run that is being trained cannot be moved to the Trash; stop "
                                  "it first.")
                             : foreign);
    actions.setHindrance("action.rename", foreign);
    actions.setHindrance("action.star", foreign);
    actions.setHindrance("action.show_hide", none);
    actions.setHindrance("action.duplicate", foreign);
    actions.setHindrance("action.export_scalars",
                         m_watched.isEmpty() ? tr("Show a run in the charts first.") : QString());
    for (const ChartAction& row : kChartActions) {
        QAction* chartAction = action(row.id);
        actions.setHindrance(row.id, m_charts->activeCard() ? QString() : tr("No chart is shown."));
        if (chartAction->isCheckable()) {
            chartAction->setChecked(m_charts->isChecked(row.command));
        }
    }
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
    for (const char* row : {"action.trash", "action.rename", "action.star", "action.show_hide"}) {
        context().actions->setHindrance(row, tr("Select a run on the Runs page first."));
    }
}

CommandLine RunsPage::command() const
{
    if (!session().hasProject()) {
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
    return {arguments, session().projectFolder()};
}

QString RunsPage::currentRun() const
{
    return m_stack->currentWidget() == m_runPage ? m_runPage->run() : m_list->table().currentRun();
}

QStringList RunsPage::chosenRuns() const
{
    if (m_stack->currentWidget() == m_runPage) {
        return {m_runPage->run()};
    }
    const QStringList selected = m_list->table().selectedRuns();
    if (!selected.isEmpty()) {
        return selected;
    }
    const QString current = m_list->table().currentRun();
    return current.isEmpty() ? QStringList() : QStringList{current};
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
        m_wanted = run; // the store will tell of it
        return;
    }
    m_list->table().selectRun(run);
    m_stack->setCurrentWidget(m_runPage);
    updateActions();
}

void RunsPage::leaveRun()
{
    if (m_stack->currentWidget() == m_runPage) {
        m_stack->setCurrentWidget(m_main);
        m_list->table().setFocus(Qt::OtherFocusReason);
        updateActions();
    }
}

void RunsPage::trash(const QStringList& runs)
{
    QStringList movable;
    const ProjectSnapshotPtr snapshot = session().runs().snapshot();
    for (const QString& run : runs) {
        const RunRow* row = snapshot->find(run);
        if (row && !row->trashed && !isLive(row->state)) {
            movable.append(run);
        }
    }
    session().runs().moveToTrash(runs); // refuses the others with a reason
    if (movable.isEmpty() || !context().toaster) {
        return;
    }
    const RunRow* first = snapshot->find(movable.front());
    context().toaster->show(
        movable.size() == 1 ? tr("%1 moved to the Trash").arg(first->displayName())
                            : tr("%1 runs moved to the Trash").arg(movable.size()),
        tr("Undo"), [&catalog = session().runs(), movable] { catalog.restore(movable); });
}

void RunsPage::confirmEmptyTrash()
{
    auto* dialog = new Dialog(tr("Empty the Trash?"), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName("dialog.empty_trash");
    const int trashed = m_list->proxy().trashedCount();
    dialog->setSentence(
        trashed == 1
            ? tr("One run, with its checkpoints and curves, will be deleted for ever.")
            : tr("%1 runs, with checkpoints and curves, will be deleted for ever.").arg(trashed));
    dialog->addButton(Button::Kind::Danger, tr("Delete Permanently"), QDialog::Accepted);
    dialog->addButton(Button::Kind::Plain, tr("Keep"), QDialog::Rejected, true);
    connect(dialog, &QDialog::accepted, this, [this] {
        session().runs().emptyTrash();
        m_list->showTrash(false);
    });
    dialog->open();
}

void RunsPage::showMenu(const QPoint& where)
{
    const QStringList runs = chosenRuns();
    if (runs.isEmpty()) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName("menu.run");
    if (m_list->showsTrash()) {
        menu->addAction(tr("Restore"), this, [this, runs] { session().runs().restore(runs); });
        menu->popup(where);
        return;
    }
    RunTableModel& model = m_list->model();
    menu->addAction(tr("Open"), this, [this, runs] { openRun(runs.front()); });
    menu->addAction(action("action.show_hide"));
    menu->addAction(tr("Show Only These"), this, [&model, runs] {
        QStringList others = model.shownRuns();
        for (const QString& run : runs) {
            others.removeAll(run);
        }
        model.setShown(others, false);
        model.setShown(runs, true);
    });
    const bool isBaseline = model.baseline() == runs.front();
    menu->addAction(isBaseline ? tr("No Baseline") : tr("Use as Baseline"), this,
                    [this, &model, runs, isBaseline] {
                        model.setBaseline(isBaseline ? QString() : runs.front());
                        saveSoon();
                    });
    menu->addSeparator();
    for (const char* id : {"action.star", "action.rename", "action.duplicate",
                           "action.export_savedmodel", "action.export_predictions"}) {
        menu->addAction(action(id));
    }
    menu->addSeparator();
    menu->addAction(action("action.trash"));
    menu->popup(where);
}

void RunsPage::exportScalars()
{
    QList<ExportedRun> runs;
    for (const RunRow& run : session().runs().snapshot()->runs) {
        if (m_watched.contains(run.name)) {
            runs.append({run.displayName(), run.folder});
        }
    }
    if (runs.isEmpty()) {
        return;
    }
    auto* dialog = new QFileDialog(this, tr("Export All Scalars"), session().projectFolder(),
                                   tr("CSV (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix("csv");
    dialog->selectFile(QStringLiteral("scalars.csv"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, runs](const QString& file) { m_export->start(file, runs); });
    dialog->open();
}

void RunsPage::saveCsv(const QByteArray& csv)
{
    auto* dialog =
        new QFileDialog(this, tr("Save Values"), session().projectFolder(), tr("CSV (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix("csv");
    dialog->selectFile(QStringLiteral("values.csv"));
    connect(dialog, &QFileDialog::fileSelected, this, [csv](const QString& path) {
        QThreadPool::globalInstance()->start([path, csv] {
            QSaveFile file(path);
            if (file.open(QSaveFile::WriteOnly)) {
                file.write(csv);
                file.commit();
            }
        });
    });
    dialog->open();
}

void RunsPage::tellProblem(const QString& lead, const QString& sentence)
{
    m_strip->setMessage(lead.isEmpty() ? Strip::Level::Warning : Strip::Level::Error, lead,
                        sentence.toHtmlEscaped());
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
    state.insert("split", QString::fromLatin1(m_split->saveState().toBase64()));
    return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

void RunsPage::restoreState(const QByteArray& state)
{
    const QJsonObject json = QJsonDocument::fromJson(state).object();
    m_list->restoreState(json.value("list").toObject());
    m_charts->restoreState(json.value("charts").toObject());
    m_list->setGroup(m_charts->toolbar().group().parameter);
    m_split->restoreState(QByteArray::fromBase64(json.value("split").toString().toLatin1()));
    m_saving->stop();
}

} // namespace cannery::ui
