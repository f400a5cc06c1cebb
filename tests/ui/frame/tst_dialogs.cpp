// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "tests/ui/pages/seeded_runs.h"
#include "ui/actions/action_registry.h"
#include "ui/actions/standard_actions.h"
#include "ui/charts/curves/limits_dialog.h"
#include "ui/document/experiment_document.h"
#include "ui/frame/dialogs/experiment_dialogs.h"
#include "ui/frame/dialogs/frame_dialogs.h"
#include "ui/frame/dialogs/help_dialog.h"
#include "ui/frame/dialogs/settings_dialog.h"
#include "ui/pages/continue_dialog.h"
#include "ui/pages/home/new_project_dialog.h"
#include "ui/pages/predict_dialog.h"
#include "ui/pages/runs/link_dialog.h"
#include "ui/pages/runs/runs_columns_dialog.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

using namespace cannery::ui;
using namespace cannery::tests;

namespace {

struct Look
{
    const char* name;
    bool dark;
    double textScale;
    QSize window;
    bool rightToLeft = false;
    bool hasRoom = true; ///< enough for every dialog in full
};

constexpr std::array kLooks{
    Look{"light", false, 1.0, {1440, 900}},
    Look{"dark", true, 1.0, {1440, 900}},
    Look{"light_1280", false, 1.0, {1280, 800}},
    Look{"small", false, 1.0, {1024, 640}},
    Look{"text_200", false, 2.0, {1280, 800}, false, false},
    Look{"rtl", false, 1.0, {1280, 800}, true},
};

} // namespace

/// Every dialog of the window in every look: a picture in build/…/screenshots/dialogs, and nothing
/// clipped, squashed or outside the parent window.
class TstDialogs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanup();
    void everythingIsLegible_data();
    void everythingIsLegible();
    void itGrowsWithItsText();

private:
    Dialog* open(const QString& name);
    Dialog* openVersions(QWidget* window) const;
    Dialog* openTable(QWidget* window) const;

    QTemporaryDir m_folder;
    std::unique_ptr<ProjectSession> m_session;
    std::unique_ptr<ActionRegistry> m_actions;
    std::unique_ptr<QWidget> m_window;
};

void TstDialogs::initTestCase()
{
    m_session = std::make_unique<ProjectSession>(nullptr, m_folder.filePath("settings.ini"));
    m_session->setProgram(CANNERY_PROGRAM);
    const QString project = m_folder.filePath("titanic");
    QVERIFY(QDir().mkpath(project));
    const QDir sample(CANNERY_SOURCE_DIR "/resources/examples/titanic");
    for (const QString& file : sample.entryList(QDir::Files)) {
        QVERIFY(QFile::copy(sample.filePath(file), project + '/' + file));
    }
    addSeededRuns(project);
    m_session->project().open(project);
    QTRY_COMPARE_WITH_TIMEOUT(m_session->runs().snapshot()->runs.size(), seededRuns().size(),
                              kPatience);
    m_actions = std::make_unique<ActionRegistry>(m_session->settings());
    addStandardActions(*m_actions);
}

void TstDialogs::cleanup()
{
    m_window.reset();
    QApplication::setLayoutDirection(Qt::LeftToRight);
    applyTheme(*qobject_cast<QApplication*>(qApp), {});
}

/// With a field of each kind: changed, added, removed, and too long for its place.
Dialog* TstDialogs::openVersions(QWidget* window) const
{
    const QByteArray before = m_session->document().text().toUtf8();
    QByteArray after = before;
    after.replace("max_steps: 1000", "max_steps: 12000");
    after.replace("boundaries: [6, 16, 25, 35, 50, 65]", "boundaries: [18, 60]");
    after.replace("feature_column { name: \"age_scaled\"", "feature_column { name: \"age_by_z\"");
    Dialog* dialog = askForVersion({.objectName = "dialog.versions",
                                    .title = "Recovered Changes",
                                    .sentence = "The last of them is not in the file yet.",
                                    .before = before,
                                    .after = after,
                                    .keepBefore = "Discard Changes",
                                    .keepAfter = "Keep Changes",
                                    .onBefore = [] {},
                                    .onAfter = [] {}},
                                   window);
    (void)QTest::qWaitFor(
        [&] { return dialog->findChild<QWidget*>("change.train_spec.max_steps") != nullptr; },
        kPatience);
    QTest::qWait(50); // the dialog grows when its layout is updated
    return dialog;
}

Dialog* TstDialogs::openTable(QWidget* window) const
{
    auto* made = new NewProjectDialog(*m_session, window);
    made->showReading(m_folder.filePath("titanic/titanic_train.csv"));
    made->open();
    (void)QTest::qWaitFor(
        [&] { return made->findChild<QWidget*>("table.first_rows")->isVisible(); }, kPatience);
    QTest::qWait(50); // the dialog grows when its layout is updated
    return made;
}

Dialog* TstDialogs::open(const QString& name)
{
    QWidget* window = m_window.get();
    if (name == "help") {
        auto* help = new HelpDialog(helpTopicOf(nullptr, "train"), window);
        help->open();
        return help;
    }
    if (name == "about") {
        return showAbout("/usr/lib/cannery/bin/cannery", window);
    }
    if (name == "command") {
        return showCommand(
            {{"train", "titanic.cannery", "--threads", "2"}, "/home/ann/titanic", {}}, window);
    }
    if (name == "leaving") {
        return askBeforeLeaving({"run-007"}, 0, window);
    }
    if (name == "predict") {
        auto* predict = new PredictDialog(*m_session, window);
        predict->setInput("/home/ann/tables/passengers_of_the_next_ship.csv");
        predict->open();
        return predict;
    }
    if (name == "columns") {
        const ProjectSnapshotPtr runs = m_session->runs().snapshot();
        auto* columns = new RunsColumnsDialog(defaultColumns(*runs), *runs, window);
        columns->open();
        return columns;
    }
    if (name == "limits") {
        auto* limits = new LimitsDialog({}, {0, 13'800'000}, {-0.000125, 5.741e9}, window);
        limits->open();
        return limits;
    }
    if (name == "longer") {
        askToTrainLonger(*m_session, m_session->runs().snapshot()->runs.first(), window);
        return window->findChild<Dialog*>("dialog.continue");
    }
    if (name == "link") {
        askToOpenLink(
            QUrl("https://example.org/a/paper/on/wide/and/deep/models?with=" + QString(80, 'x')),
            window);
        return window->findChild<Dialog*>("dialog.link");
    }
    if (name == "new_project_of_a_table") {
        return openTable(window);
    }
    if (name == "rename_experiment") {
        return askForName(*m_session, window);
    }
    if (name == "versions") {
        return openVersions(window);
    }
    Dialog* dialog = name == "new_project"
                         ? static_cast<Dialog*>(new NewProjectDialog(*m_session, window))
                         : new SettingsDialog(*m_session, *m_actions, window);
    dialog->open();
    return dialog;
}

void TstDialogs::everythingIsLegible_data()
{
    QTest::addColumn<int>("look");
    QTest::addColumn<QString>("dialog");
    for (std::size_t i = 0; i < kLooks.size(); ++i) {
        for (const char* dialog : {"help", "about", "columns", "command", "leaving", "limits",
                                   "link", "longer", "new_project", "new_project_of_a_table",
                                   "predict", "rename_experiment", "settings", "versions"}) {
            QTest::addRow("%s-%s", dialog, kLooks[i].name) << int(i) << QString(dialog);
        }
    }
}

void TstDialogs::everythingIsLegible()
{
    QFETCH(int, look);
    QFETCH(QString, dialog);
    const Look& wanted = kLooks[static_cast<std::size_t>(look)];
    applyTheme(*qobject_cast<QApplication*>(qApp),
               {.dark = wanted.dark, .textScale = wanted.textScale, .reduceMotion = true});
    QApplication::setLayoutDirection(wanted.rightToLeft ? Qt::RightToLeft : Qt::LeftToRight);
    m_window = std::make_unique<QWidget>();
    m_window->resize(wanted.window);
    m_window->show();
    Dialog* opened = open(dialog);
    QVERIFY(opened);
    QVERIFY(QTest::qWaitForWindowExposed(opened, kPatience));
    const QDir folder(CANNERY_BINARY_DIR "/screenshots/dialogs");
    folder.mkpath(".");
    opened->grab().save(folder.filePath(QString(QTest::currentDataTag()) + ".png"));

    const QStringList faults = walkWidgets(*opened);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
    QVERIFY2(opened->width() <= wanted.window.width() && opened->height() <= wanted.window.height(),
             "it is larger than its window");
    auto* area = opened->findChild<QScrollArea*>("dialog.body");
    QVERIFY(area);
    if (wanted.hasRoom) {
        QCOMPARE(area->verticalScrollBar()->maximum(), 0);
    }
    if (dialog == "columns") {
        QCOMPARE(area->verticalScrollBar()->maximum(), 0); // a list that scrolls is enough
    }
    // What can be scrolled to is complete too.
    for (QLabel* label : area->widget()->findChildren<QLabel*>()) {
        if (label->isVisible() && label->wordWrap()) {
            QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                     qPrintable(label->text()));
        }
    }
    for (QLineEdit* field : area->widget()->findChildren<QLineEdit*>()) {
        if (field->isVisible()) {
            QVERIFY2(field->height() >= field->sizeHint().height(),
                     qPrintable(field->objectName()));
        }
    }
}

void TstDialogs::itGrowsWithItsText()
{
    applyTheme(*qobject_cast<QApplication*>(qApp), {.reduceMotion = true});
    m_window = std::make_unique<QWidget>();
    m_window->resize(1280, 800);
    m_window->show();
    auto* dialog = new NewProjectDialog(*m_session, m_window.get());
    dialog->open();
    QVERIFY(QTest::qWaitForWindowExposed(dialog, kPatience));
    const int before = dialog->height();
    auto* reason = dialog->findChild<QLabel*>("label.reason");
    reason->setText(QString("The table has a header and many rows. ").repeated(12));
    QTRY_VERIFY_WITH_TIMEOUT(dialog->height() > before, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(reason->height() >= reason->heightForWidth(reason->width()),
                             kPatience);
    reason->setText({});
    QTRY_COMPARE_WITH_TIMEOUT(dialog->height(), before, kPatience);
}

CANNERY_TEST(TstDialogs)
#include "tst_dialogs.moc"
