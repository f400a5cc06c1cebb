// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/main_window.h"

#include "ui/actions/action_registry.h"
#include "ui/actions/standard_actions.h"
#include "ui/document/table_files.h"
#include "ui/frame/dialogs/frame_dialogs.h"
#include "ui/frame/dialogs/settings_dialog.h"
#include "ui/frame/drawer/drawer.h"
#include "ui/frame/drop_overlay.h"
#include "ui/frame/experiment_control.h"
#include "ui/frame/inspector_panel.h"
#include "ui/frame/menu_row.h"
#include "ui/frame/model_search_strip.h"
#include "ui/frame/nav_rail.h"
#include "ui/frame/notifier.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/frame/palette/palette_entries.h"
#include "ui/frame/rail_foot.h"
#include "ui/frame/rail_item.h"
#include "ui/frame/run_control.h"
#include "ui/frame/status_line.h"
#include "ui/frame/theme_control.h"
#include "ui/frame/view_state_saver.h"
#include "ui/pages/edit_toasts.h"
#include "ui/pages/page_catalog.h"
#include "ui/pages/page_dialogs.h"
#include "ui/services/engine_service.h"
#include "ui/services/lasting_jobs.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/series_store.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/split_view.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/toaster.h"

#include <QAction>
#include <QCloseEvent>
#include <QCoreApplication>
#include <QMenu>
#include <QMimeData>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr QSize kFirstSize(1280, 800);
constexpr QSize kLeastSize(1024, 640);
constexpr std::chrono::milliseconds kBetweenRunWords{250};
constexpr int kRailIcons = 1100;
constexpr int kInspectorFloats = 1200;
constexpr int kInspectorWidth = 312;
constexpr double kDesignBody = 13;

/// The window's width in design pixels, so that larger text counts as less room.
double designWidth(const QWidget& window)
{
    return window.width() * kDesignBody / bodySize();
}

} // namespace

MainWindow::MainWindow(ProjectSession& session, ThemeControl& theme, QWidget* parent)
    : QMainWindow(parent), m_session(&session), m_theme(&theme),
      m_actions(new ActionRegistry(session.settings(), this)), m_centre(new QWidget(this)),
      m_notifier(new Notifier(this)), m_views(new ViewStateSaver(session.runs(), this))
{
    setObjectName("main_window");
    setAcceptDrops(true);
    setMinimumSize(kLeastSize);
    setWindowIcon(icon("cannery"));
    addPageActions(*m_actions);
    addStandardActions(*m_actions);
    for (QAction* action : m_actions->actions()) {
        action->setIcon(icon(action->property("iconName").toString()));
        if (action->shortcutContext() == Qt::WindowShortcut) {
            addAction(action);
        }
    }
    m_runs = new RunControl(session, *m_actions, this);
    m_runWords = new UpdateThrottle(
        this, [this] { refreshRun(); }, kBetweenRunWords);
    layOut();
    makePages();
    m_runs->setPageRun([this] {
        const Page* shown = currentPage();
        return shown ? shown->currentRun() : QString();
    });
    theme.connectActions(*m_actions);
    connectActions();
    connectPanels();
    connectSession();
    connectDocument();
    connectEngines();
    connectErrors();
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] {
        fitBreakpoints();
        refreshIssues();
    });
    new EditToasts(
        session.document(), *m_toaster, [this] { return currentPage(); }, this);
    connectPageDialogs({m_session, m_actions, m_toaster}, this);
    refreshProject();
    refreshIssues();
    refreshRun();
}

MainWindow::~MainWindow() = default;

void MainWindow::layOut()
{
    m_menuRow = new MenuRow(*m_actions, this);
    setMenuWidget(m_menuRow);
    m_rail = new NavRail(*m_actions, m_centre);
    auto* pageArea = new QWidget(m_centre);
    auto* pageColumn = new QVBoxLayout(pageArea);
    pageColumn->setContentsMargins(0, 0, 0, 0);
    pageColumn->setSpacing(0);
    auto* stripRow = new QVBoxLayout;
    stripRow->setContentsMargins(scaled(24), scaled(8), scaled(24), 0);
    m_failure = new Strip(pageArea);
    m_failure->setObjectName("strip.failure");
    m_failure->setDismissible(true);
    stripRow->addWidget(m_failure);
    stripRow->addWidget(new ModelSearchStrip(*m_session, pageArea));
    pageColumn->addLayout(stripRow);
    m_pages = new QStackedWidget(pageArea);
    m_pages->setObjectName("pages");
    pageColumn->addWidget(m_pages, 1);
    m_drawer = new Drawer(m_session->jobs(), m_centre);
    m_drawer->hide();
    m_drawerSplit = new SplitView(Qt::Vertical, m_centre);
    m_drawerSplit->setProperty("plain", true);
    m_drawerSplit->addWidget(pageArea);
    m_drawerSplit->addWidget(m_drawer);
    m_drawerSplit->setStretchFactor(0, 1);
    m_drawerSplit->setSizes({600, 200});
    m_inspector = new InspectorPanel(m_centre);
    m_sideSplit = new SplitView(Qt::Horizontal, m_centre);
    m_sideSplit->setProperty("plain", true);
    m_sideSplit->addWidget(m_drawerSplit);
    m_sideSplit->addWidget(m_inspector);
    m_sideSplit->setStretchFactor(0, 1);
    m_sideSplit->setSizes({1000, scaled(kInspectorWidth)});
    m_status = new StatusLine(*m_actions, m_centre);
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(m_rail);
    row->addWidget(m_sideSplit, 1);
    auto* column = new QVBoxLayout(m_centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row, 1);
    column->addWidget(m_status);
    setCentralWidget(m_centre);
    m_toaster = new Toaster(this);
    m_experiments = new ExperimentControl(*m_session, *m_actions, *m_toaster, this);
    m_experiments->setAnchor(m_menuRow->projectButton());
    stripRow->addWidget(m_experiments->strip());
    m_palette = new CommandPalette(this);
    m_drop = new DropOverlay(this);
}

void MainWindow::makePages()
{
    const PageContext context{m_session, m_actions, m_toaster};
    for (const PageRow& row : pageCatalog()) {
        const QString id = row.id;
        Page* made = row.make(context, m_pages);
        m_pages->addWidget(made);
        m_pageOf[id] = made;
        if (row.menuText == nullptr) {
            m_rail->addPlace(id, row.icon, QCoreApplication::translate("PageCatalog", row.label));
            m_rail->setMark(id, made->mark());
            connect(made, &Page::markChanged, this,
                    [this, id, made] { m_rail->setMark(id, made->mark()); });
        }
        m_views->addPage(made);
        connect(made, &Page::navigate, this, &MainWindow::navigate);
        connect(m_actions->find("action.page_" + id), &QAction::triggered, this,
                [this, id] { showPage(id); });
    }
    connect(m_rail, &NavRail::chosen, this, [this](const QString& id) {
        const bool again = currentPage() && currentPage()->id() == id;
        showPage(id);
        if (again) {
            currentPage()->reveal({}); // back to the start of the page
        }
    });
    connect(m_pages, &QStackedWidget::currentChanged, this, &MainWindow::refreshPage);
    refreshPage();
}

Page* MainWindow::page(const QString& id) const
{
    return m_pageOf.value(id);
}

Page* MainWindow::currentPage() const
{
    return qobject_cast<Page*>(m_pages->currentWidget());
}

void MainWindow::showPage(const QString& id)
{
    m_arriving.reset(); // whoever has gone somewhere is not sent elsewhere
    Page* wanted = page(id);
    if (!wanted) {
        return;
    }
    // The hidden page and its rail item must not keep the focus.
    const QWidget* focus = focusWidget();
    const bool moves = wanted != currentPage() && focus &&
                       (m_rail->isAncestorOf(focus) || m_pages->isAncestorOf(focus));
    m_views->save();
    m_pages->setCurrentWidget(wanted);
    refreshPage();
    if (RailItem* place = m_rail->item(id); moves && place != nullptr && m_rail->isVisible()) {
        place->setFocus(Qt::OtherFocusReason);
    }
}

void MainWindow::refreshPage()
{
    const Page* shown = currentPage();
    if (!shown) {
        return;
    }
    m_rail->setCurrent(shown->id());
    for (auto it = m_pageOf.cbegin(); it != m_pageOf.cend(); ++it) {
        m_actions->find("action.page_" + it.key())->setChecked(it.value() == shown);
    }
    refreshInspector();
    m_runs->refresh();
}

void MainWindow::navigate(const QString& target)
{
    const QString kind = target.section(':', 0, 0);
    const QString rest = target.section(':', 1);
    if (target.startsWith("action.")) {
        if (QAction* action = m_actions->find(target); action && action->isEnabled()) {
            action->trigger();
        }
    } else if (kind == "page") {
        showPage(rest);
    } else if (kind == "setting") {
        openSettings(rest);
    } else if (kind == "experiment") {
        m_session->experiments().switchTo(rest);
    } else if (kind == "run" || kind == "tag") {
        showPage("runs");
        if (Page* runs = page("runs")) {
            runs->reveal(target);
        }
    } else if (Page* wanted = page(kind)) {
        showPage(kind);
        if (!rest.isEmpty()) {
            wanted->reveal(rest);
        }
    }
}

void MainWindow::openPath(const QString& path)
{
    if (isTablePath(path) && currentPage() == page("guided")) {
        currentPage()->reveal("table:" + path);
    } else if (isTablePath(path)) {
        m_session->tables().ask(path);
    } else {
        m_session->project().open(path);
    }
}

void MainWindow::refreshInspector()
{
    Page* shown = currentPage();
    QWidget* content = shown ? shown->inspector() : nullptr;
    if (content) {
        content->setProperty("page", QVariant::fromValue<QWidget*>(shown));
    }
    m_inspector->setContent(content);
    QAction* action = m_actions->find("action.inspector");
    const bool focusMode = m_actions->find("action.focus_mode")->isChecked();
    const bool wanted = content && m_inspectorWanted && !focusMode;
    m_inspector->setVisible(wanted);
    action->setChecked(wanted);
    m_actions->setHindrance("action.inspector",
                            content ? QString() : tr("This page has no inspector."));
    if (wanted && m_inspector->isFloating()) {
        const int width = qMin(scaled(kInspectorWidth), m_centre->width() * 6 / 10);
        const int left = isRightToLeft() ? m_rail->x() - width : m_centre->width() - width;
        m_inspector->setGeometry(qMax(0, left), 0, width, m_centre->height() - m_status->height());
        m_inspector->raise();
    }
}

/// In narrow windows the rail shows icons only and the inspector covers the page.
void MainWindow::fitBreakpoints()
{
    const double room = designWidth(*this);
    m_rail->setCompact(room < kRailIcons);
    m_status->setIndent(m_rail->width());
    const bool floats = room < kInspectorFloats;
    if (floats != m_inspector->isFloating()) {
        m_inspector->hide();
        if (floats) {
            m_inspector->setParent(m_centre);
            m_inspectorWanted = false;
        } else {
            m_sideSplit->addWidget(m_inspector);
            m_sideSplit->setSizes({width() - scaled(kInspectorWidth), scaled(kInspectorWidth)});
            m_inspectorWanted = m_session->settings().value("window/inspector", true).toBool();
        }
        m_inspector->setFloating(floats);
    }
    refreshInspector();
}

void MainWindow::setDrawer(int part, bool open)
{
    const char* const ids[] = {"action.issues", "action.log", "action.jobs"};
    if (open) {
        m_drawer->showPart(static_cast<Drawer::Part>(part));
    }
    m_drawer->setVisible(open);
    for (int i = 0; i < 3; ++i) {
        m_actions->find(ids[i])->setChecked(open && i == part);
    }
}

void MainWindow::setFocusMode(bool on)
{
    m_rail->setVisible(!on);
    if (on) {
        setDrawer(0, false);
    }
    refreshInspector();
}

void MainWindow::openPalette()
{
    m_runs->refresh();
    m_palette->open(paletteEntries(*m_actions, *m_session));
}

/// Tab in the palette: opens the menu with the action, or the entry's place.
void MainWindow::showWhere(const QString& target)
{
    QAction* action = m_actions->find(target);
    if (!action) {
        navigate(target);
        return;
    }
    if (QMenu* menu = m_menuRow->menuOf(action)) {
        menu->setActiveAction(action);
        menu->popup(m_menuRow->mapToGlobal(QPoint(scaled(16), m_menuRow->height())));
        menu->setActiveAction(action);
    }
}

void MainWindow::openSettings(const QString& section)
{
    auto* dialog = findChild<SettingsDialog*>();
    if (!dialog) {
        dialog = new SettingsDialog(*m_session, *m_actions, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setModal(false);
    }
    if (!section.isEmpty()) {
        dialog->showSection(section);
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::restoreWindow()
{
    Settings& settings = m_session->settings();
    const QByteArray geometry = settings.value("window/geometry").toByteArray();
    if (geometry.isEmpty() || !restoreGeometry(geometry)) {
        resize(kFirstSize);
    }
    m_inspectorWanted = settings.value("window/inspector", true).toBool();
    m_sideSplit->restoreState(settings.value("window/side").toByteArray());
    m_drawerSplit->restoreState(settings.value("window/drawer_split").toByteArray());
    const int drawer = settings.value("window/drawer", -1).toInt();
    if (drawer >= 0) {
        setDrawer(drawer, true);
    }
    showPage(settings.value("window/page", "home").toString());
    fitBreakpoints();
}

void MainWindow::saveWindow()
{
    m_views->save();
    Settings& settings = m_session->settings();
    settings.setValue("window/geometry", saveGeometry());
    if (!m_inspector->isFloating()) {
        settings.setValue("window/inspector", m_inspectorWanted);
        settings.setValue("window/side", m_sideSplit->saveState());
    }
    settings.setValue("window/drawer_split", m_drawerSplit->saveState());
    settings.setValue("window/drawer",
                      m_drawer->isVisible() ? static_cast<int>(m_drawer->part()) : -1);
    settings.setValue("window/page", currentPage() ? currentPage()->id() : QString());
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    const QStringList live = m_session->engines().liveRuns();
    const int sweeps = m_runs->sweeps().runningCount();
    if ((live.isEmpty() && sweeps == 0) || m_mayClose) {
        saveWindow();
        event->accept();
        Q_EMIT closed();
        return;
    }
    event->ignore();
    if (findChild<Dialog*>("dialog.leaving")) {
        return;
    }
    Dialog* dialog = askBeforeLeaving(live, sweeps, this);
    connect(dialog, &QDialog::finished, this, [this, live](int result) {
        const auto leaving = static_cast<Leaving>(result);
        if (leaving == Leaving::Stay) {
            return;
        }
        if (leaving == Leaving::StopAndKeep) {
            m_runs->sweeps().stopAll(); // first: they would start other runs
            for (const QString& run : live) {
                m_session->engines().stopAndKeep(run);
            }
        }
        m_mayClose = true;
        close();
    });
}

/// The tab order starts at the rail.
void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (!focusWidget() && currentPage()) {
        m_rail->item(currentPage()->id())->setFocus();
    }
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    fitBreakpoints();
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ActivationChange && !isActiveWindow()) {
        m_views->save();
    } else if (event->type() == QEvent::WindowStateChange) {
        m_session->series().setAwake(!isMinimized());
        m_session->engines().setAwake(!isMinimized());
    } else if (event->type() == QEvent::LayoutDirectionChange) {
        fitBreakpoints();
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.first().isLocalFile()) {
        event->acceptProposedAction();
        m_drop->appear(dropSentence(urls.first().toLocalFile()));
    }
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent* /*event*/)
{
    m_drop->hide();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    m_drop->hide();
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.first().isLocalFile()) {
        event->acceptProposedAction();
        openPath(urls.first().toLocalFile());
    }
}

} // namespace cannery::ui
