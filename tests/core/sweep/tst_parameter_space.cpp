// SPDX-License-Identifier: Apache-2.0
#include "core/sweep/parameter_space.h"
#include "core/sweep/parzen_density.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <google/protobuf/text_format.h>

#include <cmath>
#include <map>

using namespace cannery;
using namespace cannery::sweep;

namespace {

Result<ParameterSpace> spaceOf(const char* text)
{
    spec::Sweep sweep;
    if (!google::protobuf::TextFormat::ParseFromString(text, &sweep)) {
        qFatal("the test's sweep is wrong");
    }
    return ParameterSpace::create(sweep);
}

} // namespace

class TstParameterSpace : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aGridHasEveryCombinationOnce();
    void aGridTakesEquallySpacedPointsOfARange_data();
    void aGridTakesEquallySpacedPointsOfARange();
    void aGridTooLargeIsCountedNoFurther();
    void drawsAreTheSameForASeedAndWithinTheRange();
    void wholeNumbersAreEquallyLikely();
    void aParameterNeedsValues();
    void aDensityIsHighWhereValuesAreAndSumsToOne();
};

void TstParameterSpace::aGridHasEveryCombinationOnce()
{
    const auto space =
        spaceOf("parameter { field: 'a' choice { value: 'x' value: '[1, 2]' } } parameter { field: "
                "'b' range { min: 1 max: 3 points: 3 integer: true } }");
    VERIFY_OK(space);
    QCOMPARE(space->gridSize(), std::int64_t{6});
    std::vector<std::vector<std::string>> all;
    for (std::int64_t i = 0; i < space->gridSize(); ++i) {
        all.push_back(space->overrides(space->gridPoint(i)));
    }
    QCOMPARE(all, (std::vector<std::vector<std::string>>{{"a=x", "b=1"},
                                                         {"a=x", "b=2"},
                                                         {"a=x", "b=3"},
                                                         {"a=[1, 2]", "b=1"},
                                                         {"a=[1, 2]", "b=2"},
                                                         {"a=[1, 2]", "b=3"}}));
    QCOMPARE(spaceOf("")->gridSize(), std::int64_t{1});
    QVERIFY(spaceOf("")->gridPoint(0).empty());
}

void TstParameterSpace::aGridTakesEquallySpacedPointsOfARange_data()
{
    QTest::addColumn<QByteArray>("range");
    QTest::addColumn<QByteArray>("values");
    QTest::newRow("linear") << QByteArray("min: 0 max: 1") << QByteArray("0 0.25 0.5 0.75 1");
    QTest::newRow("logarithmic") << QByteArray("min: 0.0001 max: 1 log: true points: 3")
                                 << QByteArray("0.0001 0.01 1");
    QTest::newRow("whole") << QByteArray("min: 1 max: 9 points: 3 integer: true")
                           << QByteArray("1 5 9");
    QTest::newRow("each once") << QByteArray("min: 1 max: 3 points: 10 integer: true")
                               << QByteArray("1 2 3");
    QTest::newRow("whole within") << QByteArray("min: 0.5 max: 2.5 points: 2 integer: true")
                                  << QByteArray("1 2");
    QTest::newRow("whole powers") << QByteArray("min: 8 max: 512 points: 4 log: true integer: true")
                                  << QByteArray("8 32 128 512");
}

void TstParameterSpace::aGridTakesEquallySpacedPointsOfARange()
{
    QFETCH(QByteArray, range);
    QFETCH(QByteArray, values);
    const auto space = spaceOf(("parameter { field: 'a' range { " + range + " } }").constData());
    VERIFY_OK(space);
    const QByteArrayList wanted = values.split(' ');
    QCOMPARE(space->gridSize(), std::int64_t{wanted.size()});
    for (std::int64_t i = 0; i < space->gridSize(); ++i) {
        QVERIFY2(std::abs(space->gridPoint(i)[0] - wanted[i].toDouble()) <=
                     1e-12 * std::abs(wanted[i].toDouble()),
                 space->overrides(space->gridPoint(i))[0].c_str());
    }
    QCOMPARE(space->gridPoint(0)[0], wanted.front().toDouble());
    QCOMPARE(space->gridPoint(space->gridSize() - 1)[0], wanted.back().toDouble());
}

void TstParameterSpace::aGridTooLargeIsCountedNoFurther()
{
    std::string text;
    for (int i = 0; i < 20; ++i) {
        text += "parameter { field: 'a' range { min: 0 max: 1 points: 10000 } }";
    }
    QCOMPARE(spaceOf(text.c_str())->gridSize(), kMostRuns + 1);
}

void TstParameterSpace::drawsAreTheSameForASeedAndWithinTheRange()
{
    const auto space = spaceOf("parameter { field: 'r' range { min: 1e-5 max: 1 log: true } } "
                               "parameter { field: 'c' choice { value: 'x' value: 'y' } }");
    VERIFY_OK(space);
    std::map<int, int> decades;
    std::map<double, int> choices;
    for (std::int64_t i = 0; i < 5000; ++i) {
        const Point point = space->drawnPoint(7, i);
        QCOMPARE(point, space->drawnPoint(7, i));
        QVERIFY(point[0] >= 1e-5 && point[0] <= 1);
        ++decades[static_cast<int>(std::floor(std::log10(point[0])))];
        ++choices[point[1]];
    }
    QCOMPARE(decades.size(), std::size_t{5});
    for (const auto& [decade, count] : decades) {
        QVERIFY2(count > 850 && count < 1150, qPrintable(QString::number(count)));
    }
    QVERIFY(choices.size() == 2 && choices[0] > 2300 && choices[1] > 2300);
    QVERIFY(space->drawnPoint(7, 0) != space->drawnPoint(8, 0));
}

void TstParameterSpace::wholeNumbersAreEquallyLikely()
{
    const auto space = spaceOf("parameter { field: 'n' range { min: 1 max: 4 integer: true } }");
    std::map<double, int> counts;
    for (std::int64_t i = 0; i < 4000; ++i) {
        ++counts[space->drawnPoint(0, i)[0]];
    }
    QCOMPARE(counts.size(), std::size_t{4});
    for (const auto& [value, count] : counts) {
        QVERIFY2(count > 880 && count < 1120, qPrintable(QString::number(count)));
    }
}

void TstParameterSpace::aParameterNeedsValues()
{
    for (const char* values : {"", "range { min: 2 max: 1 }", "range { min: 0 max: 1 log: true }",
                               "range { min: 1.2 max: 1.8 integer: true }",
                               "range { min: 0 max: inf }", "range { min: 0 max: 1 points: 1 }"}) {
        VERIFY_ERROR(spaceOf(("parameter { field: 'a' " + std::string(values) + " }").c_str()),
                     "sweep.empty_parameter");
    }
}

void TstParameterSpace::aDensityIsHighWhereValuesAreAndSumsToOne()
{
    const auto space = spaceOf("parameter { field: 'r' range { min: -1 max: 3 } } parameter { "
                               "field: 'c' choice { value: 'x' value: 'y' value: 'z' } }");
    VERIFY_OK(space);
    const ParzenDensity range(space->axes()[0], {-0.9, 2, 2.1, 2.2});
    double area = 0;
    for (int i = 0; i < 4000; ++i) {
        area += std::exp(range.logDensity(-1 + (i + 0.5) * 0.001)) * 0.001;
    }
    QVERIFY2(std::abs(area - 1) < 1e-6, qPrintable(QString::number(area)));
    QVERIFY(range.logDensity(2.1) > range.logDensity(0.5) + 0.5);
    const ParzenDensity choice(space->axes()[1], {0, 0, 2});
    QCOMPARE(std::exp(choice.logDensity(0)), 0.5);
    QCOMPARE(std::exp(choice.logDensity(1)), 1.0 / 6);
    kernels::RandomStream random(1);
    int near = 0;
    for (int i = 0; i < 1000; ++i) {
        const double drawn = range.draw(random);
        QVERIFY(drawn >= -1 && drawn <= 3);
        near += drawn > 1.5 && drawn < 2.7 ? 1 : 0;
    }
    QVERIFY2(near > 400, qPrintable(QString::number(near)));
}

CANNERY_TEST(TstParameterSpace)
#include "tst_parameter_space.moc"
