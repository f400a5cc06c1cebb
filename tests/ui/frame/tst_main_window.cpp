// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/pseudo_translator.h"
#include "tests/support/test_main.h"
#include "tests/support/widget_walk.h"
#include "ui/actions/action_registry.h"
#include "ui/frame/dialogs/frame_dialogs.h"
#include "ui/frame/dialogs/settings_dialog.h"
#include "ui/frame/dialogs/shortcut_table.h"
#include "ui/frame/drawer/drawer.h"
#include "ui/frame/main_window.h"
#include "ui/frame/nav_rail.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/frame/palette/palette_entries.h"
#include "ui/frame/palette/palette_model.h"
#include "ui/frame/rail_item.h"
#include "ui/frame/theme_control.h"
#include "ui/pages/home/sample_card.h"
#include "ui/pages/page_catalog.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QScreen>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery::ui;
using namespace cannery::tests;

class TstMainWindow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void D01_firstFrameShowsHomeWithOpenNewAndSamples();
    void D31_nextAreaMovesBetweenAreas();
    void D31_railIsOneTabStopWithArrows();
    void D31_focusRingComesWithKeys();
    void D32_everyActionIsInAMenuAndThePalette();
    void D34_themeIsSwitchedLive();
    void D35_nothingIsClippedOrOverlaps_data();
    void D35_nothingIsClippedOrOverlaps();
    void D36_railStandsAtTheRightInRightToLeft();
    void narrowWindowTurnsRailToIcons();
    void drawerIsOpenedByItsActions();
    void paletteGoesToPages();
    void paletteFindsWhatIsInAMenuOfAMenu();
    void paletteFindsEstimatorsByTheirNames();
    void paletteLeavesNoShadowBehind();
    void focusFollowsToTheOtherPage();
    void noTextOfTheWindowIsRich();
    void focusModeLeavesThePageAlone();
    void failureIsShownWithDetailsToCopy();
    void settingsAreAppliedAtOnce();
    void shortcutConflictIsNamed();
    void windowComesBackAsItWas();
    void closingWithoutRunsAsksNothing();

private:
    void savePicture(const QString& name);
    QString settingsFile() const { return m_folder->filePath("settings.ini"); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ProjectSession> m_session;
    std::unique_ptr<ThemeControl> m_theme;
    std::unique_ptr<MainWindow> m_window;
};

namespace {

QApplication& application()
{
    return *qobject_cast<QApplication*>(qApp);
}

/// Menus and their submenus.
QList<QAction*> actionsOf(const QMenu* menu)
{
    QList<QAction*> all;
    for (QAction* action : menu->actions()) {
        all += action->menu() ? actionsOf(action->menu()) : QList<QAction*>{action};
    }
    return all;
}

/// The field's cursor blinks.
QImage withoutField(QImage image)
{
    QPainter(&image).fillRect(QRect(0, 80, image.width(), 90), Qt::black);
    return image;
}

/// They are read off the GUI thread, and arrive after the window is shown.
bool showsSamples(const QWidget& window)
{
    const auto cards = window.findChildren<SampleCard*>();
    return !cards.isEmpty() && !cards.last()->visibleRegion().isEmpty();
}

} // namespace

void TstMainWindow::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_session = std::make_unique<ProjectSession>(nullptr, settingsFile());
    m_session->settings().setReducesMotion(true);
    m_session->settings().setTheme(Settings::ThemeChoice::Light);
    m_theme = std::make_unique<ThemeControl>(application(), m_session->settings());
    m_window = std::make_unique<MainWindow>(*m_session, *m_theme);
    m_window->resize(1280, 800);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get(), kPatience));
    QTRY_VERIFY_WITH_TIMEOUT(showsSamples(*m_window), kPatience);
}

void TstMainWindow::cleanup()
{
    m_window.reset();
    m_theme.reset();
    m_session.reset();
    QApplication::setLayoutDirection(Qt::LeftToRight);
    applyTheme(application(), {});
}

void TstMainWindow::savePicture(const QString& name)
{
    const QString folder = QStringLiteral(CANNERY_BINARY_DIR "/screenshots/frame");
    QDir().mkpath(folder);
    QCoreApplication::processEvents();
    m_window->grab().save(folder + '/' + name + ".png");
}

void TstMainWindow::D01_firstFrameShowsHomeWithOpenNewAndSamples()
{
    QCOMPARE(m_window->currentPage()->objectName(), "page.home");
    const auto button = [this](const QString& name) {
        return m_window->currentPage()->findChild<QAbstractButton*>(name);
    };
    for (const char* name : {"button.open_project", "button.new_project", "button.open_data"}) {
        QVERIFY2(button(name) && button(name)->isVisible(), name);
    }
    savePicture("home-light");
}

void TstMainWindow::D31_nextAreaMovesBetweenAreas()
{
    QAction* next = m_window->actions().find("action.next_area");
    m_window->rail().item("home")->setFocus();
    next->trigger();
    QVERIFY(m_window->currentPage()->isAncestorOf(QApplication::focusWidget()));
    m_window->actions().find("action.issues")->trigger();
    next->trigger();
    QVERIFY(m_window->drawer().isAncestorOf(QApplication::focusWidget()));
    m_window->actions().find("action.previous_area")->trigger();
    QVERIFY(m_window->currentPage()->isAncestorOf(QApplication::focusWidget()));
}

void TstMainWindow::D31_railIsOneTabStopWithArrows()
{
    m_window->rail().item("home")->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QCOMPARE(m_window->currentPage()->id(), "data");
    QCOMPARE(QApplication::focusWidget()->objectName(), "rail.data");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QVERIFY(!QApplication::focusWidget()->objectName().startsWith("rail.data"));
    QVERIFY(!qobject_cast<RailItem*>(QApplication::focusWidget()));
}

void TstMainWindow::D31_focusRingComesWithKeys()
{
    for (const auto theme : {Settings::ThemeChoice::Light, Settings::ThemeChoice::Dark}) {
        m_session->settings().setTheme(theme);
        RailItem* item = m_window->rail().item("home");
        item->setFocus();
        QTest::mouseClick(m_window->rail().item("home"), Qt::LeftButton);
        QVERIFY(!focusRingsVisible());
        const QImage without = item->grab().toImage();
        QTest::keyClick(item, Qt::Key_Shift);
        QVERIFY(focusRingsVisible());
        QVERIFY(without != item->grab().toImage());
    }
}

void TstMainWindow::D32_everyActionIsInAMenuAndThePalette()
{
    QSet<QString> inMenus;
    const auto* bar = m_window->findChild<QMenuBar*>();
    for (const QAction* top : bar->actions()) {
        QVERIFY2(!top->menu()->actions().isEmpty(), qPrintable(top->text()));
        for (const QAction* action : actionsOf(top->menu())) {
            inMenus.insert(action->objectName());
        }
    }
    QSet<QString> inPalette;
    for (const PaletteEntry& entry : paletteEntries(m_window->actions(), *m_session)) {
        inPalette.insert(entry.target);
    }
    QHash<QString, QString> keysTaken;
    for (const QAction* action : m_window->actions().actions()) {
        const QString id = action->objectName();
        QVERIFY2(inMenus.contains(id), qPrintable(id));
        QVERIFY2(inPalette.contains(id) || id == "action.palette", qPrintable(id));
        for (const QKeySequence& keys : action->shortcuts()) {
            const QString key = keys.toString() + QString::number(action->shortcutContext());
            QVERIFY2(!keysTaken.contains(key), qPrintable(id + " and " + keysTaken[key]));
            keysTaken[key] = id;
        }
        if (!action->isEnabled()) {
            QVERIFY2(!action->toolTip().isEmpty(), qPrintable(id));
        }
    }
}

void TstMainWindow::D34_themeIsSwitchedLive()
{
    QTRY_VERIFY(m_window->findChild<QWidget*>("sample.visits") != nullptr);
    QTest::qWait(100); // cards of samples come late, and move what is below them
    const QImage light = m_window->grab().toImage();
    m_window->actions().find("action.theme_dark")->trigger();
    QVERIFY(tokens().isDark);
    savePicture("home-dark");
    const auto lightness = [](const QImage& image) {
        return image.scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
            .pixelColor(0, 0)
            .lightness();
    };
    QVERIFY(lightness(light) > 200 && lightness(m_window->grab().toImage()) < 60);
    QVERIFY(m_window->actions().find("action.theme_dark")->isChecked());
    m_window->actions().find("action.theme_light")->trigger();
    QCOMPARE(m_window->grab().toImage(), light);
}

void TstMainWindow::D35_nothingIsClippedOrOverlaps_data()
{
    QTest::addColumn<double>("scale");
    QTest::addColumn<bool>("pseudo");
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << 1.0 << false << false;
    QTest::newRow("dark") << 1.0 << false << true;
    QTest::newRow("text-200") << 2.0 << false << false;
    QTest::newRow("pseudo") << 1.0 << true << false;
}

/// The parts of the frame; each page's own test checks the page.
void TstMainWindow::D35_nothingIsClippedOrOverlaps()
{
    QFETCH(double, scale);
    QFETCH(bool, pseudo);
    QFETCH(bool, dark);
    PseudoTranslator translator;
    if (pseudo) {
        QCoreApplication::installTranslator(&translator);
        m_window = std::make_unique<MainWindow>(*m_session, *m_theme);
        m_window->resize(1280, 800);
        m_window->show();
    }
    m_session->settings().setTheme(dark ? Settings::ThemeChoice::Dark
                                        : Settings::ThemeChoice::Light);
    m_session->settings().setTextScale(scale);
    m_window->actions().find("action.issues")->trigger();
    QCoreApplication::processEvents();
    savePicture(QString("frame-") + QTest::currentDataTag());
    QStringList found;
    for (const char* part : {"rail", "menu_row", "status_line", "drawer"}) {
        found += walkWidgets(*m_window->findChild<QWidget*>(part));
    }
    SettingsDialog settings(*m_session, m_window->actions());
    for (const char* section : {"appearance", "charts", "engine", "storage", "shortcuts"}) {
        settings.showSection(section);
        settings.show();
        settings.resize(settings.sizeHint());
        QVERIFY(QTest::qWaitForWindowExposed(&settings, kPatience));
        QCoreApplication::processEvents();
        settings.grab().save(QStringLiteral(CANNERY_BINARY_DIR "/screenshots/frame/settings-") +
                             section + '-' + QTest::currentDataTag() + ".png");
        found += walkWidgets(settings);
    }
    QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
}

void TstMainWindow::D36_railStandsAtTheRightInRightToLeft()
{
    QApplication::setLayoutDirection(Qt::RightToLeft);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->rail().mapTo(m_window.get(), QPoint()).x() > 1000,
                             kPatience);
    savePicture("home-mirrored");
}

void TstMainWindow::narrowWindowTurnsRailToIcons()
{
    QVERIFY(!m_window->rail().isCompact());
    m_window->resize(1024, 640);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->rail().isCompact(), kPatience);
    savePicture("home-narrow");
    m_window->resize(1280, 800);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->rail().isCompact(), kPatience);
}

void TstMainWindow::drawerIsOpenedByItsActions()
{
    Drawer& drawer = m_window->drawer();
    QVERIFY(!drawer.isVisible());
    QTest::keyClick(m_window.get(), Qt::Key_2, Qt::AltModifier);
    QTRY_VERIFY_WITH_TIMEOUT(drawer.isVisible(), kPatience);
    QCOMPARE(drawer.part(), Drawer::Part::Log);
    m_window->actions().find("action.jobs")->trigger();
    QCOMPARE(drawer.part(), Drawer::Part::Jobs);
    QVERIFY(!m_window->actions().find("action.log")->isChecked());
    m_window->actions().find("action.jobs")->trigger();
    QVERIFY(!drawer.isVisible());
    auto* tab = m_window->findChild<QAbstractButton*>("status.issues");
    tab->toggle(); // as assistive technology does
    QVERIFY(drawer.isVisible() && drawer.part() == Drawer::Part::Issues && tab->isChecked());
}

void TstMainWindow::paletteGoesToPages()
{
    QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->palette().isOpen(), kPatience);
    QTest::keyClicks(m_window->palette().field(), "check");
    savePicture("palette");
    m_window->palette().field()->clear();
    QTest::keyClicks(m_window->palette().field(), "export");
    m_window->palette().close();
    m_window->navigate("page:export");
    QCOMPARE(m_window->currentPage()->id(), "export");
    QTest::keyClick(m_window.get(), Qt::Key_1, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->currentPage()->id(), "home", kPatience);
}

void TstMainWindow::paletteFindsWhatIsInAMenuOfAMenu()
{
    PaletteModel model;
    model.setEntries(paletteEntries(m_window->actions(), *m_session));
    model.setPattern("exp");
    QStringList found;
    for (int row = 0; row < model.rowCount(); ++row) {
        found << model.index(row).data(PaletteModel::TargetRole).toString();
    }
    for (const char* id : {"action.export_savedmodel", "action.export_program",
                           "action.export_scalars", "action.page_export"}) {
        QVERIFY2(found.contains(QLatin1String(id)), id);
    }
}

/// TensorFlow's name, ours, and what one does with it.
void TstMainWindow::paletteFindsEstimatorsByTheirNames()
{
    PaletteModel model;
    model.setEntries(paletteEntries(m_window->actions(), *m_session));
    for (const char* words : {"DNNClassifier", "dnncl", "choose estimator"}) {
        model.setPattern(words);
        bool isFound = false;
        for (int row = 0; row < model.rowCount(); ++row) {
            const QModelIndex entry = model.index(row);
            isFound |=
                entry.data() == QString("DNNClassifier") &&
                entry.data(PaletteModel::TargetRole) == QString("model:estimator:dnn_classifier");
        }
        QVERIFY2(isFound, words);
    }
}

/// The pixels on the screen match the palette's current look.
void TstMainWindow::paletteLeavesNoShadowBehind()
{
    m_window->actions().find("action.palette")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->palette().isOpen(), kPatience);
    const auto onScreen = [this] {
        return m_window->screen()
            ->grabWindow(m_window->winId())
            .toImage()
            .convertToFormat(QImage::Format_RGB32);
    };
    const auto asPainted = [this] {
        return m_window->grab().toImage().convertToFormat(QImage::Format_RGB32);
    };
    m_window->palette().field()->setCursorPosition(0);
    for (const char* letters : {"theme", "zzzzqqq"}) {
        m_window->palette().field()->setText(letters);
        QTRY_COMPARE_WITH_TIMEOUT(withoutField(onScreen()), withoutField(asPainted()), kPatience);
    }
    m_window->palette().close();
}

/// Ctrl+3 from the rail or from a page: the focus ring follows.
void TstMainWindow::focusFollowsToTheOtherPage()
{
    m_window->rail().item("home")->setFocus();
    QTest::keyClick(m_window.get(), Qt::Key_3, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->currentPage()->id(), "features", kPatience);
    QCOMPARE(QApplication::focusWidget()->objectName(), QString("rail.features"));
    m_window->actions().find("action.next_area")->trigger();
    QVERIFY(m_window->currentPage()->isAncestorOf(QApplication::focusWidget()));
    QTest::keyClick(m_window.get(), Qt::Key_4, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->currentPage()->id(), "model", kPatience);
    QCOMPARE(QApplication::focusWidget()->objectName(), QString("rail.model"));
    QVERIFY(showsFocusRing(*m_window->rail().item("model")));
    QVERIFY(!showsFocusRing(*m_window->rail().item("home")));
}

/// Only labels with links may be rich text, and they keep nothing but links.
void TstMainWindow::noTextOfTheWindowIsRich()
{
    QStringList rich;
    for (const QLabel* label : m_window->findChildren<QLabel*>()) {
        if (label->textFormat() != Qt::PlainText && !label->text().isEmpty() &&
            !label->inherits("cannery::ui::LinkLabel") &&
            !label->inherits("cannery::ui::MarkdownLabel")) {
            rich << label->objectName() + ": " + label->text();
        }
    }
    QVERIFY2(rich.isEmpty(), qPrintable(rich.join('\n')));
}

void TstMainWindow::focusModeLeavesThePageAlone()
{
    QAction* focusMode = m_window->actions().find("action.focus_mode");
    focusMode->trigger();
    QVERIFY(!m_window->rail().isVisible());
    focusMode->trigger();
    QVERIFY(m_window->rail().isVisible());
}

void TstMainWindow::failureIsShownWithDetailsToCopy()
{
    m_window->showFailure("The engine could not be started.", "exec: no such file");
    auto* strip = m_window->findChild<Strip*>("strip.failure");
    QVERIFY(strip->isVisible());
    QVERIFY(strip->accessibleName().contains("could not be started"));
    QVERIFY(strip->findChild<QAbstractButton*>("button.copy_failure"));
    savePicture("failure");
}

void TstMainWindow::settingsAreAppliedAtOnce()
{
    SettingsDialog dialog(*m_session, m_window->actions());
    dialog.show();
    const auto segments =
        dialog.findChild<QWidget*>("setting.theme")->findChildren<QAbstractButton*>();
    segments.at(2)->click();
    QVERIFY(tokens().isDark);
    QCOMPARE(m_session->settings().theme(), Settings::ThemeChoice::Dark);
    const int before = textFont(TextRole::Body).pixelSize();
    m_window->actions().find("action.text_larger")->trigger();
    QVERIFY(textFont(TextRole::Body).pixelSize() > before);
    m_window->actions().find("action.text_reset")->trigger();
    QCOMPARE(textFont(TextRole::Body).pixelSize(), before);
}

void TstMainWindow::shortcutConflictIsNamed()
{
    ShortcutTable table(m_window->actions());
    QVERIFY(!table.assign("action.train", QKeySequence("Ctrl+K")));
    QVERIFY(table.problem().contains("Command Palette"));
    QVERIFY(table.assign("action.train", QKeySequence("Ctrl+Alt+T")));
    QVERIFY(table.problem().isEmpty());
    m_window->actions().resetShortcut("action.train");
}

void TstMainWindow::windowComesBackAsItWas()
{
    m_window->resize(1366, 768);
    m_window->actions().find("action.log")->trigger();
    m_window->navigate("page:model");
    m_window->close();
    m_window = std::make_unique<MainWindow>(*m_session, *m_theme);
    m_window->restoreWindow();
    m_window->show();
    QCOMPARE(m_window->currentPage()->id(), "model");
    QVERIFY(m_window->drawer().isVisible());
    QCOMPARE(m_window->drawer().part(), Drawer::Part::Log);
}

void TstMainWindow::closingWithoutRunsAsksNothing()
{
    QSignalSpy closed(m_window.get(), &MainWindow::closed);
    m_window->close();
    QCOMPARE(closed.size(), 1);
    QVERIFY(!m_window->findChild<Dialog*>("dialog.leaving"));
}

CANNERY_TEST(TstMainWindow)
#include "tst_main_window.moc"
