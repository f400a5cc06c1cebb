// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/models/curves/axis_scale.h"
#include "ui/models/formats.h"

#include <QJsonDocument>
#include <QTest>

using namespace cannery::ui;

class TstAxisScale : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void positionsAndValuesAreInverse();
    void D23_ticksOfALogAxisArePowersOfTen();
    void ticksAreRoundAndLabelled_data();
    void ticksAreRoundAndLabelled();
    void ticksLieWithinTheLimits();
    void ticksThatNoLongerSuitAreToldFromThoseThatDo();
    void largeNumbersHaveOneFormOnAxisAndCard();
    void limitsHoldTheData();
    void D21_optionsSurviveJson();
    void damagedJsonGivesDefaults();
};

void TstAxisScale::positionsAndValuesAreInverse()
{
    for (const bool isLog : {false, true}) {
        const AxisScale scale({0.01, 500}, isLog);
        QCOMPARE(scale.toPosition(0.01), 0.0);
        QCOMPARE(scale.toPosition(500), 1.0);
        for (const double value : {0.02, 1.0, 77.0}) {
            QVERIFY(qFuzzyCompare(scale.toValue(scale.toPosition(value)), value));
        }
    }
    QVERIFY(!AxisScale({1, 10}, true).canShow(0));
    QVERIFY(!AxisScale({1, 10}, false).canShow(std::nan("")));
    QCOMPARE(AxisScale({1, 100}, true).toPosition(10), 0.5);
}

void TstAxisScale::D23_ticksOfALogAxisArePowersOfTen()
{
    const AxisTicks ticks = makeTicks(AxisScale({0.0005, 30}, true), TickFormat::Number, 6);
    QCOMPARE(ticks.labels, (QStringList{"10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹"}));
    const AxisTicks steps = makeTicks(AxisScale({1, 2e6}, true), TickFormat::Count, 8);
    QCOMPARE(steps.labels, (QStringList{"1", "10", "100", "1k", "10k", "100k", "1M"}));
    const AxisTicks wide = makeTicks(AxisScale({1e-30, 1e30}, true), TickFormat::Number, 5);
    QVERIFY(wide.values.size() >= 2 && wide.values.size() <= 6);
    for (const double value : wide.values) {
        QVERIFY(std::fabs(std::log10(value) - std::round(std::log10(value))) < 1e-9);
    }
}

void TstAxisScale::ticksAreRoundAndLabelled_data()
{
    QTest::addColumn<double>("min");
    QTest::addColumn<double>("max");
    QTest::addColumn<int>("format");
    QTest::addColumn<QStringList>("labels");
    const auto row = [](const char* name, double min, double max, TickFormat format,
                        const QStringList& labels) {
        QTest::newRow(name) << min << max << int(format) << labels;
    };
    row("loss", 0.2, 1.0, TickFormat::Number, {"0.2", "0.4", "0.6", "0.8", "1.0"});
    row("around zero", -1, 1, TickFormat::Number, {"−1.0", "−0.5", "0.0", "0.5", "1.0"});
    row("thousands", 0, 100000, TickFormat::Number,
        {"0", "20,000", "40,000", "60,000", "80,000", "100,000"});
    row("millions", 0, 5e6, TickFormat::Number, {"0", "1M", "2M", "3M", "4M", "5M"});
    row("tiny", 0, 4e-6, TickFormat::Number, {"0", "1·10⁻⁶", "2·10⁻⁶", "3·10⁻⁶", "4·10⁻⁶"});
    row("steps", 0, 8000, TickFormat::Count, {"0", "2k", "4k", "6k", "8k"});
    row("few steps", 0, 4, TickFormat::Count, {"0", "1", "2", "3", "4"});
    row("steps in the middle", 12000, 12500, TickFormat::Count,
        {"12.0k", "12.1k", "12.2k", "12.3k", "12.4k", "12.5k"});
    row("seconds", 0, 50, TickFormat::Duration, {"0", "10 s", "20 s", "30 s", "40 s", "50 s"});
    row("minutes", 0, 1500, TickFormat::Duration,
        {"0", "5 min", "10 min", "15 min", "20 min", "25 min"});
}

void TstAxisScale::ticksAreRoundAndLabelled()
{
    QFETCH(double, min);
    QFETCH(double, max);
    QFETCH(int, format);
    QFETCH(QStringList, labels);
    QStringList found = makeTicks(AxisScale({min, max}, false), TickFormat(format), 5).labels;
    for (QString& label : found) {
        // Any kind of thin space may precede units.
        label.replace(QChar(0x202F), ' ').replace(QChar(0x2009), ' ').replace(QChar(0xA0), ' ');
    }
    QCOMPARE(found, labels);
}

void TstAxisScale::ticksLieWithinTheLimits()
{
    for (const TickFormat format :
         {TickFormat::Number, TickFormat::Count, TickFormat::WallClock, TickFormat::Duration}) {
        for (const double length : {1e-3, 0.7, 13.0, 950.0, 86400.0, 3e6, 4e9}) {
            const AxisLimits limits{1.7e9, 1.7e9 + length};
            const AxisTicks ticks = makeTicks(AxisScale(limits, false), format, 6);
            QCOMPARE(qsizetype(ticks.values.size()), ticks.labels.size());
            QVERIFY(ticks.values.size() <= 8);
            for (const double value : ticks.values) {
                QVERIFY(value >= limits.min - length && value <= limits.max + length * 1e-3);
            }
        }
    }
}

void TstAxisScale::ticksThatNoLongerSuitAreToldFromThoseThatDo()
{
    const auto ticksOf = [](double max) {
        return makeTicks(AxisScale({0, max}, false), TickFormat::Count, 8);
    };
    const auto still = [](const AxisTicks& ticks, double max) {
        return suits(ticks, AxisScale({0, max}, false), 8);
    };
    for (const double max : {50.0, 300.0, 500.0, 510.0, 1e6, 1.3e7}) {
        QVERIFY2(still(ticksOf(max), max), qPrintable(QString::number(max)));
    }
    QVERIFY(still(ticksOf(500), 520));  // nothing moves for the next point
    QVERIFY(!still(ticksOf(300), 500)); // the axis would end at 300 of 500
    QVERIFY(!still(ticksOf(50), 500));  // labels would pile up at the left
    QVERIFY(!still(ticksOf(500), 50));  // and would be gone
    QVERIFY(!suits(ticksOf(500), AxisScale({1, 500}, true), 8));
}

void TstAxisScale::largeNumbersHaveOneFormOnAxisAndCard()
{
    QCOMPARE(formatNumber(5'741'301'728.0), QString("5.741G"));
    QCOMPARE(formatNumber(-2e9), QString("−2G"));
    QCOMPARE(formatNumber(1'234'567), QString("1.235M"));
    QCOMPARE(formatNumber(75'770.6), QString("75,771"));
    QCOMPARE(formatShortCount(48'800), QString("48.8k"));
    QCOMPARE(makeTicks(AxisScale({0, 2e9}, false), TickFormat::Number, 5).labels,
             (QStringList{"0", "0.5G", "1.0G", "1.5G", "2.0G"}));
    QCOMPARE(makeTicks(AxisScale({0, 6e10}, false), TickFormat::Number, 4).labels,
             (QStringList{"0", "20G", "40G", "60G"}));
}

void TstAxisScale::limitsHoldTheData()
{
    const std::vector<AxisLimits> ranges{{0.31, 0.93}, {-5, 7},        {0, 0},          {0.5, 0.5},
                                         {1e-9, 2e-9}, {12345, 12346}, {-0.02, -0.001}, {3, 3e8}};
    for (const AxisLimits& data : ranges) {
        for (const int ticks : {2, 5}) {
            const AxisLimits limits = niceLimits(data, false, ticks);
            QVERIFY(limits.min < limits.max);
            const double slack = (limits.max - limits.min) * 1e-5;
            QVERIFY(limits.min <= data.min + slack && limits.max >= data.max - slack);
        }
    }
    const AxisLimits log = niceLimits({0.002, 70}, true, 5);
    QVERIFY(log.min > 0 && log.min <= 0.002 && log.max >= 70);
}

void TstAxisScale::D21_optionsSurviveJson()
{
    ChartOptions options;
    options.xAxis = XAxis::Relative;
    options.logX = true;
    options.logY = true;
    options.ignoreOutliers = true;
    options.showOverwritten = false;
    options.smoothing = {.kind = SmoothingKind::WindowMedian, .weight = 0.93, .window = 31};
    options.xLimits = AxisLimits{0.1, 1234.56789};
    options.yLimits = AxisLimits{1e-7, 3};
    const QByteArray text = QJsonDocument(toJson(options)).toJson();
    QCOMPARE(chartOptionsFromJson(QJsonDocument::fromJson(text).object()), options);
    QCOMPARE(chartOptionsFromJson(toJson(ChartOptions())), ChartOptions());
}

void TstAxisScale::damagedJsonGivesDefaults()
{
    QCOMPARE(chartOptionsFromJson({}), ChartOptions());
    const QJsonObject odd = QJsonDocument::fromJson(R"({"x_axis": 7, "log_x": "yes",
        "smoothing": "magic", "x_limits": [3, 1], "y_limits": ["a", null]})")
                                .object();
    QCOMPARE(chartOptionsFromJson(odd), ChartOptions());
    const QJsonObject wild =
        QJsonDocument::fromJson(R"({"smoothing_weight": 17, "smoothing_window": -4})").object();
    QCOMPARE(chartOptionsFromJson(wild).smoothing.weight, 0.999);
    QCOMPARE(chartOptionsFromJson(wild).smoothing.window, 1);
}

CANNERY_TEST(TstAxisScale)
#include "tst_axis_scale.moc"
