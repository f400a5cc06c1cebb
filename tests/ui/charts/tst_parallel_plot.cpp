// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/charts/parallel_plot.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractAxis>
#include <QCategoryAxis>
#include <QChart>
#include <QFontMetricsF>
#include <QGraphicsScene>
#include <QGraphicsTextItem>
#include <QImage>
#include <QTest>

#include <cmath>

using namespace cannery::ui;

class TstParallelPlot : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theAxesAreNamedByAChart();
    void namesThatLookAlikeStayDistinct();
    void aLineIsDrawnFromAxisToAxis();
    void aLineIsInterruptedWhereARunHasNoValue();
    void theLastStudyAloneIsShown();
    void namesLeaveRoomForTheUpperEnds();
    void aMarkedPartLeavesOtherLinesFaint();
    void aDragOfAPartMovesIt();

private:
    static QStringList namesOf(const ParallelPlot& plot);
    static bool hasColour(const QImage& picture, const QRect& where, const QColor& colour);
};

namespace {

StudyAxis axisOf(const QString& label)
{
    return {.path = label, .label = label, .max = 1};
}

ParameterStudy studyOf(const QStringList& labels, const QList<double>& places)
{
    ParameterStudy study{.metric = "loss"};
    for (const QString& label : labels) {
        study.axes << axisOf(label);
    }
    study.lines << StudyLine{.run = "run-001", .label = "First", .colourSlot = 0, .places = places};
    for (qsizetype i = 0; i < places.size(); ++i) {
        study.lines.back().values << QString::number(places[i]);
    }
    return study;
}

} // namespace

QStringList TstParallelPlot::namesOf(const ParallelPlot& plot)
{
    for (QGraphicsItem* item : plot.scene()->items()) {
        if (const auto* chart = dynamic_cast<QChart*>(item)) {
            const auto axes = chart->axes(Qt::Horizontal);
            auto* names = qobject_cast<QCategoryAxis*>(axes.value(0));
            return names != nullptr ? names->categoriesLabels() : QStringList();
        }
    }
    return {};
}

bool TstParallelPlot::hasColour(const QImage& picture, const QRect& where, const QColor& colour)
{
    for (int y = where.top(); y <= where.bottom(); ++y) {
        for (int x = where.left(); x <= where.right(); ++x) {
            if (picture.pixelColor(x, y).rgb() == colour.rgb()) {
                return true;
            }
        }
    }
    return false;
}

void TstParallelPlot::theAxesAreNamedByAChart()
{
    ParallelPlot plot;
    plot.resize(600, 300);
    plot.setStudy(studyOf({"learning_rate", "<b>", "loss"}, {0, 1, 0}));
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    QCOMPARE(namesOf(plot), (QStringList{"learning_rate", "&lt;b&gt;", "loss"}));
}

void TstParallelPlot::namesThatLookAlikeStayDistinct()
{
    ParallelPlot plot;
    plot.resize(300, 220);
    const QString middle = QString("a").repeated(80);
    plot.setStudy(studyOf({"first" + middle, "other" + middle, "loss"}, {0, 1, 0}));
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    QStringList names = namesOf(plot);
    QCOMPARE(names.size(), 3);
    QVERIFY(names[0].remove(QChar(0x200b)) != names[1].remove(QChar(0x200b)));
    QVERIFY(names[0].size() < 80);
}

void TstParallelPlot::aLineIsDrawnFromAxisToAxis()
{
    ParallelPlot plot;
    plot.resize(600, 300);
    plot.setStudy(studyOf({"x", "loss"}, {0.5, 0.5}));
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    const QImage picture = plot.grab().toImage();
    QVERIFY(hasColour(picture, {250, 40, 100, 220}, seriesColour(0)));
}

void TstParallelPlot::aLineIsInterruptedWhereARunHasNoValue()
{
    ParallelPlot plot;
    plot.resize(600, 300);
    plot.setStudy(studyOf({"x", "y", "loss"}, {0.5, std::nan(""), 0.5}));
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    QVERIFY(!hasColour(plot.grab().toImage(), plot.rect(), seriesColour(0)));
}

void TstParallelPlot::theLastStudyAloneIsShown()
{
    ParallelPlot plot;
    plot.resize(600, 300);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    plot.setStudy(studyOf({"x", "y", "loss"}, {0, 1, 0}));
    plot.setStudy(studyOf({"z", "loss"}, {0, 1}));
    QCOMPARE(namesOf(plot), (QStringList{"z", "loss"}));
    plot.setStudy({});
    QVERIFY(!hasColour(plot.grab().toImage(), plot.rect(), seriesColour(0)));
}

void TstParallelPlot::namesLeaveRoomForTheUpperEnds()
{
    ParallelPlot plot;
    plot.resize(600, 300);
    plot.setStudy(studyOf({"x", "loss"}, {1, 1}));
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    const QImage picture = plot.grab().toImage();
    int line = 0;
    while (line < picture.height() && !hasColour(picture, {250, line, 100, 1}, seriesColour(0))) {
        ++line;
    }
    const double ends = line - QFontMetricsF(textFont(TextRole::Axis)).height();
    int names = 0;
    for (const QGraphicsItem* item : plot.scene()->items()) {
        if (item->type() == QGraphicsTextItem::Type && item->isVisible()) {
            const auto* text = static_cast<const QGraphicsTextItem*>(item);
            names += text->toPlainText().isEmpty() ? 0 : 1;
            QVERIFY2(text->toPlainText().isEmpty() ||
                         text->sceneBoundingRect().bottom() <= ends + 1,
                     qPrintable(text->toPlainText()));
        }
    }
    QCOMPARE(names, 2);
}

void TstParallelPlot::aMarkedPartLeavesOtherLinesFaint()
{
    ParallelPlot plot;
    plot.resize(600, 300);
    ParameterStudy study = studyOf({"x", "loss"}, {0, 0});
    study.lines << StudyLine{.run = "run-002", .colourSlot = 1, .places = {1, 1}};
    plot.setStudy(study);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    const auto shows = [&](int slot) {
        return hasColour(plot.grab().toImage(), {250, 40, 100, 255}, seriesColour(slot));
    };
    QVERIFY(shows(0) && shows(1));
    QTest::keyClick(&plot, Qt::Key_Up);
    QVERIFY(!shows(0) && shows(1));
    QTest::mouseClick(plot.viewport(), Qt::LeftButton, {}, {300, 150}); // beside the axes
    QVERIFY(shows(0) && shows(1));
}

void TstParallelPlot::aDragOfAPartMovesIt()
{
    ParallelPlot plot;
    plot.resize(600, 300);
    plot.setStudy(studyOf({"x", "loss"}, {0.5, 0.5}));
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    const QRectF area = plot.area();
    const auto at = [&](double share) {
        return QPointF(area.left(), area.bottom() - share * area.height()).toPoint();
    };
    const auto drag = [&](double from, double to) {
        QTest::mousePress(plot.viewport(), Qt::LeftButton, {}, at(from));
        QTest::mouseMove(plot.viewport(), at(to));
        QTest::mouseRelease(plot.viewport(), Qt::LeftButton, {}, at(to));
        return *plot.brushes().on("x");
    };
    const double pixel = 1.5 / area.height();
    const AxisPart made = drag(0.2, 0.4);
    QVERIFY(std::abs(made.from - 0.2) < pixel && std::abs(made.to - 0.4) < pixel);
    const AxisPart moved = drag(0.3, 0.5);
    QVERIFY(std::abs(moved.from - 0.4) < pixel && std::abs(moved.to - 0.6) < pixel);
    const AxisPart atTheEnd = drag(0.5, 1);
    QCOMPARE(atTheEnd.to, 1.0);
    QVERIFY(std::abs(atTheEnd.from - 0.8) < pixel);
    const AxisPart fresh = drag(0.1, 0.3); // beside the part
    QVERIFY(std::abs(fresh.from - 0.1) < pixel && std::abs(fresh.to - 0.3) < pixel);
}

CANNERY_TEST(TstParallelPlot)
#include "tst_parallel_plot.moc"
