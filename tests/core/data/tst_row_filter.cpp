// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_filter.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace cannery;
using namespace cannery::data;
using cannery::storage::TableChunk;

/// The language of row filters: what matches, and the errors.
class TstRowFilter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void matchesRows_data();
    void matchesRows();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void readsOnlyTheColumnsOfTheFilter();
    void survivesAnyText();
};

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// age (one missing), score (one NaN), id, education (one missing), "home town".
TableChunk people()
{
    const auto texts = [](std::initializer_list<const char*> list) {
        StringColumn column;
        for (const char* text : list) {
            column.push_back(text);
        }
        return column;
    };
    TableChunk chunk{.rows = 4};
    chunk.columns.push_back({"age", DType::Float64, std::vector<double>{22, 38, 0, 80}, {}});
    chunk.columns[0].markMissing(2, 4);
    chunk.columns.push_back({"score", DType::Float64, std::vector<double>{0.1, kNaN, -2, 7}, {}});
    chunk.columns.push_back({"id",
                             DType::Int64,
                             std::vector<std::int64_t>{9007199254740992, 9007199254740993, 3, 4},
                             {}});
    chunk.columns.push_back(
        {"education", DType::String, texts({"Masters", "masters", "", "HS-grad"}), {}});
    chunk.columns[3].markMissing(2, 4);
    chunk.columns.push_back(
        {"home town", DType::String, texts({"Köln", "say \"hi\"", "2024-05-01", "it's"}), {}});
    return chunk;
}

TableSchema schema()
{
    TableSchema known;
    for (const storage::TableColumn& column : people().columns) {
        const DType dtype = column.name == "score" ? DType::Float32 : column.dtype;
        known.columns.push_back({.name = column.name, .dtype = dtype});
    }
    return known;
}

} // namespace

void TstRowFilter::matchesRows_data()
{
    QTest::addColumn<QString>("filter");
    QTest::addColumn<QString>("rows");
    const auto row = [](const char* filter, const char* rows) {
        QTest::newRow(filter) << QString(filter) << QString(rows);
    };
    row("", "0123");
    row("  ", "0123");
    row("age > 30", "13");
    row("age>=38", "13");
    row("age != 22", "13"); // a missing one is not unequal
    row("not age = 22", "123");
    row("age is missing", "2");
    row("AGE IS NOT MISSING", "");
    row("age is not missing", "013");
    row("score = 0.1", "0"); // as written, not as float32 rounds it
    row("score < 100", "023");
    row("score != 7", "02");
    row("score = -2", "2");
    row("score = +7e0", "3");
    row("id = 9007199254740993", "1"); // beyond what a double tells apart
    row("id in (3, 9007199254740992)", "02");
    row("education = \"Masters\"", "01");
    row("education = masters", "01");
    row("education != masters", "3");
    row("education contains GRAD", "3");
    row("education ~ aster and age < 30", "0");
    row("age > 70 or age < 30 and score > 0", "03"); // and binds closer
    row("(age > 70 or age < 30) and score > 1", "3");
    row("`home town` = 'köln'", "0");
    row("\"home town\" = \"say \"\"hi\"\"\"", "1");
    row("`home town` = 'it''s'", "3");
    row("`home town` >= 2024-01-01 and `home town` < 2025", "2");
    row("not (age > 30 or not score > 0)", "0");
    row("education in (\"HS-grad\",masters)", "013");
}

void TstRowFilter::matchesRows()
{
    QFETCH(const QString, filter);
    QFETCH(const QString, rows);
    const auto parsed = RowFilter::parse(filter.toStdString(), schema());
    if (filter.startsWith("AGE")) { // names keep their case
        QVERIFY(!parsed.has_value());
        return;
    }
    QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().error.sentence.c_str());
    QCOMPARE(parsed->isEmpty(), filter.trimmed().isEmpty());
    QString found;
    const std::vector<std::uint8_t> matches = parsed->match(people());
    for (std::size_t i = 0; i < matches.size(); ++i) {
        QVERIFY(matches[i] <= 1);
        found += matches[i] != 0 ? QString::number(i) : QString();
    }
    QCOMPARE(found, rows);
}

void TstRowFilter::saysWhatIsWrong_data()
{
    QTest::addColumn<QString>("filter");
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("position");
    QTest::addColumn<int>("length");
    const auto row = [](const char* filter, const char* id, int position, int length) {
        QTest::newRow(filter) << QString::fromUtf8(filter) << QString(id) << position << length;
    };
    row("agee > 3", "data.filter_no_column", 0, 4);
    row("age >", "data.filter_no_value", 5, 0);
    row("age > and id = 3", "data.filter_not_a_number", 6, 3);
    row("age", "data.filter_no_comparison", 3, 0);
    row("age 30", "data.filter_no_comparison", 4, 2);
    row("age => 3", "data.filter_unknown_operator", 4, 2);
    row("age = old", "data.filter_not_a_number", 6, 3);
    row("age contains 3", "data.filter_not_a_text", 4, 8);
    row("(age > 3", "data.filter_no_bracket", 0, 1);
    row("age > 3)", "data.filter_goes_on", 7, 1);
    row("age > 3 id = 3", "data.filter_goes_on", 8, 2);
    row("education = \"Masters", "data.filter_open_quotation", 12, 8);
    row("`home town` = 'Köln' and ägé = 1", "data.filter_no_column", 25, 3); // characters
    row("> 3", "data.filter_no_name", 0, 1);
    row("age > 3 and", "data.filter_no_name", 11, 0);
    row("or age > 3", "data.filter_no_name", 0, 2);
    row("age is empty", "data.filter_not_missing", 7, 5);
    row("age in 3", "data.filter_no_list", 7, 1);
    row("age in (3", "data.filter_no_bracket", 7, 1);
    row("age in (3,)", "data.filter_no_value", 10, 1);
}

void TstRowFilter::saysWhatIsWrong()
{
    QFETCH(const QString, filter);
    const auto parsed = RowFilter::parse(filter.toStdString(), schema());
    QVERIFY(!parsed.has_value());
    QTEST(QString::fromStdString(parsed.error().error.id), "id");
    QTEST(int(parsed.error().position), "position");
    QTEST(int(parsed.error().length), "length");
    const QString sentence = QString::fromStdString(parsed.error().error.sentence);
    QVERIFY2(sentence.contains(QString("haracter %1").arg(parsed.error().position + 1)),
             qPrintable(sentence));
}

void TstRowFilter::readsOnlyTheColumnsOfTheFilter()
{
    const auto parsed = RowFilter::parse("score > 1 or (education = a and score < 0)", schema());
    QVERIFY(parsed.has_value());
    QCOMPARE(parsed->columns().size(), std::size_t{2});
    QCOMPARE(parsed->columns()[0].column, std::string("score"));
    QVERIFY(parsed->columns()[0].dtype == DType::Float64);
    QCOMPARE(parsed->columns()[1].column, std::string("education"));
    QVERIFY(!parsed->columns()[1].dtype.has_value());
}

/// Random pieces of the language and of anything else are at most an error.
void TstRowFilter::survivesAnyText()
{
    const std::vector<std::string> pieces{
        "age",     "score", "education", "`home town`", "and", "or",  "not",  "is",
        "missing", "in",    "(",         ")",           ",",   "=",   "<",    "~",
        "!=",      "\"a\"", "'",         "`",           "\"",  "30",  "-1e5", "contains",
        " ",       "\t",    "\xC3",      "\xFF",        "é",   "nan", "1e999"};
    std::mt19937 random(7);
    const TableSchema known = schema();
    const TableChunk chunk = people();
    int understood = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (unsigned i = random() % 12; i > 0; --i) {
            text += pieces[random() % pieces.size()] + (random() % 4 == 0 ? "" : " ");
        }
        const auto parsed = RowFilter::parse(text, known);
        if (parsed) {
            ++understood;
            QCOMPARE(parsed->match(chunk).size(), chunk.rows);
        } else {
            QVERIFY(parsed.error().position + parsed.error().length <= text.size());
            QVERIFY(!parsed.error().error.sentence.empty());
        }
    }
    QVERIFY(understood > 100);
    QVERIFY(!RowFilter::parse(std::string(100'000, '('), known).has_value());
}

CANNERY_TEST(TstRowFilter)
#include "tst_row_filter.moc"
