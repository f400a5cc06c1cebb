// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/shown_numbers.h"
#include "tests/support/test_main.h"
#include "ui/editors/bucket_divider.h"
#include "ui/editors/bucket_editor.h"
#include "ui/editors/bucket_plot.h"
#include "ui/models/tables/column_facts.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QAccessibleWidget>
#include <QApplication>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include <cmath>

using namespace cannery::ui;

namespace {

using Boundaries = QList<double>;

/// Ages 0 … 100, one of each.
NumberDistribution ages()
{
    ColumnFacts column{.name = "age", .type = "number"};
    for (int i = 0; i <= 100; ++i) {
        column.quantiles.append(i);
    }
    column.bins = QList<double>(20, 5);
    column.binsBegin = 0;
    column.binsEnd = 100;
    return NumberDistribution::of(column);
}

/// An editor of three boundaries, shown, and what it told.
struct BucketStage
{
    BucketEditor editor;
    QSignalSpy changes{&editor, &BucketEditor::boundariesChanged};

    BucketStage()
    {
        editor.setNumbers(ages());
        editor.setBoundaries({20, 40, 60});
        editor.resize(320, 260);
        editor.show();
        QVERIFY(QTest::qWaitForWindowActive(&editor));
    }
    BucketPlot& plot() const { return *editor.findChild<BucketPlot*>(); }
    QWidget* divider(int index) const
    {
        return editor.findChild<QWidget*>(QStringLiteral("divider.%1").arg(index));
    }
    QString text() const { return editor.findChild<QLineEdit*>("field.boundaries")->text(); }
    Boundaries last() const { return changes.last().at(0).value<Boundaries>(); }
    bool wasTyping() const { return changes.last().at(1).toBool(); }
};

} // namespace

class TstBucketEditor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void aDividerFollowsTheMouseAndIsToldOnce();
    void aDividerStopsAtItsNeighbours();
    void arrowKeysMoveADivider();
    void upDownAndTabChooseADivider();
    void deleteRemovesAndInsertAdds();
    void theLastBoundaryStays();
    void aDoubleClickAddsABoundary();
    void textAndDividersAreTheSame();
    void wrongTextSaysWhyAndChangesNothing();
    void quantilesAndEqualWidthsCut();
    void aDividerIsASlider();
    void withoutStatisticsDividersStillMove();
};

void TstBucketEditor::aDividerFollowsTheMouseAndIsToldOnce()
{
    BucketStage stage;
    QWidget* handle = stage.divider(1);
    const QPoint middle = handle->rect().center();
    QTest::mousePress(handle, Qt::LeftButton, {}, middle);
    const QPoint far(int(std::lround(stage.plot().xOf(50))), 20);
    for (const int x : {far.x() - 9, far.x() - 4, far.x()}) {
        QMouseEvent move(QEvent::MouseMove, handle->mapFrom(&stage.plot(), QPointF(x, 20)),
                         stage.plot().mapToGlobal(QPointF(x, 20)), Qt::NoButton, Qt::LeftButton,
                         {});
        QApplication::sendEvent(handle, &move);
    }
    QVERIFY(std::abs(stage.editor.boundaries()[1] - 50) <= 1);
    QCOMPARE(stage.text(), boundariesText(stage.editor.boundaries()));
    QCOMPARE(stage.changes.size(), 0);
    QTest::mouseRelease(handle, Qt::LeftButton, {}, middle);
    QCOMPARE(stage.changes.size(), 1);
    QCOMPARE(stage.last(), stage.editor.boundaries());
    QVERIFY(!stage.wasTyping());
    // A click moves nothing.
    QTest::mouseClick(handle, Qt::LeftButton, {}, middle);
    QCOMPARE(stage.changes.size(), 1);
}

void TstBucketEditor::aDividerStopsAtItsNeighbours()
{
    BucketStage stage;
    stage.plot().moveTo(1, 1000);
    QCOMPARE(stage.editor.boundaries(), Boundaries({20, 59, 60}));
    stage.plot().moveTo(1, -1000);
    QCOMPARE(stage.editor.boundaries(), Boundaries({20, 21, 60}));
    stage.plot().moveTo(2, 1000);
    QCOMPARE(stage.editor.boundaries(), Boundaries({20, 21, 100}));
}

void TstBucketEditor::arrowKeysMoveADivider()
{
    BucketStage stage;
    stage.divider(0)->setFocus();
    QTest::keyClick(stage.divider(0), Qt::Key_Right);
    QCOMPARE(stage.last(), Boundaries({21, 40, 60}));
    QVERIFY(stage.wasTyping());
    QTest::keyClick(stage.divider(0), Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(stage.last(), Boundaries({11, 40, 60}));
    QCOMPARE(stage.text(), cannery::tests::shownList("11, 40, 60"));
    for (int i = 0; i < 5; ++i) {
        QTest::keyClick(stage.divider(0), Qt::Key_Right, Qt::ShiftModifier);
    }
    QCOMPARE(stage.last(), Boundaries({39, 40, 60}));
}

void TstBucketEditor::upDownAndTabChooseADivider()
{
    BucketStage stage;
    stage.plot().setFocus();
    QTest::keyClick(&stage.plot(), Qt::Key_Down);
    QCOMPARE(qApp->focusWidget(), stage.divider(0));
    QTest::keyClick(qApp->focusWidget(), Qt::Key_Down);
    QCOMPARE(qApp->focusWidget(), stage.divider(1));
    QTest::keyClick(qApp->focusWidget(), Qt::Key_Up);
    QCOMPARE(qApp->focusWidget(), stage.divider(0));
    QTest::keyClick(qApp->focusWidget(), Qt::Key_Tab);
    QCOMPARE(qApp->focusWidget(), stage.divider(1));
    QTest::keyClick(qApp->focusWidget(), Qt::Key_Tab);
    QTest::keyClick(qApp->focusWidget(), Qt::Key_Tab);
    QCOMPARE(qApp->focusWidget()->objectName(), QString("field.boundaries"));
}

void TstBucketEditor::deleteRemovesAndInsertAdds()
{
    BucketStage stage;
    stage.divider(1)->setFocus();
    QTest::keyClick(stage.divider(1), Qt::Key_Delete);
    QCOMPARE(stage.last(), Boundaries({20, 60}));
    QVERIFY(!stage.wasTyping());
    QVERIFY(!stage.divider(2) || stage.divider(2)->isHidden());
    QCOMPARE(qApp->focusWidget(), stage.divider(1));
    QTest::keyClick(stage.divider(0), Qt::Key_Insert);
    QCOMPARE(stage.last(), Boundaries({20, 40, 60}));
    QCOMPARE(qApp->focusWidget(), stage.divider(1));
    QTest::keyClick(&stage.plot(), Qt::Key_Insert);
    QCOMPARE(stage.last(), Boundaries({20, 40, 60, 80}));
}

void TstBucketEditor::theLastBoundaryStays()
{
    BucketStage stage;
    stage.editor.setBoundaries({40});
    QTest::keyClick(stage.divider(0), Qt::Key_Delete);
    QCOMPARE(stage.changes.size(), 0);
    QCOMPARE(stage.editor.boundaries(), Boundaries({40}));
}

void TstBucketEditor::aDoubleClickAddsABoundary()
{
    BucketStage stage;
    const QPoint where(int(std::lround(stage.plot().xOf(80))), 30);
    QTest::mouseDClick(&stage.plot(), Qt::LeftButton, {}, where);
    QCOMPARE(stage.last().size(), 4);
    QVERIFY(std::abs(stage.last()[3] - 80) <= 1);
    QVERIFY(stage.divider(3) && !stage.divider(3)->isHidden());
}

void TstBucketEditor::textAndDividersAreTheSame()
{
    BucketStage stage;
    auto* field = stage.editor.findChild<QLineEdit*>("field.boundaries");
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "5, 18, 1");
    // On the way: 5 | 5, 1 | 5, 18; "5, 18, 1" is none.
    QCOMPARE(stage.last(), Boundaries({5, 18}));
    QVERIFY(stage.wasTyping());
    QTest::keyClicks(field, "00");
    QCOMPARE(stage.last(), Boundaries({5, 18, 100}));
    QCOMPARE(stage.plot().boundaries(), stage.last());
    // The document answers; the text is not touched while it means the same.
    stage.editor.setBoundaries({5, 18, 100});
    QCOMPARE(field->text(), QString("5, 18, 100"));
    stage.editor.setBoundaries({7});
    QCOMPARE(field->text(), QString("7"));
}

void TstBucketEditor::wrongTextSaysWhyAndChangesNothing()
{
    BucketStage stage;
    auto* field = stage.editor.findChild<QLineEdit*>("field.boundaries");
    auto* problem = stage.editor.findChild<QLabel*>("problem.boundaries");
    QVERIFY(problem->isHidden());
    field->setFocus();
    field->setText(cannery::tests::shownList("20, 40, 60, "));
    QTest::keyClicks(field, "x");
    QVERIFY(!problem->isHidden());
    QCOMPARE(problem->text(), QStringLiteral("“x” is not a number."));
    QCOMPARE(stage.changes.size(), 0);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(field->text(), cannery::tests::shownList("20, 40, 60"));
    QVERIFY(problem->isHidden());
}

void TstBucketEditor::quantilesAndEqualWidthsCut()
{
    BucketStage stage;
    auto* count = stage.editor.findChild<QSpinBox*>("field.bucket_count");
    QVERIFY(count->isHidden());
    auto* ways = stage.editor.findChild<Segmented*>();
    QTest::mouseClick(ways->findChildren<QAbstractButton*>().at(1), Qt::LeftButton);
    QVERIFY(!count->isHidden());
    QCOMPARE(stage.last(), Boundaries({25, 50, 75}));
    count->setValue(5);
    QCOMPARE(stage.last(), Boundaries({20, 40, 60, 80}));
    QVERIFY(!stage.wasTyping());
    QTest::mouseClick(ways->findChildren<QAbstractButton*>().at(2), Qt::LeftButton);
    count->setValue(2);
    QCOMPARE(stage.last(), Boundaries({50}));
    // A divider that is moved is one by hand.
    QTest::keyClick(stage.divider(0), Qt::Key_Right);
    QCOMPARE(ways->currentIndex(), 0);
    QVERIFY(count->isHidden());
}

void TstBucketEditor::aDividerIsASlider()
{
    BucketStage stage;
    QAccessibleInterface* slider = QAccessible::queryAccessibleInterface(stage.divider(1));
    QVERIFY(slider);
    QCOMPARE(slider->role(), QAccessible::Slider);
    QCOMPARE(slider->text(QAccessible::Name), QString("Boundary 2 of 3"));
    QCOMPARE(slider->text(QAccessible::Value), QString("40"));
    QAccessibleValueInterface* value = slider->valueInterface();
    QCOMPARE(value->minimumValue().toDouble(), 20.0);
    QCOMPARE(value->maximumValue().toDouble(), 60.0);
    value->setCurrentValue(45);
    QCOMPARE(stage.last(), Boundaries({20, 45, 60}));
}

void TstBucketEditor::withoutStatisticsDividersStillMove()
{
    BucketEditor editor;
    editor.setBoundaries({1, 2});
    editor.resize(300, 200);
    editor.show();
    QVERIFY(!editor.findChild<Segmented*>()->isEnabled());
    const QSignalSpy changes(&editor, &BucketEditor::boundariesChanged);
    QTest::keyClick(editor.findChild<QWidget*>("divider.1"), Qt::Key_Right);
    QCOMPARE(changes.size(), 1);
    QVERIFY(isIncreasing(editor.boundaries()));
    QVERIFY(editor.boundaries()[1] > 2);
}

CANNERY_TEST(TstBucketEditor)
#include "tst_bucket_editor.moc"
