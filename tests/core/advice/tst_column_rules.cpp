// SPDX-License-Identifier: Apache-2.0
#include "core/advice/column_rules.h"
#include "core/data/statistics.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <cmath>

using namespace cannery;
using namespace cannery::advice;

namespace {

using Kind = ColumnRule::Kind;

/// The rule for a column of doubles or int64s; NaN is a missing cell.
template <typename T>
ColumnRule ruleFor(std::vector<T> cells)
{
    storage::TableColumn column{.name = "c",
                                .dtype = std::is_same_v<T, double> ? DType::Float64 : DType::Int64};
    std::vector<T> present;
    for (const T cell : cells) {
        if (!std::isnan(static_cast<double>(cell))) {
            present.push_back(cell);
        }
    }
    const std::size_t rows = present.size();
    column.values = present;
    storage::TableChunk chunk;
    chunk.rows = rows;
    chunk.columns.push_back(column);
    data::StatisticsCollector collector({.topValues = 128});
    collector.add(chunk);
    data::ColumnStatistics statistics = collector.finish().columns.front();
    statistics.missing = cells.size() - rows;
    const data::ColumnSchema schema{
        .name = "c", .dtype = column.dtype, .kind = data::ColumnKind::Number};
    return ruleOf(schema, statistics, cells.size());
}

template <typename T>
std::vector<T> made(int rows, const std::function<T(int)>& cell)
{
    std::vector<T> cells;
    for (int row = 0; row < rows; ++row) {
        cells.push_back(cell(row));
    }
    return cells;
}

/// A pseudo-random number between 0 and 1.
double mixed(int row)
{
    return std::fmod(std::fabs(std::sin(row * 12.9898 + 1) * 43758.5453), 1.0);
}

QString text(const std::string& remark)
{
    return QString::fromStdString(remark);
}

} // namespace

class TstColumnRules : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aColumnThatIsEmptyButForOneRowIsLeftOut();
    void oneDistinctValueIsLeftOut();
    void oneValueOrNoneIsAFlag();
    void aDefaultIsAValueThatOccurs();
    void roundingFollowsTheSpread_data();
    void roundingFollowsTheSpread();
    void codesAreCategoriesAndNumbers();
    void yearsAreNumbers();
    void identifiersWithGapsAreLeftOut();
    void numbersTooCloseForFloatAreCategoriesOrLeftOut();
    void skewedNumbersAreLogarithms();
    void fewNumbersAreNotSkewed();
    void aYesOrNoIsNotSkewed();
    void tailsAreCutByBuckets();
    void plainNumbersStayPlain();
};

void TstColumnRules::aColumnThatIsEmptyButForOneRowIsLeftOut()
{
    const ColumnRule rule =
        ruleFor(made<double>(500, [](int row) { return row == 17 ? 1813440.0 : std::nan(""); }));
    QCOMPARE(rule.kind, Kind::LeftOut);
    QCOMPARE(text(rule.remark), QString("only 1 of 500 rows has a value"));
}

void TstColumnRules::oneDistinctValueIsLeftOut()
{
    const ColumnRule rule =
        ruleFor(made<double>(100, [](int row) { return row < 97 ? 7.0 : std::nan(""); }));
    QCOMPARE(rule.kind, Kind::LeftOut);
    QCOMPARE(text(rule.remark), QString("every row with a value has the same one"));
}

void TstColumnRules::oneValueOrNoneIsAFlag()
{
    const ColumnRule rule =
        ruleFor(made<double>(100, [](int row) { return row % 2 == 0 ? 7.0 : std::nan(""); }));
    QCOMPARE(rule.kind, Kind::Flag);
    QVERIFY(rule.isScaled());
    QCOMPARE(rule.defaultValue, std::optional<std::string>("0"));
    QCOMPARE(text(rule.remark), QString("7 or nothing: whether it is there is a feature"));
    const ColumnRule zero =
        ruleFor(made<double>(100, [](int row) { return row < 5 ? std::nan("") : 0.0; }));
    QCOMPARE(zero.kind, Kind::Flag);
    QCOMPARE(zero.defaultValue, std::optional<std::string>("-1"));
}

void TstColumnRules::aDefaultIsAValueThatOccurs()
{
    const double missing = std::nan("");
    QCOMPARE(ruleFor<double>({1813441.25, 1813442.5, 1813443.75, 1813445.0, missing}).defaultValue,
             std::optional<std::string>("1813442.5"));
    QCOMPARE(ruleFor<double>({1e-9, 3e-9, 2e-9, missing}).defaultValue,
             std::optional<std::string>("2e-09"));
    QVERIFY(!ruleFor<double>({1, 2, 3}).defaultValue);
}

void TstColumnRules::roundingFollowsTheSpread_data()
{
    QTest::addColumn<double>("begin");
    QTest::addColumn<double>("step");
    QTest::newRow("ones") << 0.0 << 1.0;
    QTest::newRow("large and narrow") << 1813441.0 << 0.001;
    QTest::newRow("tiny") << 0.0 << 1e-12;
    QTest::newRow("negative") << -5e6 << 3.0;
}

void TstColumnRules::roundingFollowsTheSpread()
{
    QFETCH(double, begin);
    QFETCH(double, step);
    const int rows = 1000;
    const ColumnRule rule =
        ruleFor(made<double>(rows, [&](int row) { return begin + step * row; }));
    QVERIFY(rule.boundaries.size() >= 8);
    const double range = step * rows / 2;
    for (std::size_t i = 0; i < rule.boundaries.size(); ++i) {
        const double count = static_cast<double>(rule.boundaries.size() + 1);
        const auto percent = std::floor(100.0 * static_cast<double>(i + 1) / count);
        const double exact = begin + step * (rows - 1) * percent / 100;
        QVERIFY2(std::fabs(rule.boundaries[i] - exact) <= range / 100,
                 qPrintable(QString::number(rule.boundaries[i], 'g', 17)));
    }
}

void TstColumnRules::codesAreCategoriesAndNumbers()
{
    const ColumnRule rule = ruleFor(made<std::int64_t>(
        1200, [](int row) { return static_cast<std::int64_t>(10115 + 733 * (row % 40)); }));
    QCOMPARE(rule.kind, Kind::Code);
    QVERIFY(rule.isCategory() && !rule.boundaries.empty());
    QCOMPARE(
        text(rule.remark),
        QString("40 different whole numbers with gaps between them: taken as categories as well"));
}

void TstColumnRules::yearsAreNumbers()
{
    const ColumnRule rule =
        ruleFor(made<std::int64_t>(2000, [](int row) { return std::int64_t(1900 + row % 120); }));
    QCOMPARE(rule.kind, Kind::Number);
}

void TstColumnRules::identifiersWithGapsAreLeftOut()
{
    const ColumnRule rule = ruleFor(made<std::int64_t>(
        700, [](int row) { return std::int64_t(500000 + 3 * ((row * 289) % 700)); }));
    QCOMPARE(rule.kind, Kind::LeftOut);
    QCOMPARE(text(rule.remark), QString("identifier: a different whole number in every row"));
    // Drawn from such a wide range that chance repeats none.
    const ColumnRule amounts = ruleFor(made<std::int64_t>(
        100, [](int row) { return static_cast<std::int64_t>(1e9 * mixed(row)); }));
    QVERIFY(amounts.kind != Kind::LeftOut);
}

void TstColumnRules::numbersTooCloseForFloatAreCategoriesOrLeftOut()
{
    const ColumnRule few = ruleFor(
        made<std::int64_t>(500, [](int row) { return std::int64_t(7'000'000'000) + row % 40; }));
    QCOMPARE(few.kind, Kind::Category);
    QCOMPARE(text(few.remark),
             QString("numbers too close together for float32: taken as categories"));
    const ColumnRule many = ruleFor(made<std::int64_t>(500, [](int row) {
        return std::int64_t(7'000'000'000'000) + static_cast<std::int64_t>(400 * mixed(row));
    }));
    QCOMPARE(many.kind, Kind::LeftOut);
    QVERIFY2(text(many.remark)
                 .startsWith("its numbers are too close together for float32, between "
                             "7000000000000 and 70000000003"),
             qPrintable(text(many.remark)));
}

void TstColumnRules::skewedNumbersAreLogarithms()
{
    const ColumnRule rule = ruleFor(made<double>(
        1000, [](int row) { return std::exp(8 + 2 * (mixed(row) + mixed(row + 5000) - 1)); }));
    QCOMPARE(rule.kind, Kind::Logarithm);
    QVERIFY2(text(rule.remark).contains("taken as a logarithm"), qPrintable(text(rule.remark)));
    QVERIFY(rule.logOffset > 0 && rule.logDeviation > 0);
    const double middle =
        (std::log(std::exp(8) + rule.logOffset) - rule.logMean) / rule.logDeviation;
    QVERIFY2(std::fabs(middle) < 0.5, qPrintable(QString::number(middle)));
}

void TstColumnRules::fewNumbersAreNotSkewed()
{
    const auto cell = [](int row) { return std::exp(row % 10); };
    QCOMPARE(ruleFor(made<double>(100, cell)).kind, Kind::Logarithm);
    QCOMPARE(ruleFor(made<double>(40, cell)).kind, Kind::Number);
}

void TstColumnRules::aYesOrNoIsNotSkewed()
{
    const ColumnRule rule =
        ruleFor(made<double>(1000, [](int row) { return mixed(row) < 0.2 ? 1.0 : 0.0; }));
    QCOMPARE(rule.kind, Kind::Number);
    QVERIFY2(rule.remark.empty(), rule.remark.c_str());
}

void TstColumnRules::tailsAreCutByBuckets()
{
    const ColumnRule rule =
        ruleFor(made<double>(1000, [](int row) { return std::tan(3.14 * (mixed(row) - 0.5)); }));
    QCOMPARE(rule.kind, Kind::Tails);
    QVERIFY2(text(rule.remark).contains("deviations from the median: taken as buckets"),
             qPrintable(text(rule.remark)));
    QVERIFY(!rule.boundaries.empty());
}

void TstColumnRules::plainNumbersStayPlain()
{
    const ColumnRule rule = ruleFor(made<double>(
        1000, [](int row) { return mixed(row) + mixed(row + 2000) + mixed(row + 4000) - 1.5; }));
    QCOMPARE(rule.kind, Kind::Number);
    QVERIFY(rule.remark.empty());
}

CANNERY_TEST(TstColumnRules)
#include "tst_column_rules.moc"
