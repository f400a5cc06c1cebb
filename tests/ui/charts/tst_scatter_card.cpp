// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/charts/steps/scatter_card.h"
#include "ui/charts/steps/scatter_picture.h"
#include "ui/widgets/style/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace cannery::ui;

namespace {

Scatter threePoints()
{
    return {.points = {{.x = -1, .y = 0, .group = 0, .text = "left"},
                       {.x = 0, .y = 2, .group = 1, .text = {}},
                       {.x = 3, .y = -2, .group = 0, .text = "right"}},
            .groups = {"no", "yes"},
            .xTitle = "Component 1 · 70 %",
            .yTitle = "Component 2 · 30 %",
            .note = {}};
}

QString valueSpoken(QWidget& card)
{
    return QAccessible::queryAccessibleInterface(&card)->text(QAccessible::Value);
}

/// How many pixels of the picture have exactly this colour.
int countOf(const QImage& picture, const QColor& colour)
{
    int count = 0;
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            count += picture.pixelColor(x, y).rgb() == colour.rgb() ? 1 : 0;
        }
    }
    return count;
}

QImage paintedOf(ScatterPicture& picture, const QSize& size)
{
    picture.layOut(size);
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(tokens().surface);
    QPainter painter(&image);
    picture.paint(painter);
    return image;
}

} // namespace

class TstScatterCard : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void itSaysWhatItShows();
    void keysWalkThroughThePoints();
    void thePointerFindsAndAClickChoosesThePoint();
    void placesFollowTheAxes();
    void groupsHaveTheirColours();
    void aLegendLeavesRoomForThePlot_data();
    void aLegendLeavesRoomForThePlot();
    void anyPointsAreDrawn_data();
    void anyPointsAreDrawn();
    void theSameScatterKeepsTheChoice();
};

void TstScatterCard::itSaysWhatItShows()
{
    ScatterCard card("Rows");
    QCOMPARE(card.readout(), QString());
    card.setScatter(threePoints());
    QCOMPARE(card.accessibleName(), "Rows");
    QCOMPARE(valueSpoken(card), "3 points · Component 1 · 70 % across · Component 2 · 30 % up · "
                                "groups: no, yes");
    card.setChosen(2);
    QCOMPARE(valueSpoken(card), "right · no · 3 across · −2 up");
    card.setChosen(1);
    QCOMPARE(valueSpoken(card), "yes · 0 across · 2 up");
}

void TstScatterCard::keysWalkThroughThePoints()
{
    ScatterCard card("Rows");
    card.setScatter(threePoints());
    QSignalSpy chosen(&card, &ScatterCard::chosenChanged);
    QTest::keyClick(&card, Qt::Key_Home);
    QCOMPARE(card.chosen(), 0);
    QTest::keyClick(&card, Qt::Key_Right);
    QTest::keyClick(&card, Qt::Key_Right);
    QTest::keyClick(&card, Qt::Key_Right); // there is no fourth
    QCOMPARE(card.chosen(), 2);
    QCOMPARE(chosen.size(), 3);
    QTest::keyClick(&card, Qt::Key_Escape);
    QCOMPARE(card.chosen(), -1);
    QVERIFY(!card.hasCursor());
    QCOMPARE(chosen.last().first().value<qsizetype>(), -1);
}

void TstScatterCard::thePointerFindsAndAClickChoosesThePoint()
{
    ScatterCard card("Rows");
    card.resize(420, 360);
    card.setScatter(threePoints());
    card.show();
    QVERIFY(QTest::qWaitForWindowExposed(&card));
    QSignalSpy chosen(&card, &ScatterCard::chosenChanged);
    const QPoint place = card.placeOf(2) - QPoint(6, 4);
    QWidget* under = card.childAt(place);
    QVERIFY(under != nullptr);
    const QPointF there = under->mapFrom(&card, place);
    QMouseEvent move(QEvent::MouseMove, there, under->mapToGlobal(there), Qt::NoButton,
                     Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(under, &move);
    QVERIFY2(card.readout().startsWith("right"), qPrintable(card.readout()));
    QVERIFY(chosen.isEmpty()); // only looked at
    QTest::mouseClick(under, Qt::LeftButton, {}, under->mapFrom(&card, place));
    QCOMPARE(card.chosen(), 2);
    QCOMPARE(chosen.size(), 1);
    // Where the pointer leaves, the chosen point is at the cursor again.
    const QPoint other = card.placeOf(0);
    QTest::mouseMove(under, under->mapFrom(&card, other));
    QTRY_VERIFY(card.readout().startsWith("left"));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(under->parentWidget(), &leave);
    QVERIFY2(card.readout().startsWith("right"), qPrintable(card.readout()));
}

void TstScatterCard::placesFollowTheAxes()
{
    ScatterPicture picture(threePoints());
    picture.layOut({400, 300});
    const QPointF left = picture.placeOf(0);
    const QPointF top = picture.placeOf(1);
    const QPointF right = picture.placeOf(2);
    QVERIFY(left.x() < top.x() && top.x() < right.x());
    QVERIFY(top.y() < left.y() && left.y() < right.y());
    // From −1 to 0 is a third of the way from 0 to 3.
    QVERIFY(std::abs(3 * (top.x() - left.x()) - (right.x() - top.x())) < 1e-6);
    for (const QPointF& place : {left, top, right}) {
        QVERIFY(picture.plot().contains(place));
    }
    QCOMPARE(picture.stepAt(top + QPointF(5, 5)), 1);
}

void TstScatterCard::groupsHaveTheirColours()
{
    Scatter scatter = threePoints();
    ScatterPicture both(scatter);
    const QImage picture = paintedOf(both, {400, 300});
    // The legend is opaque, points let what is below shine through.
    QVERIFY(countOf(picture, seriesColour(0)) > 20);
    QVERIFY(countOf(picture, seriesColour(1)) > 20);
    scatter.groups.clear();
    for (ComponentPoint& point : scatter.points) {
        point.group = -1;
    }
    ScatterPicture none(scatter);
    QCOMPARE(countOf(paintedOf(none, {400, 300}), seriesColour(1)), 0);
}

void TstScatterCard::aLegendLeavesRoomForThePlot_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("rows");
    QTest::newRow("wide") << 1200 << 1;
    QTest::newRow("narrow") << 120 << 8;
}

void TstScatterCard::aLegendLeavesRoomForThePlot()
{
    QFETCH(int, width);
    QFETCH(int, rows);
    Scatter scatter = threePoints();
    scatter.groups.clear();
    ScatterPicture without(scatter);
    without.layOut(QSizeF(width, 400));
    scatter.groups = QStringList(8, "a group with a name");
    ScatterPicture with(scatter);
    with.layOut(QSizeF(width, 400));
    const double row = QFontMetricsF(textFont(TextRole::Label)).lineSpacing();
    const double taken = with.plot().top() - without.plot().top();
    QVERIFY2(taken > (rows - 0.5) * row && taken < (rows + 1) * row,
             qPrintable(QString::number(taken)));
    QCOMPARE(with.plot().bottom(), without.plot().bottom());
}

void TstScatterCard::anyPointsAreDrawn_data()
{
    QTest::addColumn<QList<double>>("xs");
    QTest::newRow("none") << QList<double>();
    QTest::newRow("one") << QList<double>{5};
    QTest::newRow("the same") << QList<double>{5, 5, 5};
    QTest::newRow("far apart") << QList<double>{-1e300, 1e300};
    QTest::newRow("tiny") << QList<double>{1e-300, 2e-300};
}

void TstScatterCard::anyPointsAreDrawn()
{
    QFETCH(QList<double>, xs);
    Scatter scatter;
    for (const double x : xs) {
        scatter.points.append({.x = x, .y = -x, .group = -1, .text = "a text"});
    }
    ScatterPicture picture(scatter);
    picture.layOut({300, 200});
    for (qsizetype point = 0; point < xs.size(); ++point) {
        const QPointF place = picture.placeOf(point);
        QVERIFY2(picture.plot().adjusted(-1, -1, 1, 1).contains(place),
                 qPrintable(QString("%1, %2").arg(place.x()).arg(place.y())));
    }
    ScatterCard card("Rows");
    card.resize(300, 240);
    card.setScatter(scatter);
    card.show();
    QVERIFY(!card.grab().isNull());
    QCOMPARE(picture.stepAt({150, 100}) < 0, xs.isEmpty());
    // In hardly any room, too.
    picture.layOut({3, 2});
    QVERIFY(!picture.plot().isEmpty());
}

void TstScatterCard::theSameScatterKeepsTheChoice()
{
    ScatterCard card("Rows");
    card.setScatter(threePoints());
    card.setChosen(1);
    card.setScatter(threePoints());
    QCOMPARE(card.chosen(), 1);
    Scatter other = threePoints();
    other.points.removeLast();
    card.setScatter(other);
    QCOMPARE(card.chosen(), -1);
    QVERIFY(card.readout().startsWith("2 points"));
}

CANNERY_TEST(TstScatterCard)
#include "tst_scatter_card.moc"
