// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/frame/main_window.h"
#include "ui/frame/nav_rail.h"
#include "ui/frame/rail_item.h"
#include "ui/frame/theme_control.h"
#include "ui/pages/page_catalog.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QMenuBar>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery::ui;
using cannery::tests::kPatience;

/// What the window shows when there is little room for its words.
class TstLargeText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyPlaceOfTheRailIsInSight_data();
    void everyPlaceOfTheRailIsInSight();
    void everyPageFitsIntoTheWindow();
    void theMenuBarShrinksAgain();
    void cleanup();
};

void TstLargeText::cleanup()
{
    applyTheme(*qobject_cast<QApplication*>(qApp), {});
}

void TstLargeText::everyPlaceOfTheRailIsInSight_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("textScale");
    QTest::newRow("usual") << QSize(1280, 800) << 1.0;
    QTest::newRow("low") << QSize(1280, 640) << 1.0;
    QTest::newRow("large text") << QSize(1280, 800) << 2.0;
}

void TstLargeText::everyPlaceOfTheRailIsInSight()
{
    QFETCH(QSize, size);
    QFETCH(double, textScale);
    const QTemporaryDir folder;
    ProjectSession session(nullptr, folder.filePath("settings.ini"));
    ThemeControl theme(*qobject_cast<QApplication*>(qApp), session.settings());
    MainWindow window(session, theme);
    session.settings().setTextScale(textScale);
    window.resize(size);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const auto* rail = window.findChild<NavRail*>();
    const auto* view = rail->findChild<QScrollArea*>();
    for (const PageRow& row : pageCatalog()) {
        const RailItem* place = rail->item(row.id);
        if (place == nullptr) {
            continue; // reached from a menu
        }
        const auto isInSight = [&] {
            const QRect where(place->mapTo(view->viewport(), QPoint()), place->size());
            return view->viewport()->rect().contains(where);
        };
        QVERIFY2(QTest::qWaitFor(isInSight, kPatience),
                 qPrintable(QString("%1 ends at %2 of %3")
                                .arg(row.id)
                                .arg(place->geometry().bottom())
                                .arg(view->viewport()->height())));
    }
}

/// Large from the start.
void TstLargeText::everyPageFitsIntoTheWindow()
{
    const QTemporaryDir folder;
    ProjectSession session(nullptr, folder.filePath("settings.ini"));
    session.settings().setTextScale(2);
    ThemeControl theme(*qobject_cast<QApplication*>(qApp), session.settings());
    MainWindow window(session, theme);
    window.resize(1280, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const int room = window.width() - window.findChild<NavRail*>()->width();
    for (const PageRow& row : pageCatalog()) {
        const int wanted = window.page(row.id)->minimumSizeHint().width();
        QVERIFY2(wanted <= room,
                 qPrintable(QString("%1 wants %2 of %3").arg(row.id).arg(wanted).arg(room)));
    }
}

void TstLargeText::theMenuBarShrinksAgain()
{
    const QTemporaryDir folder;
    ProjectSession session(nullptr, folder.filePath("settings.ini"));
    ThemeControl theme(*qobject_cast<QApplication*>(qApp), session.settings());
    MainWindow window(session, theme);
    window.resize(1280, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const auto* row = window.findChild<QWidget*>("menu_row");
    const auto* bar = row->findChild<QMenuBar*>();
    const int before = row->height();
    const int menus = bar->height();
    session.settings().setTextScale(2);
    QTRY_VERIFY_WITH_TIMEOUT(row->height() > before, kPatience);
    session.settings().setTextScale(1);
    QTRY_COMPARE_WITH_TIMEOUT(row->height(), before, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(bar->height(), menus, kPatience);
}

CANNERY_TEST(TstLargeText)
#include "tst_large_text.moc"
