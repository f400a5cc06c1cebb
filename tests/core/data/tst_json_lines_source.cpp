// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_reader.h"
#include "tests/core/data/record_rows.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::data;
using namespace cannery::tests;

/// JSON objects as the rows of a table.
class TstJsonLinesSource : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void objectsAreRows();
    void cellsAreTypedAsThoseOfCsv();
    void nestedObjectsAndArraysAreColumns();
    void objectsMayStandInAnArrayOrOverLines();
    void linesAreThoseOfTheFile();
    void whatIsNoObjectIsNamedOrLeftOut();
    void numbersThatJsonDoesNotHaveAreMissing();
    void numbersAndListsAreCellsOfTheirColumn();
    void aNameOfTheTrainingDataMayBeLacking();
    void filesAreRecognisedByTheirContent_data();
    void filesAreRecognisedByTheirContent();
    void everyCutAndFlipIsReadOrRefused();

private:
    QTemporaryDir m_folder;
};

void TstJsonLinesSource::objectsAreRows()
{
    const auto source = openByContent(
        textFile(m_folder, "rows.jsonl",
                 "{\"age\": 31, \"town\": \"Bonn, \\\"old\\\"\"}\n\n{\"town\": null, \"age\": 4.5, "
                 "\"new\": true}\n"));
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (std::vector<std::string>{"age", "town", "new"}));
    const auto read = readRecords(**source, {.fingerprint = true});
    VERIFY_OK(read);
    QCOMPARE(read->rows, (Texts{{"31", "Bonn, \"old\"", "-"}, {"4.5", "-", "true"}}));
    QCOMPARE(read->fingerprint, std::optional((*source)->fingerprint().value()));
    QCOMPARE((*source)->preview(1)->front().front(), std::string("31"));
}

void TstJsonLinesSource::cellsAreTypedAsThoseOfCsv()
{
    const std::string path =
        textFile(m_folder, "types.jsonl",
                 "{\"i\": 1, \"l\": 12345678901, \"f\": 1e-3, \"t\": \"7\", \"c\": \"05123\"}\n"
                 "{\"i\": -2, \"l\": 2, \"f\": 2.0, \"t\": \"n/a\", \"c\": \"x\"}\n");
    spec::DataSource message = sourceOfFile(path);
    message.mutable_json_lines()->add_na_value("n/a");
    const auto source = openDataSource(message, {});
    VERIFY_OK(source);
    std::vector<DType> dtypes;
    for (const ColumnSchema& column : (*source)->schema().columns) {
        dtypes.push_back(column.dtype);
    }
    QVERIFY((dtypes == std::vector<DType>{DType::Int32, DType::Int64, DType::Float32, DType::Int32,
                                          DType::String}));
    QCOMPARE(readRecords(**source)->rows[1], (std::vector<std::string>{"-2", "2", "2", "-", "x"}));
}

void TstJsonLinesSource::nestedObjectsAndArraysAreColumns()
{
    const auto source = openByContent(textFile(
        m_folder, "nested.jsonl",
        "{\"at\": {\"town\": \"Ulm\", \"zip\": {\"code\": 7}}, \"tags\": [\"a\", \"b\"], "
        "\"ids\": [1, 2]}\n{\"tags\": [], \"ids\": 3, \"odd\": [{\"k\": [1, null]}, 2]}\n"));
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(),
             (std::vector<std::string>{"at.town", "at.zip.code", "tags", "ids", "odd"}));
    QCOMPARE(readRecords(**source)->rows,
             (Texts{{"Ulm", "7", "a|b", "1|2", "-"}, {"-", "-", "-", "3", "{\"k\":[1,null]}|2"}}));
    QVERIFY((*source)->schema().find("tags")->listOf == DType::String);
    QVERIFY((*source)->schema().find("ids")->listOf == DType::Int64);
    QVERIFY(!(*source)->schema().find("at.town")->listOf);
}

void TstJsonLinesSource::objectsMayStandInAnArrayOrOverLines()
{
    const Texts expected{{"1", "x"}, {"2", "y"}};
    for (const char* text :
         {"[{\"a\": 1, \"b\": \"x\"}, {\"a\": 2, \"b\": \"y\"}]",
          "[\n  {\n    \"a\": 1,\n    \"b\": \"x\"\n  },\n  {\n    \"a\": 2,\n    \"b\": \"y\"\n  "
          "}\n]\n",
          "\xEF\xBB\xBF{\"a\": 1, \"b\": \"x\"}\r\n{\"a\": 2, \"b\": \"y\"}",
          "{\"a\": 1, \"b\": \"x\"} {\"a\": 2, \"b\": \"y\"}"}) {
        const auto source = openByContent(textFile(m_folder, "same.json", text));
        VERIFY_OK(source);
        QCOMPARE(readRecords(**source)->rows, expected);
    }
}

/// A line break within a text makes a converted row longer than its line.
void TstJsonLinesSource::linesAreThoseOfTheFile()
{
    const std::string path = textFile(m_folder, "breaks.jsonl",
                                      "{\"t\": \"one\\ntwo\\nthree\", \"n\": 1}\n\n"
                                      "{\"t\": \"x\", \"n\": \"bad\"}\n{\"t\": \"y\", \"n\": 2}\n");
    SourceOptions options;
    options.columns.emplace_back().set_name("n");
    options.columns.back().set_dtype(spec::DataType::int32);
    const auto strict = openByContent(path, options);
    VERIFY_OK(strict);
    const auto refused = readRecords(**strict);
    VERIFY_ERROR(refused, "csv.not_a_number");
    QVERIFY2(refused.error().sentence.find("breaks.jsonl:3:") != std::string::npos,
             refused.error().sentence.c_str());
    options.badRows = spec::BadRows::SKIP;
    const auto lenient = openByContent(path, options);
    const auto stream = (*lenient)->read({.columns = {{.column = "n"}}, .keepLines = true});
    VERIFY_OK(stream);
    QCOMPARE((**(*stream)->next()).lines, (std::vector<std::uint64_t>{1, 4}));
    QCOMPARE((*stream)->refused(0).front().line, std::uint64_t{3});
}

void TstJsonLinesSource::whatIsNoObjectIsNamedOrLeftOut()
{
    const std::string path = textFile(
        m_folder, "bad.jsonl", "{\"a\": 1}\n{\"a\": \nnonsense\n{\"a\": 2}\n7\n{\"a\": 3}\n");
    const auto strict = openByContent(path);
    VERIFY_ERROR(strict, "csv.bad_record");
    QVERIFY2(strict.error().sentence.find("bad.jsonl:2:") != std::string::npos,
             strict.error().sentence.c_str());
    const auto lenient = openByContent(path, {.badRows = spec::BadRows::SKIP});
    VERIFY_OK(lenient);
    const auto read = readRecords(**lenient);
    VERIFY_OK(read);
    QCOMPARE(read->rows.front(), std::vector<std::string>{"1"});
    QCOMPARE(read->rows.back(), std::vector<std::string>{"3"});
    QCOMPARE(read->rows.size(), std::size_t{3});
    QCOMPARE(read->report.badRowCount, std::uint64_t{2});
    QCOMPARE(read->report.badRows.size(), std::size_t(read->report.badRowCount));
}

void TstJsonLinesSource::numbersThatJsonDoesNotHaveAreMissing()
{
    const auto source = openByContent(textFile(m_folder, "nan.jsonl",
                                               "{\"a\": NaN, \"t\": \"NaN \\\"Infinity\"}\n{\"a\": "
                                               "-Infinity, \"t\": \"x\"}\n{\"a\": 2.5}\n"));
    VERIFY_OK(source);
    QCOMPARE(readRecords(**source)->rows,
             (Texts{{"-", "NaN \"Infinity"}, {"-", "x"}, {"2.5", "-"}}));
}

/// A number is a number whatever the notation of texts; a list is split where the experiment says.
void TstJsonLinesSource::numbersAndListsAreCellsOfTheirColumn()
{
    SourceOptions options{.badRows = spec::BadRows::SKIP};
    spec::Column& price = options.columns.emplace_back();
    price.set_name("price");
    price.set_dtype(spec::DataType::float32);
    price.mutable_number_notation()->set_decimal_mark(spec::DecimalMark::comma);
    price.mutable_number_notation()->set_group_mark(".");
    spec::Column& count = options.columns.emplace_back();
    count.set_name("count");
    count.set_dtype(spec::DataType::int32);
    options.separators = {{"tags", "; "}};
    const auto source =
        openByContent(textFile(m_folder, "cells.jsonl",
                               "{\"price\": 1299.5, \"count\": 7.0, \"tags\": [\"a\", 0.5]}\n"
                               "{\"price\": \"1.299,5\", \"count\": \"7\", \"tags\": \"a|b\"}\n"
                               "{\"price\": \"1299.5\"}\n{\"count\": 7.5}\n{\"count\": \"7.0\"}\n"),
                      options);
    VERIFY_OK(source);
    const auto read = readRecords(**source);
    VERIFY_OK(read);
    QCOMPARE(read->rows, (Texts{{"1299.5", "7", "a; 0.5"}, {"1299.5", "7", "a|b"}}));
    QCOMPARE(read->report.badRowCount, std::uint64_t{3});
}

void TstJsonLinesSource::aNameOfTheTrainingDataMayBeLacking()
{
    const auto train =
        openByContent(textFile(m_folder, "train.jsonl", "{\"a\": 1, \"b\": 2}\n{\"a\": 3}\n"));
    VERIFY_OK(train);
    const auto other = openByContent(textFile(m_folder, "other.jsonl", "{\"a\": 5}\n{\"a\": 6}\n"),
                                     {.like = &(*train)->schema()});
    VERIFY_OK(other);
    QCOMPARE(readRecords(**other)->rows, (Texts{{"5", "-"}, {"6", "-"}}));
}

void TstJsonLinesSource::filesAreRecognisedByTheirContent_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<bool>("isOne");
    QTest::newRow("lines") << std::string("{\"a\": 1}\n{\"a\": 2}\n") << true;
    QTest::newRow("array") << std::string("[{\"a\": 1}]") << true;
    QTest::newRow("one row") << std::string("{\"a\": 1, \"b\": \"x\"}\n") << true;
    QTest::newRow("columns") << std::string("{\"a\": {\"0\": 1, \"1\": 2}}") << false;
    QTest::newRow("a list of lists") << std::string("[[1, 2], [3, 4]]") << false;
    QTest::newRow("bracketed names") << std::string("[a],[b]\n1,2\n") << false;
    QTest::newRow("bracketed numbers") << std::string("[1],[2]\n1,2\n3,4\n") << false;
    QTest::newRow("braces") << std::string("{a},{b}\n1,2\n") << false;
    QTest::newRow("CSV") << std::string("a,b\n1,2\n") << false;
}

void TstJsonLinesSource::filesAreRecognisedByTheirContent()
{
    QFETCH(std::string, text);
    QFETCH(bool, isOne);
    QCOMPARE(sourceOfFile(textFile(m_folder, "some.txt", text)).has_json_lines(), isOne);
}

void TstJsonLinesSource::everyCutAndFlipIsReadOrRefused()
{
    const std::string good =
        "[{\"a\": 1, \"b\": [\"x\", {\"k\": 2}]},\n {\"a\": 2, \"b\": [null]}]\n";
    spec::DataSource message;
    message.mutable_json_lines()->add_files(textFile(m_folder, "spoilt.json", good));
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const std::string& text :
             {good.substr(0, at),
              good.substr(0, at) + static_cast<char>(good[at] ^ 0x15) + good.substr(at + 1)}) {
            textFile(m_folder, "spoilt.json", text);
            for (const auto policy : {spec::BadRows::FAIL, spec::BadRows::SKIP}) {
                const auto source = openDataSource(message, {.badRows = policy});
                QVERIFY(!source || !readRecords(**source) ||
                        readRecords(**source)->rows.size() <= 4);
            }
        }
    }
}

CANNERY_TEST(TstJsonLinesSource)
#include "tst_json_lines_source.moc"
