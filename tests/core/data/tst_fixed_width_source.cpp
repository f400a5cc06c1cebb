// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/data_source_catalog.h"
#include "tests/core/data/record_rows.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::data;
using namespace cannery::tests;

namespace {

const std::string kTowns = "town            year  income\n"
                           "New York        1998   18611\n"
                           "Rio de Janeiro  2014        \n"
                           "Lima            2011   62898\n"
                           "                1987     400\n"
                           "Córdoba         1990   35908\n"
                           "Los Angeles     2018    4715\n";

std::string replaced(const std::string& text, const char* from, const char* to)
{
    return QByteArray::fromStdString(text).replace(from, to).toStdString();
}

} // namespace

/// Text files of fixed width as tables.
class TstFixedWidthSource : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cellsMayBeEmptyAndHoldBlanks();
    void aDescriptionReadsOtherFilesLikewise();
    void rulersAndBlankLinesAreNotRows();
    void namesNeedNotBeAligned();
    void withoutNamesColumnsAreNumbered();
    void textsThatCrossAPlaceAreNamedOrLeftOut();
    void packedColumnsMayTouch();
    void placesAscend();
    void filesAreRecognisedByTheirContent_data();
    void filesAreRecognisedByTheirContent();

private:
    QTemporaryDir m_folder;
};

void TstFixedWidthSource::cellsMayBeEmptyAndHoldBlanks()
{
    const auto source = openByContent(textFile(m_folder, "towns.txt", kTowns));
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (std::vector<std::string>{"town", "year", "income"}));
    QCOMPARE(readRecords(**source)->rows, (Texts{{"New York", "1998", "18611"},
                                                 {"Rio de Janeiro", "2014", "-"},
                                                 {"Lima", "2011", "62898"},
                                                 {"-", "1987", "400"},
                                                 {"Córdoba", "1990", "35908"},
                                                 {"Los Angeles", "2018", "4715"}}));
}

/// Also if it has no header, or has it elsewhere, and longer numbers.
void TstFixedWidthSource::aDescriptionReadsOtherFilesLikewise()
{
    const spec::DataSource message = sourceOfFile(textFile(m_folder, "first.txt", kTowns));
    QCOMPARE(std::vector<std::int64_t>(message.fixed_width().column_start().begin(),
                                       message.fixed_width().column_start().end()),
             (std::vector<std::int64_t>{0, 16, 21}));
    QVERIFY(message.fixed_width().header());
    const auto training = openDataSource(message, {});
    VERIFY_OK(training);
    const spec::DataSource other = withFiles(message, {textFile(m_folder, "other.txt",
                                                                "Salt Lake City  2001 1234567\n"
                                                                "town  year  income\n"
                                                                "Oslo            2002\n")});
    const auto source = openDataSource(other, {.like = &(*training)->schema()});
    VERIFY_OK(source);
    QCOMPARE(readRecords(**source)->rows,
             (Texts{{"Salt Lake City", "2001", "1234567"}, {"Oslo", "2002", "-"}}));
}

void TstFixedWidthSource::rulersAndBlankLinesAreNotRows()
{
    const auto source = openByContent(textFile(m_folder, "ruled.txt",
                                               "name    count\n"
                                               "------- -----\n"
                                               "a b         1\n"
                                               "c          20\n"
                                               "\n"
                                               "d e f       3\n"
                                               "g           4\n"
                                               "-------------\n"));
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (std::vector<std::string>{"name", "count"}));
    QCOMPARE(readRecords(**source)->rows,
             (Texts{{"a b", "1"}, {"c", "20"}, {"d e f", "3"}, {"g", "4"}}));
    const auto stream = (*source)->read({.columns = {{.column = "count"}}, .keepLines = true});
    QCOMPARE((**(*stream)->next()).lines, (std::vector<std::uint64_t>{3, 4, 6, 7}));
}

void TstFixedWidthSource::namesNeedNotBeAligned()
{
    const auto source = openByContent(textFile(m_folder, "names.txt",
                                               "article amount price\n"
                                               "hexagonal bolt    1    12.50\n"
                                               "gasket sealing    2      .25\n"
                                               "nut               3         \n"
                                               "gasket            4   100.00\n"
                                               "screw             5     1.00\n"));
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (std::vector<std::string>{"article", "amount", "price"}));
    QCOMPARE(readRecords(**source)->rows.size(), std::size_t{5});
}

void TstFixedWidthSource::withoutNamesColumnsAreNumbered()
{
    const auto source =
        openByContent(textFile(m_folder, "bare.txt", kTowns.substr(kTowns.find('\n') + 1)));
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (std::vector<std::string>{"c0", "c1", "c2"}));
    QCOMPARE(readRecords(**source)->rows.size(), std::size_t{6});
}

void TstFixedWidthSource::textsThatCrossAPlaceAreNamedOrLeftOut()
{
    const spec::DataSource message =
        withFiles(sourceOfFile(textFile(m_folder, "narrow.txt", kTowns)),
                  {textFile(m_folder, "wide.txt",
                            "San Carlos de Bariloche 2001\nLima            2011   62898\n")});
    const auto training = openByContent(textFile(m_folder, "narrow.txt", kTowns));
    VERIFY_OK(training);
    const TableSchema* like = &(*training)->schema();
    const auto strict = openDataSource(message, {.like = like});
    VERIFY_OK(strict);
    const auto rows = readRecords(**strict);
    VERIFY_ERROR(rows, "csv.bad_record");
    QVERIFY2(rows.error().sentence.find("wide.txt:1:") != std::string::npos &&
                 rows.error().sentence.find("place 16, where column 2 begins") != std::string::npos,
             rows.error().sentence.c_str());
    const auto skipping = openDataSource(message, {.badRows = spec::BadRows::SKIP, .like = like});
    VERIFY_OK(skipping);
    QCOMPARE(readRecords(**skipping)->rows, (Texts{{"Lima", "2011", "62898"}}));
}

void TstFixedWidthSource::packedColumnsMayTouch()
{
    spec::DataSource message;
    spec::FixedWidthSource& packed = *message.mutable_fixed_width();
    packed.add_files(textFile(m_folder, "packed.txt", "AB12199803\nC 07200511\n"));
    for (const int start : {0, 2, 4, 8}) {
        packed.add_column_start(start);
    }
    packed.set_header(false);
    packed.set_packed(true);
    const auto source = openDataSource(message, {});
    VERIFY_OK(source);
    QCOMPARE(readRecords(**source)->rows,
             (Texts{{"AB", "12", "1998", "3"}, {"C", "7", "2005", "11"}}));
}

void TstFixedWidthSource::placesAscend()
{
    spec::DataSource message = sourceOfFile(textFile(m_folder, "order.txt", kTowns));
    message.mutable_fixed_width()->add_column_start(21);
    VERIFY_ERROR(openDataSource(message, {}), "data.column_starts");
    message.mutable_fixed_width()->clear_column_start();
    message.mutable_fixed_width()->set_files(0, textFile(m_folder, "one.txt", "alone\nagain\n"));
    VERIFY_ERROR(openDataSource(message, {}), "data.no_fixed_width");
}

void TstFixedWidthSource::filesAreRecognisedByTheirContent_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<bool>("isFixed");
    const auto fits = [](const char* what, const std::string& text, bool isFixed) {
        QTest::newRow(what) << text << isFixed;
    };
    fits("texts of several words", kTowns, true);
    fits("without its last line end", kTowns.substr(0, kTowns.size() - 1), true);
    fits("CRLF", replaced(kTowns, "\n", "\r\n"), true);
    fits("cells that runs of blanks separate", "a   b\n1   2\n10  3\n7  12\n8   4\n9   5\n", false);
    fits("a cell that is empty in one of many rows",
         "a   b\n" + QByteArray("1   2\n10  3\n").repeated(50).toStdString() + "    4\n", true);
    fits("CSV", "a, b\n1, 2\n3, 4\n5, 6\n7, 8\n9, 0\n", false);
    fits("a column of times", "at\n" + QByteArray("2020-01-01 10:00\n").repeated(6).toStdString(),
         false);
    fits("a column of texts", "text\nalpha beta\nc\nd e f\ng\nh\n", false);
    fits("tabs", replaced(kTowns, "  1", "\t1"), false);
    const std::string rows = kTowns.substr(kTowns.find('\n') + 1);
    fits("a title above", "A list of towns and their incomes\n\n" + kTowns + rows + rows, false);
    fits("names that are not aligned", "town year income\n" + rows + rows, true);
    fits("two rows", kTowns.substr(0, 90), false);
}

void TstFixedWidthSource::filesAreRecognisedByTheirContent()
{
    QFETCH(std::string, text);
    QFETCH(bool, isFixed);
    const spec::DataSource source = sourceOfFile(textFile(m_folder, "some.txt", text));
    QCOMPARE(source.has_fixed_width(), isFixed);
    QCOMPARE(source.has_csv(), !isFixed);
}

CANNERY_TEST(TstFixedWidthSource)
#include "tst_fixed_width_source.moc"
