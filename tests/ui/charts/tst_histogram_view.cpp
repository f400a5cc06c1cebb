// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/charts/histogram_view.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QBarCategoryAxis>
#include <QBarSet>
#include <QCategoryAxis>
#include <QChart>
#include <QHorizontalBarSeries>
#include <QStackedBarSeries>
#include <QTest>

using namespace cannery::ui;

namespace {

QChart* histogramChart(const HistogramView& view)
{
    for (QGraphicsItem* item : view.scene()->items()) {
        if (auto* chart = dynamic_cast<QChart*>(item)) {
            return chart;
        }
    }
    return nullptr;
}

ColumnFacts numbers()
{
    ColumnFacts column;
    column.name = "age";
    column.type = "number";
    column.minimum = 0;
    column.maximum = 80;
    column.binCounts = {10, 40, 20, 0, 1e-3};
    return column;
}

/// The number of pixels of this colour in the view's picture.
int pixelsInHistogram(HistogramView& view, const QColor& colour)
{
    const QImage image = view.grab().toImage().convertToFormat(QImage::Format_RGB32);
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            count += image.pixel(x, y) == colour.rgb() ? 1 : 0;
        }
    }
    return count;
}

} // namespace

class TstHistogramView : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void numbersHaveBarsOverAnAxisOfValues();
    void theFirstClassOfALabelIsGrey();
    void aSingleValueStandsInTheMiddle();
    void theMostFrequentCategoriesAreNamed();
    void withoutCountsNothingIsShown();
};

void TstHistogramView::numbersHaveBarsOverAnAxisOfValues()
{
    HistogramView view;
    view.resize(280, 100);
    view.setColumn(numbers());
    const QChart* chart = histogramChart(view);
    const auto* series = qobject_cast<QStackedBarSeries*>(chart->series().value(0));
    QVERIFY(series);
    QBarSet* bars = series->barSets().front();
    QCOMPARE(bars->count(), 5);
    QCOMPARE(bars->at(1), 40.0);
    QCOMPARE(bars->at(3), 0.0);
    // Every non-empty bar is visible.
    QVERIFY(bars->at(4) > 0.2 && bars->at(4) < 2);
    auto* axis = qobject_cast<QCategoryAxis*>(chart->axes(Qt::Horizontal).value(0));
    QVERIFY(axis && axis->isVisible());
    QVERIFY(axis->categoriesLabels().contains("40"));
    // 40 is the middle of 0 … 80.
    QCOMPARE(axis->endValue("40"), (axis->min() + axis->max()) / 2);
    QVERIFY(pixelsInHistogram(view, bars->color()) > 300);
}

void TstHistogramView::theFirstClassOfALabelIsGrey()
{
    ColumnFacts column = numbers();
    column.use = "label";
    column.binCounts = {30, 20};
    HistogramView view;
    view.resize(280, 100);
    view.setColumn(column);
    const int grey = pixelsInHistogram(view, tokens().series[7]);
    const int blue = pixelsInHistogram(view, tokens().series[0]);
    QVERIFY(blue > 300);
    QVERIFY(grey > blue && grey < 2 * blue);
}

void TstHistogramView::aSingleValueStandsInTheMiddle()
{
    ColumnFacts column = numbers();
    column.minimum = column.maximum = 7;
    column.binCounts = {50};
    HistogramView view;
    view.resize(280, 100);
    view.setColumn(column);
    auto* axis = qobject_cast<QCategoryAxis*>(histogramChart(view)->axes(Qt::Horizontal).value(0));
    QCOMPARE(axis->count(), 1);
    QCOMPARE(axis->endValue(axis->categoriesLabels().front()), 0.0);
}

void TstHistogramView::theMostFrequentCategoriesAreNamed()
{
    ColumnFacts column;
    column.type = "category";
    column.binLabels = QStringList{"<S>", "C", "", "a very long name that ends in one",
                                   "a very long name that ends in two"};
    column.binCounts = {1644, 270, 123, 4, 3};
    HistogramView view;
    view.resize(280, 100);
    view.setColumn(column);
    const QChart* chart = histogramChart(view);
    const auto* series = qobject_cast<QHorizontalBarSeries*>(chart->series().value(0));
    QVERIFY(series && series->isLabelsVisible());
    QBarSet* bars = series->barSets().front();
    QCOMPARE(bars->count(), 4);
    QCOMPARE(bars->at(3), 1644.0);
    auto* axis = qobject_cast<QBarCategoryAxis*>(chart->axes(Qt::Vertical).value(0));
    QVERIFY(axis);
    QCOMPARE(axis->count(), 4);
    QCOMPARE(axis->categories().back(), QString("&lt;S&gt;"));
    QVERIFY(pixelsInHistogram(view, tokens().series[0]) > 300);
}

void TstHistogramView::withoutCountsNothingIsShown()
{
    QWidget parent;
    HistogramView view(&parent);
    view.setColumn(numbers());
    QVERIFY(!view.isHidden());
    view.setColumn({});
    QVERIFY(view.isHidden());
}

CANNERY_TEST(TstHistogramView)
#include "tst_histogram_view.moc"
