// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/charts/card_stage.h"
#include "ui/charts/curves/chart_link.h"
#include "ui/charts/curves/limits_dialog.h"

#include <QClipboard>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QWheelEvent>

using namespace cannery::ui;
using namespace cannery::tests;

namespace {

void fill(ScriptedSeries& series, int count, double stride = 1)
{
    for (int i = 0; i < count; ++i) {
        series.add(std::int64_t(i * stride), 0.5F + 0.4F * std::sin(float(i) * 0.1F));
    }
    series.publish();
}

void turnWheel(CardStage& stage, double x, int notches, Qt::KeyboardModifiers modifiers = {})
{
    QWidget* canvas = stage.canvas();
    const QPointF at(stage.inCanvas(x, 0.5));
    QWheelEvent event(at, canvas->mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton,
                      modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(canvas, &event);
}

void hoverAt(CardStage& stage, double x, double y)
{
    const QPointF at(stage.inCanvas(x, y));
    QMouseEvent event(QEvent::MouseMove, at, stage.canvas()->mapToGlobal(at), Qt::NoButton, {}, {});
    QApplication::sendEvent(stage.canvas(), &event);
}

} // namespace

class TstChartInput : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void everyKeyHasItsCommand_data();
    void everyKeyHasItsCommand();
    void everyCommandStandsInTheMenu();
    void wheelZoomsUnderThePointer();
    void middleDragPansAndDoubleClickResets();
    void aDragIsAStepOfItsOwnInTheHistory();
    void escapeUndoesZoomThenCursorThenFocus();
    void arrowsWalkTheLoggedPoints();
    void keysOfTheWindowDoNotTakeThoseOfAChart();
    void linkedCardsShareRangeAndCursor();
    void cardsOnAnotherAxisTakeNoPart();
    void hoveringACurveNamesItsRun();
    void aClickOnTheTitleLeavesTheCursorToThePointer();
    void tagsAreDropped();
    void typedLimitsAreChecked();
    void figuresAndValuesAreSaved();
    void copiesGoToTheClipboard();
    void dataTableShowsEveryPoint();
};

void TstChartInput::everyKeyHasItsCommand_data()
{
    QTest::addColumn<int>("key");
    QTest::addColumn<int>("modifiers");
    QTest::addColumn<QByteArray>("json");
    const auto row = [](const char* name, Qt::Key key, Qt::KeyboardModifiers modifiers,
                        const char* json) {
        QTest::newRow(name) << int(key) << int(modifiers) << QByteArray(json);
    };
    row("L", Qt::Key_L, {}, "log_y");
    row("Shift+L", Qt::Key_L, Qt::ShiftModifier, "log_x");
    row("X", Qt::Key_X, {}, "x_axis");
    row("O", Qt::Key_O, {}, "ignore_outliers");
    row("]", Qt::Key_BracketRight, {}, "smoothing");
    row("+", Qt::Key_Plus, Qt::ShiftModifier, "x_limits");
    row("=", Qt::Key_Equal, {}, "x_limits");
    row("F", Qt::Key_F, {}, "x_limits");
}

void TstChartInput::everyKeyHasItsCommand()
{
    QFETCH(int, key);
    QFETCH(int, modifiers);
    QFETCH(QByteArray, json);
    CardStage stage;
    fill(stage.addSeries(), 500);
    stage.showCurves();
    stage.show();
    stage.card.setFocus();
    const QJsonObject before = toJson(stage.card.options());
    QSignalSpy changed(&stage.card, &ChartCard::optionsChanged);
    QTest::keyClick(&stage.card, Qt::Key(key), Qt::KeyboardModifiers(modifiers));
    QCOMPARE(changed.size(), 1);
    const QJsonObject after = toJson(stage.card.options());
    QVERIFY(before[QString::fromLatin1(json)] != after[QString::fromLatin1(json)]);
}

void TstChartInput::everyCommandStandsInTheMenu()
{
    CardStage stage;
    fill(stage.addSeries(), 500);
    stage.showCurves();
    stage.show();
    int shown = 0;
    connect(&stage.card, &ChartCard::menuAboutToShow, this, [&shown](QMenu*) { ++shown; });
    stage.card.findChild<QAbstractButton*>("chart.menu_button")->click();
    auto* menu = stage.card.findChild<QMenu*>("chart.menu");
    QVERIFY(menu && shown == 1);
    for (int command = 0; command <= int(ChartCommand::DataTable); ++command) {
        QVERIFY2(menu->findChild<QAction*>(QStringLiteral("chart.command.%1").arg(command)),
                 qPrintable(QString::number(command)));
    }
    QVERIFY(menu->findChild<QMenu*>("chart.menu.smoothing"));
    QVERIFY(menu->findChild<QMenu*>("chart.menu.x_axis"));
    menu->findChild<QAction*>(QStringLiteral("chart.command.%1").arg(int(ChartCommand::LogY)))
        ->trigger();
    QVERIFY(stage.card.options().logY);
    menu->close();
}

void TstChartInput::wheelZoomsUnderThePointer()
{
    CardStage stage;
    fill(stage.addSeries(), 1001);
    stage.showCurves();
    stage.show();
    stage.card.setFocus();
    const double under = stage.card.canvas().plot().axes.x().limits().min +
                         0.25 * (stage.card.canvas().plot().axes.x().limits().max -
                                 stage.card.canvas().plot().axes.x().limits().min);
    turnWheel(stage, 0.25, 3);
    stage.settle();
    const AxisLimits zoomed = stage.card.canvas().plot().axes.x().limits();
    const double length = zoomed.max - zoomed.min;
    QVERIFY(std::fabs(length - 1020 / 1.728) < 10);
    QVERIFY(std::fabs(zoomed.min + 0.25 * length - under) < 6);
    QVERIFY(!stage.card.options().yLimits);
    turnWheel(stage, 0.25, 1, Qt::ShiftModifier);
    QVERIFY(stage.card.options().yLimits.has_value());
    // Zoomed out beyond all data: it follows again.
    turnWheel(stage, 0.5, -20);
    stage.settle();
    QVERIFY(stage.card.options().follows());
}

void TstChartInput::middleDragPansAndDoubleClickResets()
{
    CardStage stage;
    fill(stage.addSeries(), 1001);
    stage.showCurves();
    ChartOptions options;
    options.xLimits = AxisLimits{400, 600};
    stage.card.setOptions(options);
    stage.show();
    QWidget* canvas = stage.canvas();
    QTest::mousePress(canvas, Qt::MiddleButton, {}, stage.inCanvas(0.5, 0.5));
    QTest::mouseMove(canvas, stage.inCanvas(0.4, 0.5));
    QTest::mouseMove(canvas, stage.inCanvas(0.25, 0.5));
    QTest::mouseRelease(canvas, Qt::MiddleButton, {}, stage.inCanvas(0.25, 0.5));
    stage.settle();
    QVERIFY(std::fabs(stage.card.canvas().plot().axes.x().limits().min - 450) < 3);
    QVERIFY(std::fabs(stage.card.canvas().plot().axes.x().limits().max - 650) < 3);
    // One step in the history for the whole drag.
    stage.card.perform(ChartCommand::UndoZoom);
    QCOMPARE(stage.card.options().xLimits.value(), (AxisLimits{400, 600}));
    QTest::mouseDClick(canvas, Qt::LeftButton, {}, stage.inCanvas(0.5, 0.5));
    QVERIFY(stage.card.options().follows());
}

void TstChartInput::aDragIsAStepOfItsOwnInTheHistory()
{
    CardStage stage;
    fill(stage.addSeries(), 1001);
    stage.showCurves();
    stage.show();
    stage.card.perform(ChartCommand::ZoomIn);
    stage.settle();
    const auto zoomed = stage.card.options().xLimits;
    QVERIFY(zoomed.has_value());
    QWidget* canvas = stage.canvas();
    QTest::mousePress(canvas, Qt::MiddleButton, {}, stage.inCanvas(0.5, 0.5));
    QTest::mouseMove(canvas, stage.inCanvas(0.4, 0.5));
    QTest::mouseMove(canvas, stage.inCanvas(0.25, 0.5));
    QTest::mouseRelease(canvas, Qt::MiddleButton, {}, stage.inCanvas(0.25, 0.5));
    QVERIFY(stage.card.options().xLimits != zoomed);
    stage.card.perform(ChartCommand::UndoZoom);
    QCOMPARE(stage.card.options().xLimits, zoomed);
    stage.card.perform(ChartCommand::UndoZoom);
    QVERIFY(stage.card.options().follows());
}

void TstChartInput::escapeUndoesZoomThenCursorThenFocus()
{
    CardStage stage;
    fill(stage.addSeries(), 1001);
    stage.showCurves();
    stage.show();
    stage.card.setFocus();
    stage.card.perform(ChartCommand::ZoomIn);
    stage.settle(500);
    stage.card.perform(ChartCommand::ZoomIn);
    stage.settle(500);
    QTest::keyClick(&stage.card, Qt::Key_Right);
    QVERIFY(stage.card.cursor().x());
    QTest::keyClick(&stage.card, Qt::Key_Escape);
    QVERIFY(!stage.card.options().follows());
    QTest::keyClick(&stage.card, Qt::Key_Escape);
    QVERIFY(stage.card.options().follows());
    QVERIFY(stage.card.cursor().x());
    QTest::keyClick(&stage.card, Qt::Key_Escape);
    QVERIFY(!stage.card.cursor().x());
    QVERIFY(stage.card.hasFocus());
    QTest::keyClick(&stage.card, Qt::Key_Escape);
    QVERIFY(!stage.card.hasFocus());
}

void TstChartInput::arrowsWalkTheLoggedPoints()
{
    CardStage stage;
    fill(stage.addSeries("run-001"), 100, 10);
    fill(stage.addSeries("run-002"), 50, 25);
    stage.showCurves();
    stage.show();
    stage.card.setFocus();
    QTest::keyClick(&stage.card, Qt::Key_Right);
    QCOMPARE(stage.card.cursor().x().value(), 0.0);
    QTest::keyClick(&stage.card, Qt::Key_Right);
    QCOMPARE(stage.card.cursor().x().value(), 10.0);
    QTest::keyClick(&stage.card, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(stage.card.cursor().x().value(), 110.0);
    QTest::keyClick(&stage.card, Qt::Key_Left);
    QCOMPARE(stage.card.cursor().x().value(), 100.0);
    QSignalSpy hovered(&stage.card, &ChartCard::runHovered);
    QTest::keyClick(&stage.card, Qt::Key_Down);
    QCOMPARE(hovered.last().first().toString(), QString("run-002"));
    QTest::keyClick(&stage.card, Qt::Key_Right);
    QCOMPARE(stage.card.cursor().x().value(), 125.0);
    QTest::keyClick(&stage.card, Qt::Key_Left, Qt::ShiftModifier);
    QTest::keyClick(&stage.card, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(stage.card.cursor().x().value(), 0.0);
}

void TstChartInput::keysOfTheWindowDoNotTakeThoseOfAChart()
{
    CardStage stage;
    fill(stage.addSeries(), 100);
    stage.showCurves();
    QAction copy(&stage.window);
    copy.setShortcut(QKeySequence::Copy);
    stage.window.addAction(&copy);
    QSignalSpy triggered(&copy, &QAction::triggered);
    stage.show();
    stage.card.setFocus();
    stage.card.cursor().setX(50);
    QTest::keyClick(&stage.card, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(triggered.size(), 0);
    QVERIFY(QApplication::clipboard()->text().contains("run-001"));
}

void TstChartInput::linkedCardsShareRangeAndCursor()
{
    CardStage a;
    CardStage b;
    ChartLink link;
    fill(a.addSeries(), 1001);
    fill(b.addSeries(), 1001);
    a.showCurves();
    b.showCurves();
    a.card.setLink(&link);
    b.card.setLink(&link);
    a.show();
    b.show();
    QSignalSpy moved(&b.card, &ChartCard::cursorMoved);
    a.card.cursor().setX(123);
    QCOMPARE(b.card.cursor().x().value(), 123.0);
    QCOMPARE(b.card.cursor().rows().front().step, 123);
    QCOMPARE(moved.size(), 0);
    a.card.perform(ChartCommand::ZoomIn);
    a.settle();
    b.settle();
    QCOMPARE(b.card.canvas().plot().axes.x().limits(), a.card.canvas().plot().axes.x().limits());
    b.card.perform(ChartCommand::ResetZoom);
    QVERIFY(a.card.options().follows());
    a.card.setLink(nullptr);
    b.card.perform(ChartCommand::ZoomIn);
    QVERIFY(a.card.options().follows());
}

void TstChartInput::cardsOnAnotherAxisTakeNoPart()
{
    CardStage a;
    CardStage b;
    ChartLink link;
    fill(a.addSeries(), 1001);
    fill(b.addSeries(), 1001);
    a.showCurves();
    b.showCurves();
    ChartOptions options;
    options.xAxis = XAxis::Relative;
    b.card.setOptions(options);
    a.card.setLink(&link);
    b.card.setLink(&link);
    a.show();
    b.show();
    a.card.cursor().setX(500);
    a.card.perform(ChartCommand::ZoomIn);
    QVERIFY(!b.card.cursor().x());
    QVERIFY(b.card.options().follows());
    b.card.cursor().setX(20);
    QCOMPARE(a.card.cursor().x().value(), 500.0);
    link.setAxis(XAxis::Relative);
    QVERIFY(!link.cursor() && !link.xLimits());
}

void TstChartInput::hoveringACurveNamesItsRun()
{
    CardStage stage;
    ScriptedSeries& low = stage.addSeries("run-low");
    ScriptedSeries& high = stage.addSeries("run-high");
    for (int i = 0; i <= 20; ++i) {
        low.add(i * 10, 0);
        high.add(i * 10, 1);
    }
    low.publish();
    high.publish();
    stage.showCurves();
    stage.show();
    QSignalSpy hovered(&stage.card, &ChartCard::runHovered);
    hoverAt(stage, 0.43, 0.5);
    QVERIFY(hovered.isEmpty() || hovered.last().first().toString().isEmpty());
    hoverAt(stage, 0.43, 0.0);
    QCOMPARE(hovered.last().first().toString(), QString("run-high"));
    hoverAt(stage, 0.43, 1.0);
    QCOMPARE(hovered.last().first().toString(), QString("run-low"));
    const int before = stage.card.canvas().paintCount();
    stage.card.setEmphasis("run-low");
    stage.settle();
    QCOMPARE(stage.card.canvas().paintCount(), before + 1);
}

void TstChartInput::aClickOnTheTitleLeavesTheCursorToThePointer()
{
    CardStage stage;
    fill(stage.addSeries(), 101);
    stage.showCurves();
    stage.show();
    QTest::mouseClick(&stage.card, Qt::LeftButton, {}, {20, 12});
    hoverAt(stage, 0.5, 0.5);
    QVERIFY(stage.card.cursor().x().has_value());
}

void TstChartInput::tagsAreDropped()
{
    CardStage stage;
    stage.show();
    QSignalSpy dropped(&stage.card, &ChartCard::tagDropped);
    QMimeData data;
    data.setData("application/x-cannery-tag", "accuracy");
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&stage.card, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&stage.card, &drop);
    QCOMPARE(dropped.size(), 1);
    QCOMPARE(dropped.first().first().toString(), QString("accuracy"));
}

void TstChartInput::typedLimitsAreChecked()
{
    LimitsDialog dialog({}, {0, 100}, {0, 1}, nullptr);
    auto* min = dialog.findChild<QLineEdit*>("field.y_min");
    auto* max = dialog.findChild<QLineEdit*>("field.y_max");
    dialog.show();
    min->setText("5");
    max->setText("2");
    dialog.accept();
    QVERIFY(dialog.isVisible());
    min->setText("much");
    dialog.accept();
    QVERIFY(dialog.isVisible());
    min->setText(QString::fromUtf8("−0.5"));
    dialog.accept();
    QVERIFY(!dialog.isVisible());
    QCOMPARE(dialog.options().yLimits.value(), (AxisLimits{-0.5, 2}));
    QVERIFY(!dialog.options().xLimits);

    ChartOptions log;
    log.logY = true;
    LimitsDialog strict(log, {0, 100}, {0.1, 1}, nullptr);
    strict.show();
    strict.findChild<QLineEdit*>("field.y_min")->setText("0");
    strict.accept();
    QVERIFY(strict.isVisible());
}

void TstChartInput::figuresAndValuesAreSaved()
{
    QTemporaryDir folder;
    CardStage stage;
    ScriptedSeries& series = stage.addSeries("run-001");
    fill(series, 20'000);
    series.add(20'000, std::numeric_limits<float>::quiet_NaN());
    series.publish();
    fill(stage.addSeries("run-001", "eval"), 10, 2000);
    stage.showCurves();
    stage.show();
    const AxisLimits before = stage.card.canvas().plot().axes.x().limits();
    const auto saved = [&](const QString& name) {
        QString error;
        if (!stage.card.output().write(folder.filePath(name), &error)) {
            return error.toUtf8();
        }
        QFile file(folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray csv = saved("loss.csv");
    QCOMPARE(csv.count('\n'), 1 + 20'001 + 10);
    QVERIFY(csv.startsWith("run,curve,folder,tag,step,wall_time,value\n"));
    QVERIFY(csv.contains("run-001,run-001,,loss,20000,"));
    QVERIFY(csv.contains(",nan\n"));
    const QList<QByteArray> cells = csv.split('\n')[7].split(',');
    QCOMPARE(cells.last().toFloat(), series.values()[6]);
    const QImage image = QImage::fromData(saved("loss.png"));
    QVERIFY(image.width() >= 1280);
    QVERIFY(saved("loss.pdf").startsWith("%PDF"));
    const QByteArray svg = saved("loss.svg");
    QVERIFY2(svg.contains("<text") && svg.contains(">loss") && svg.contains(">Step"), svg);
    QVERIFY(saved("loss.bmp").contains(".png, .svg, .pdf or .csv"));
    QVERIFY(saved("no/such/folder.png").contains("cannot be written"));
    // The card itself is unchanged.
    stage.settle();
    QCOMPARE(stage.card.canvas().plot().axes.x().limits(), before);

    QSignalSpy exported(&stage.card, &ChartCard::exported);
    stage.card.output().writeInBackground(folder.filePath("later.csv"));
    QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, 60'000);
    QVERIFY(exported.first().at(1).toString().isEmpty());
    QVERIFY(QFile(folder.filePath("later.csv")).size() == csv.size());
}

void TstChartInput::copiesGoToTheClipboard()
{
    CardStage stage;
    fill(stage.addSeries(), 100);
    stage.showCurves();
    stage.show();
    stage.card.setFocus();
    QTest::keyClick(&stage.card, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(QApplication::clipboard()->image().width() >= 640);
    stage.card.cursor().setX(7);
    QTest::keyClick(&stage.card, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), readoutText(stage.card.cursor().rows()));
}

void TstChartInput::dataTableShowsEveryPoint()
{
    CardStage stage;
    fill(stage.addSeries("run-001"), 100);
    fill(stage.addSeries("run-001", "eval"), 3, 50);
    stage.showCurves();
    stage.show();
    stage.card.perform(ChartCommand::DataTable);
    auto* view = stage.window.findChild<QTableView*>("table.chart_values");
    QVERIFY(view);
    QCOMPARE(view->model()->rowCount(), 101);
    QCOMPARE(view->model()->columnCount(), 3);
    QCOMPARE(view->model()->index(50, 2).data().toString().toFloat(), 0.5F + 0.4F * std::sin(0.1F));
    QVERIFY(view->model()->index(51, 2).data().toString().isEmpty());
    stage.window.findChild<QDialog*>("dialog.chart_values")->close();
}

CANNERY_TEST(TstChartInput)
#include "tst_chart_input.moc"
