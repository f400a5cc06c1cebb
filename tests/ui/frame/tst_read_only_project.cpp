// SPDX-License-Identifier: GPL-3.0-only
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_store.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "tests/ui/pages/seeded_runs.h"
#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/frame/main_window.h"
#include "ui/frame/theme_control.h"
#include "ui/pages/page.h"
#include "ui/pages/runs/notes_editor.h"
#include "ui/services/engine_service.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

using namespace cannery;
using namespace cannery::ui;
using namespace cannery::tests;

namespace {

const QString kWhy = QStringLiteral("The project is read-only: its folder is not writable. Copy "
                                    "it to another folder to change or train it.");
constexpr QFileDevice::Permissions kReading =
    QFileDevice::ReadOwner | QFileDevice::ExeOwner | QFileDevice::ReadUser | QFileDevice::ExeUser;

} // namespace

/// A read-only project: actions that would change it are disabled and say why.
class TstReadOnlyProject : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void actionsSayWhy();
    void theFrameSaysSo();
    void nothingCanBeSaidOfARun();
    void aRunsPageOffersNoChange();
    void exportsGoElsewhere();
    void servicesRefuseWhatIsAskedAnyway();
    void aProjectThatCanBeWrittenIsNotHindered();

private:
    void open();
    template <typename Widget>
    Widget* find(const QString& name) const
    {
        return m_window->findChild<Widget*>(name);
    }
    QString hindrance(const char* action) const { return m_window->actions().hindrance(action); }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_project;
    std::unique_ptr<ProjectSession> m_session;
    std::unique_ptr<ThemeControl> m_theme;
    std::unique_ptr<MainWindow> m_window;
};

void TstReadOnlyProject::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_project = m_folder->filePath("titanic");
    QVERIFY(QDir().mkpath(m_project));
    const QDir source(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/titanic"));
    for (const QString& file : source.entryList(QDir::Files)) {
        QVERIFY(QFile::copy(source.filePath(file), m_project + '/' + file));
    }
    addSeededRuns(m_project);
    QVERIFY(QFile::setPermissions(m_project, kReading));
    m_session = std::make_unique<ProjectSession>(nullptr, m_folder->filePath("settings.ini"));
    m_session->settings().setReducesMotion(true);
    auto& application = *qobject_cast<QApplication*>(qApp);
    m_theme = std::make_unique<ThemeControl>(application, m_session->settings());
    m_window = std::make_unique<MainWindow>(*m_session, *m_theme);
    m_window->resize(1280, 800);
    m_window->show();
}

void TstReadOnlyProject::cleanup()
{
    m_window.reset();
    m_theme.reset();
    m_session.reset();
    QFile::setPermissions(m_project, kReading | QFileDevice::WriteOwner);
    applyTheme(*qobject_cast<QApplication*>(qApp), {});
}

/// With run-010 selected on the Runs page.
void TstReadOnlyProject::open()
{
    m_session->project().open(m_project);
    QTRY_COMPARE_WITH_TIMEOUT(m_session->runs().snapshot()->runs.size(), 6, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->document().isOpen(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!m_session->document().isLoading(), kPatience);
    m_window->navigate("runs");
    m_window->page("runs")->reveal("select:run-010");
    QTRY_COMPARE_WITH_TIMEOUT(m_window->page("runs")->currentRun(), "run-010", kPatience);
}

void TstReadOnlyProject::actionsSayWhy()
{
    open();
    for (const char* action :
         {"action.star", "action.rename", "action.trash", "action.duplicate", "action.resume_run",
          "action.queue_run", "action.undo", "action.redo", "action.rescan"}) {
        QVERIFY2(!m_window->actions().find(action)->isEnabled(), action);
        QCOMPARE(hindrance(action), kWhy);
    }
    QVERIFY(!m_window->actions().find("action.train")->isEnabled());
    QCOMPARE(hindrance("action.train"), kWhy + " Open that on the Home page.");
    // Read-only actions still work.
    for (const char* action : {"action.export_scalars", "action.show_hide", "action.check"}) {
        QTRY_VERIFY_WITH_TIMEOUT(m_window->actions().find(action)->isEnabled(), kPatience);
    }
}

void TstReadOnlyProject::theFrameSaysSo()
{
    open();
    auto* sign = find<QLabel>("label.save_state");
    QVERIFY(sign && sign->isVisible());
    QCOMPARE(sign->accessibleName(), "Read-only");
    QCOMPARE(sign->toolTip(), kWhy);
    const QStringList faults = walkWidgets(*m_window);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
    const QString pictures = QStringLiteral(CANNERY_BINARY_DIR "/screenshots/frame");
    QDir().mkpath(pictures);
    m_window->grab().save(pictures + "/read_only.png");
}

void TstReadOnlyProject::nothingCanBeSaidOfARun()
{
    open();
    auto* star = find<QAbstractButton>("button.panel_star");
    QVERIFY(star && star->isVisible() && !star->isEnabled());
    QCOMPARE(star->toolTip(), kWhy);
    auto* panel = find<QWidget>("panel.run");
    auto* notes = panel->findChild<NotesEditor*>("notes");
    notes->edit();
    QVERIFY(!notes->isEditing());
    QCOMPARE(panel->findChild<QLabel*>("notes.text")->toolTip(), kWhy);
    auto* tags = panel->findChild<QWidget*>("tags");
    QCOMPARE(tags->toolTip(), kWhy);
    QVERIFY(!panel->findChild<QAbstractButton*>("button.add_tag")->isVisible());
    auto* table = m_window->page("runs")->findChild<QTableView*>("table.runs");
    QVERIFY(table);
    for (int column = 0; column < table->model()->columnCount(); ++column) {
        QVERIFY(!(table->model()->index(0, column).flags() & Qt::ItemIsEditable));
        // Neither the star nor the colour reacts.
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(0, column)).center());
    }
    QVERIFY(!table->findChild<QMenu*>("menu.colour"));
    QVERIFY(!m_session->document().undoStack()->canUndo());
}

void TstReadOnlyProject::aRunsPageOffersNoChange()
{
    open();
    m_window->page("runs")->reveal("run:run-010");
    auto* page = find<QWidget>("run_page");
    QTRY_VERIFY_WITH_TIMEOUT(page->isVisible(), kPatience);
    for (const char* name : {"action.run_trash", "action.run_continue", "action.run_rescan"}) {
        auto* action = page->findChild<QAction*>(name);
        QVERIFY2(action && !action->isEnabled(), name);
        QCOMPARE(action->toolTip(), kWhy);
    }
    auto* notes = page->findChild<NotesEditor*>("notes");
    notes->edit();
    QVERIFY(!notes->isEditing());
}

void TstReadOnlyProject::exportsGoElsewhere()
{
    open();
    m_window->navigate("export");
    auto* start = find<QAction>("action.export");
    QTRY_VERIFY_WITH_TIMEOUT(!start->isEnabled(), kPatience);
    QCOMPARE(start->toolTip(), "The project is read-only: choose another folder to export to.");
    find<QLineEdit>("field.export_folder")->setText(m_folder->filePath("mine"));
    QVERIFY(start->isEnabled());
}

void TstReadOnlyProject::servicesRefuseWhatIsAskedAnyway()
{
    open();
    RunCatalog& runs = m_session->runs();
    QSignalSpy refused(&runs, &RunCatalog::failed);
    const auto ask = {std::function<void()>([&] { runs.setStar("run-010", false); }),
                      std::function<void()>([&] { runs.setTitle("run-010", "other"); }),
                      std::function<void()>([&] { runs.setNotes("run-010", "other"); }),
                      std::function<void()>([&] { runs.setTags("run-010", {"other"}); }),
                      std::function<void()>([&] { runs.setColourSlot("run-010", 9); }),
                      std::function<void()>([&] { runs.moveToTrash({"run-010"}); }),
                      std::function<void()>([&] { runs.rescan(); })};
    const ProjectSnapshotPtr before = runs.snapshot();
    for (const std::function<void()>& one : ask) {
        refused.clear();
        one();
        QCOMPARE(refused.size(), 1);
        QCOMPARE(refused.front().front().toString(), kWhy);
    }
    QCOMPARE(runs.snapshot(), before);
    QSignalSpy failed(m_session.get(), &ProjectSession::failed);
    m_session->starter().start(m_session->starter().commands().resume("run-010"));
    m_session->starter().resume("run-012");
    QVERIFY(!m_session->engines().isStarting());
    m_session->experiments().duplicateRun("run-010");
    QCOMPARE(failed.size(), 3);
    QCOMPARE(failed.back().front().toString(), kWhy);
    QVERIFY(!QFile::exists(m_project + "/titanic-2.cannery"));
}

void TstReadOnlyProject::aProjectThatCanBeWrittenIsNotHindered()
{
    QVERIFY(QFile::setPermissions(m_project, kReading | QFileDevice::WriteOwner));
    open();
    QCOMPARE(m_session->project().changeHindrance(), QString());
    for (const char* action : {"action.star", "action.rename", "action.trash"}) {
        QTRY_VERIFY_WITH_TIMEOUT(m_window->actions().find(action)->isEnabled(), kPatience);
    }
    m_session->runs().setStar("run-010", false);
    QVERIFY(!m_session->runs().snapshot()->find("run-010")->starred);
}

CANNERY_TEST(TstReadOnlyProject)
#include "tst_read_only_project.moc"
