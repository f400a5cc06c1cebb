// SPDX-License-Identifier: Apache-2.0
#include "core/data/quantile_sketch.h"
#include "core/data/rows/fingerprint_set.h"
#include "core/data/rows/keyed_permutation.h"
#include "core/data/statistics.h"
#include "core/data/typing/kind_guess.h"
#include "core/data/typing/kind_revision.h"
#include "core/data/typing/type_evidence.h"
#include "core/data/value_counter.h"
#include "storage/tabular/number_parser.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

using namespace cannery;
using namespace cannery::data;
using cannery::storage::TableChunk;

class TstStatistics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void describesNumbers();
    void describesTexts();
    void sameForEveryChunking_data();
    void sameForEveryChunking();
    void quantilesStayCloseOnLongStreams();
    void distinctCountIsEstimatedBeyondTheLimit();
    void guessesKinds_data();
    void guessesKinds();
    void revisesKindsOfLongTables();
    void tellsFingerprintsApart();
    void countsColumnsInOneSet();
};

namespace {

TableChunk numbers(const std::vector<double>& values)
{
    TableChunk chunk;
    chunk.rows = values.size();
    chunk.columns.push_back({"x", DType::Float64, values, {}});
    return chunk;
}

/// A column of `rows` cells, every value twice.
TypeEvidence evidenceOf(int rows, FingerprintSet& spare)
{
    TypeEvidence evidence;
    for (int row = 0; row < rows; ++row) {
        const storage::PaddedText text(std::to_string(row / 2));
        evidence.observe(text.view(), text.view(), 1);
    }
    evidence.finish(spare);
    return evidence;
}

} // namespace

void TstStatistics::describesNumbers()
{
    TableChunk chunk = numbers({1, 2, 3, 4, std::nan(""), INFINITY, 0, 0, 7, 7});
    for (const std::size_t missing : {6U, 7U}) {
        chunk.columns[0].markMissing(missing, chunk.rows);
    }
    StatisticsCollector collector;
    collector.add(chunk);
    const TableStatistics all = collector.finish();
    const ColumnStatistics& x = *all.find("x");
    QCOMPARE(x.count, std::uint64_t(8));
    QCOMPARE(x.missing, std::uint64_t(2));
    QCOMPARE(x.nan, std::uint64_t(1));
    QCOMPARE(x.infinite, std::uint64_t(1));
    QCOMPARE(x.distinct, std::uint64_t(5));
    QCOMPARE(x.mean, 4.0);
    QVERIFY(std::abs(x.deviation - std::sqrt(32.0 / 6)) < 1e-12);
    QCOMPARE(x.min, 1.0);
    QCOMPARE(x.max, 7.0);
    QCOMPARE(x.quantiles[50], 3.5);
    QCOMPARE(x.quantiles[20], 2.0);
    QCOMPARE(x.top.front(), (ValueCount{"7", 2}));
    QCOMPARE(std::accumulate(x.histogram.counts.begin(), x.histogram.counts.end(), 0.0), 6.0);
}

void TstStatistics::describesTexts()
{
    StringColumn texts;
    for (const char* text : {"b", "a", "b", "", "ccc"}) {
        texts.push_back(text);
    }
    TableChunk chunk;
    chunk.rows = 5;
    chunk.columns.push_back({"s", DType::String, texts, {1, 1, 1, 0, 1}});
    StatisticsCollector collector({.topValues = 2});
    collector.add(chunk);
    const ColumnStatistics s = collector.finish().columns[0];
    QCOMPARE(s.count, std::uint64_t(4));
    QCOMPARE(s.distinct, std::uint64_t(3));
    QCOMPARE(s.maxLength, std::uint64_t(3));
    QCOMPARE(s.meanLength, 1.5);
    QCOMPARE(s.top, (std::vector<ValueCount>{{"b", 2}, {"a", 1}}));
}

void TstStatistics::sameForEveryChunking_data()
{
    QTest::addColumn<int>("step");
    QTest::newRow("single rows") << 1;
    QTest::newRow("small pieces") << 90;
    QTest::newRow("a little more than a group") << 1025;
    QTest::newRow("large pieces") << 50021;
}

void TstStatistics::sameForEveryChunking()
{
    QFETCH(const int, step);
    std::vector<double> values(300000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = double(mixBits(i) % 100000) / 7 + 1e6;
        values[i] = i % 5 == 0 ? 3.25 : i % 1009 == 0 ? std::nan("") : values[i];
    }
    StatisticsCollector whole;
    whole.add(numbers(values));
    StatisticsCollector parts;
    for (std::size_t at = 0; at < values.size(); at += std::size_t(step)) {
        const std::size_t end = std::min(values.size(), at + std::size_t(step));
        parts.add(
            numbers({values.begin() + std::ptrdiff_t(at), values.begin() + std::ptrdiff_t(end)}));
    }
    const ColumnStatistics one = whole.finish().columns[0];
    const ColumnStatistics two = parts.finish().columns[0];
    QCOMPARE(std::bit_cast<std::uint64_t>(one.mean), std::bit_cast<std::uint64_t>(two.mean));
    QCOMPARE(std::bit_cast<std::uint64_t>(one.deviation),
             std::bit_cast<std::uint64_t>(two.deviation));
    QCOMPARE(one.quantiles, two.quantiles);
    QCOMPARE(one.distinct, two.distinct);
    QCOMPARE(one.nan, two.nan);
    QCOMPARE(one.top, two.top);
    QCOMPARE(one.top.front(), (ValueCount{"3.25", 60000}));
    QVERIFY(std::abs(double(one.distinct) / 90000 - 1) < 0.04);
}

void TstStatistics::quantilesStayCloseOnLongStreams()
{
    QuantileSketch sketch(16384);
    constexpr std::int64_t kCount = 300000;
    const KeyedPermutation order(kCount, 5);
    for (std::int64_t i = 0; i < kCount; ++i) {
        sketch.add(double(order(i)));
    }
    QVERIFY(!sketch.isExact());
    const std::vector<double> found = sketch.quantiles(10);
    for (std::size_t i = 0; i <= 10; ++i) {
        QVERIFY(std::abs(found[i] / kCount - double(i) / 10) < 0.02);
    }
}

void TstStatistics::distinctCountIsEstimatedBeyondTheLimit()
{
    ValueCounter counter(1000);
    for (std::uint64_t i = 0; i < 200000; ++i) {
        counter.addBits(i % 50000);
        counter.addBits(7);
    }
    QVERIFY(!counter.isExact());
    QVERIFY(std::abs(double(counter.distinct()) - 50000) < 1500);
    const std::vector<ValueCounter::Count> kept = counter.counts();
    QCOMPARE(kept.size(), std::size_t(1));
    QCOMPARE(kept.front().key, std::uint64_t(7));
    QCOMPARE(kept.front().count, std::uint64_t(200004));
}

void TstStatistics::guessesKinds_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("pattern"); ///< %1 is the row, %2 the row modulo 3
    QTest::addColumn<QString>("kind");
    QTest::newRow("numbered") << "n"
                              << "%1"
                              << "identifier";
    QTest::newRow("customer id") << "customer_id"
                                 << "c-%1"
                                 << "identifier";
    QTest::newRow("code") << "code"
                          << "X%1Y"
                          << "identifier";
    QTest::newRow("few numbers") << "n"
                                 << "%2"
                                 << "number";
    QTest::newRow("few texts") << "t"
                               << "type %2"
                               << "category";
    QTest::newRow("date") << "when"
                          << "2024-01-1%2"
                          << "date";
    QTest::newRow("sentence") << "review"
                              << "I liked number %1 a lot"
                              << "free text";
    QTest::newRow("constant") << "c"
                              << "same"
                              << "constant";
    QTest::newRow("empty") << "e"
                           << ""
                           << "empty";
    QTest::newRow("decimal") << "d"
                             << "%1.5"
                             << "number";
}

void TstStatistics::guessesKinds()
{
    QFETCH(const QString, pattern);
    QFETCH(const QString, name);
    QFETCH(const QString, kind);
    TypeEvidence evidence;
    for (int row = 0; row < 100; ++row) {
        QString text = pattern;
        text.replace("%1", QString::number(row)).replace("%2", QString::number(row % 3));
        const std::string padded = std::string(64, ' ') + text.toStdString() + std::string(64, ' ');
        if (text.isEmpty()) {
            evidence.observeMissing();
        } else {
            const std::string_view cell = std::string_view(padded).substr(64, padded.size() - 128);
            evidence.observe(cell, cell, 1);
        }
    }
    FingerprintSet spare;
    evidence.finish(spare);
    ColumnSchema column{.name = name.toStdString(), .dtype = evidence.dtype()};
    guessKind(evidence, column);
    QCOMPARE(QString::fromStdString(std::string(data::name(column.kind))), kind);
    QVERIFY(!column.kindReason.empty());
}

/// The first rows may have other values than all.
void TstStatistics::revisesKindsOfLongTables()
{
    const auto column = [](const char* name, DType dtype, ColumnKind kind) {
        return ColumnSchema{.name = name, .dtype = dtype, .kind = kind, .kindReason = "first rows"};
    };
    const TableSchema guessed{.columns = {column("word", DType::String, ColumnKind::Identifier),
                                          column("sku", DType::Int64, ColumnKind::Identifier),
                                          column("flag", DType::Int32, ColumnKind::Constant),
                                          column("note", DType::String, ColumnKind::FreeText),
                                          column("late", DType::String, ColumnKind::Category),
                                          column("id", DType::String, ColumnKind::Identifier),
                                          column("one", DType::String, ColumnKind::Constant)}};
    const auto counted = [](const char* name, std::uint64_t distinct) {
        return ColumnStatistics{.name = name, .count = 1000, .distinct = distinct};
    };
    const TableStatistics all{.rows = 1000,
                              .columns = {counted("word", 200), counted("sku", 500),
                                          counted("flag", 2), counted("note", 100),
                                          counted("late", 990), counted("id", 1000),
                                          counted("one", 1)}};
    TableSchema schema = guessed;
    reviseKinds(all, schema);
    const std::vector<ColumnKind> revised{
        ColumnKind::Category,   ColumnKind::Number,     ColumnKind::Number,  ColumnKind::Category,
        ColumnKind::Identifier, ColumnKind::Identifier, ColumnKind::Constant};
    for (std::size_t i = 0; i < revised.size(); ++i) {
        QVERIFY2(schema.columns[i].kind == revised[i], schema.columns[i].name.c_str());
    }
    schema = guessed;
    schema.sawAllRows = true;
    reviseKinds(all, schema);
    QVERIFY(schema.columns.front().kind == ColumnKind::Identifier);
}

void TstStatistics::tellsFingerprintsApart()
{
    constexpr std::size_t kLimit = 10000;
    FingerprintSet set;
    for (int round = 0; round < 2; ++round) {
        for (std::uint64_t i = 0; i < 5000; ++i) {
            // Including 0; the low bits of the second carry no information.
            QCOMPARE(set.insert(std::array{i, i << 40U}, kLimit), std::size_t(2));
        }
        QCOMPARE(set.size(), std::size_t(9999));
    }
    const std::array<std::uint64_t, 4> prints = {1, 6000, 6001, 6002};
    QCOMPARE(set.insert(prints, kLimit), std::size_t(2)); // 6000 is the last that it may hold
    QCOMPARE(set.size(), kLimit);
    QCOMPARE(set.insert(prints, kLimit), std::size_t(0));
}

void TstStatistics::countsColumnsInOneSet()
{
    FingerprintSet spare;
    for (const int rows : {600, 20, 5000, 0, 2, 100000}) {
        const TypeEvidence evidence = evidenceOf(rows, spare);
        const auto expected = std::min<std::uint64_t>(rows / 2, ColumnSchema::kDistinctLimit);
        QCOMPARE(evidence.distinct, expected);
        QCOMPARE(evidence.uniqueness(), rows == 0 ? 0.0 : rows == 100000 ? 16384.0 / 32767 : 0.5);
    }
}

CANNERY_TEST(TstStatistics)
#include "tst_statistics.moc"
