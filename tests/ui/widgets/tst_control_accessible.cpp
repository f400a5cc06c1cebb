// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/widgets/behaviour/control_accessible.h"

#include <QAccessible>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>

using namespace cannery;
using namespace cannery::ui;

class TstControlAccessible : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aScrollBarThatHasGoneIsNoChild();
};

/// A screen reader counts the parts of a page, its scroll bar goes, and it asks for the last one.
void TstControlAccessible::aScrollBarThatHasGoneIsNoChild()
{
    installControlAccessible();
    QScrollArea area;
    area.resize(200, 200);
    area.setWidget(new QWidget);
    area.widget()->resize(100, 1000);
    area.show();
    QVERIFY(QTest::qWaitForWindowExposed(&area));
    QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(&area);
    QVERIFY(accessible != nullptr);
    QCOMPARE(accessible->childCount(), 2);
    QCOMPARE(accessible->child(0)->object(), area.viewport());
    QCOMPARE(accessible->child(1)->object(), area.verticalScrollBar()->parentWidget());
    QCOMPARE(accessible->indexOfChild(accessible->child(1)), 1);
    area.widget()->resize(100, 100);
    QTRY_VERIFY(!area.verticalScrollBar()->isVisible());
    QCOMPARE(accessible->childCount(), 1);
    for (const int index : {-1, 1, 100}) {
        QVERIFY(accessible->child(index) == nullptr);
    }
}

CANNERY_TEST(TstControlAccessible)
#include "tst_control_accessible.moc"
