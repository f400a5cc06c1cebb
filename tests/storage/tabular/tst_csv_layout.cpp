// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_discovery.h"
#include "storage/tabular/csv/csv_reader.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/core.h>
#include <fmt/ranges.h>

using namespace cannery;
using namespace cannery::storage;

/// Where the table is in a file: its delimiter, its header, and the lines that are not rows.
class TstCsvLayout : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsTheTable_data();
    void findsTheTable();
    void leavesOutWhatIsNotARow_data();
    void leavesOutWhatIsNotARow();
    void aHeaderIsNotInvented_data();
    void aHeaderIsNotInvented();
    void linesBelowAreToldAndOthersAreBadRows();
    void linesBelowDoNotDependOnBlocks();
    void everyFileHasItsOwnLinesAbove();
    void aRowIsNotSkippedBecauseNoRowFits();
    void namesMeanNoHeader();
    void skipRowsIsTakenAtItsWord();

private:
    std::string write(const QString& name, const QByteArray& bytes);
    /// Names, rows and remarks of a table as one text.
    std::string readText(const CsvOpenOptions& open, std::size_t blockBytes = 1U << 20U);

    QTemporaryDir m_folder;
};

std::string TstCsvLayout::write(const QString& name, const QByteArray& bytes)
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write the test file");
    }
    return file.fileName().toStdString();
}

std::string TstCsvLayout::readText(const CsvOpenOptions& open, std::size_t blockBytes)
{
    const auto found = discoverCsv(open);
    if (!found) {
        return found.error().message();
    }
    std::string text = fmt::format("{}\n", fmt::join(found->files.columnNames, "|"));
    CsvReadOptions options{.blockBytes = blockBytes};
    for (std::size_t i = 0; i < found->files.columnNames.size(); ++i) {
        options.columns.push_back({.name = found->files.columnNames[i], .index = i});
    }
    CsvReader reader(found->files, options);
    while (true) {
        const auto chunk = reader.next();
        if (!chunk) {
            return text + chunk.error().message();
        }
        if (!*chunk) {
            break;
        }
        for (std::size_t row = 0; row < (*chunk)->rows; ++row) {
            for (std::size_t i = 0; i < (*chunk)->columns.size(); ++i) {
                text += (i == 0 ? "" : "|") + std::string((*chunk)->columns[i].strings()[row]);
            }
            text += "\n";
        }
    }
    for (const std::string& remark : found->warnings) {
        text += remark.substr(remark.find(".csv:") + 5) + "\n";
    }
    for (const std::string& remark : reader.report().remarks) {
        text += remark.substr(remark.find(".csv:") + 5) + "\n";
    }
    return text;
}

namespace {

const char* const kAbc = "a|b|c\n1|x|2.5\n3|y|4.5\n";

void addColumns()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected");
}

void row(const char* name, const char* text, const char* expected)
{
    QTest::newRow(name) << QByteArray(text) << QByteArray(expected);
}

} // namespace

void TstCsvLayout::findsTheTable_data()
{
    addColumns();
    row("plain", "a,b,c\n1,x,2.5\n3,y,4.5\n", kAbc);
    row("years as names", "area,2019,2020,up\nR0,25.4,16.3,0\nR1,55.4,56.5,1\n",
        "area|2019|2020|up\nR0|25.4|16.3|0\nR1|55.4|56.5|1\n");
    row("years alone", ",2018,2019\nx,1.5,2.5\ny,3.5,4.5\nz,5.5,6.5\n",
        "|2018|2019\nx|1.5|2.5\ny|3.5|4.5\nz|5.5|6.5\n1: column 1 has no name and is ignored\n");
    row("numbered names", "label,0,1,2,3\n7,255,128,16,0\n0,16,0,0,9\n",
        "label|0|1|2|3\n7|255|128|16|0\n0|16|0|0|9\n");
    row("numbers that count the columns", "0,1,2,3,4\n9,2,7,1,5\n3,3,8,0,1\n",
        "0|1|2|3|4\n9|2|7|1|5\n3|3|8|0|1\n");
    row("a title and a blank line", "Waste, by district\n\na,b,c\n1,x,2.5\n3,y,4.5\n",
        "a|b|c\n1|x|2.5\n3|y|4.5\n lines 1 to 2 are above the table: Waste, by district\n");
    row("a title as wide as the table", "Waste,,\n,,\na,b,c\n1,x,2.5\n3,y,4.5\n",
        "a|b|c\n1|x|2.5\n3|y|4.5\n lines 1 to 2 are above the table: Waste,,\n");
    row("comments with delimiters", "# probe 14, north, field\n# gain\na,b,c\n1,x,2.5\n3,y,4.5\n",
        "a|b|c\n1|x|2.5\n3|y|4.5\n lines 1 to 2 are above the table: # probe 14, north, field\n");
    row("lines of several widths above",
        "Data Source: a, b, c, d\nLast "
        "Updated,2020\n\"Country\",\"Code\",\"1990\"\nx,AA,2.5\ny,BB,3"
        ".5\nz,CC,4.5\n",
        "Country|Code|1990\nx|AA|2.5\ny|BB|3.5\nz|CC|4.5\n lines 1 to 2 are above the table: Data "
        "Source: a, b, c, d\n");
    row("the header of numpy.savetxt", "# a b c\n1.5 0 2.5\n3.5 1 4.5\n",
        "a|b|c\n1.5|0|2.5\n3.5|1|4.5\n");
}

void TstCsvLayout::leavesOutWhatIsNotARow_data()
{
    addColumns();
    row("a footer", "a,b,c\n1,x,2.5\n3,y,4.5\n\nSource: ministry\nTotal,7\n",
        "a|b|c\n1|x|2.5\n3|y|4.5\n 2 lines from line 5 on, below the table, are not rows: Source: "
        "ministry\n");
    row("a footer with more delimiters",
        "a,b,c\n1,x,2.5\n3,y,4.5\nNotes:\nthese, are, not, rows, at all\n",
        "a|b|c\n1|x|2.5\n3|y|4.5\n 2 lines from line 4 on, below the table, are not rows: "
        "Notes:\n");
    row("the end mark of DOS", "a,b,c\r\n1,x,2.5\r\n3,y,4.5\r\n\x1A", kAbc);
    row("an end mark in the last line", "a,b,c\n1,x,2.5\n3,y,4.5\x1A\r\n", kAbc);
    row("a repeated header", "a,b,c\n1,x,2.5\na,b,c\n3,y,4.5\na,b,c\n",
        "a|b|c\n1|x|2.5\n3|y|4.5\n 2 lines like the header are not rows\n");
    row("a repeated header is evidence", "u,v\nx,z\nu,v\ny,w\n",
        "u|v\nx|z\ny|w\n a line like the header is not a row\n");
    row("units below the names", "a,b,c\nkg,m,s\n1,2,2.5\n3,4,4.5\n5,6,7\n8,9,9\n",
        "a|b|c\n1|2|2.5\n3|4|4.5\n5|6|7\n8|9|9\n line 2 is not a row, it describes the columns: "
        "kg,m,s\n");
    row("a rule below the names", "a|b|c\n---|:-:|---\n1|2|x\n3|4|y\n5|6|z\n8|9|x\n",
        "a|b|c\n1|2|x\n3|4|y\n5|6|z\n8|9|x\n line 2 is not a row, it describes the columns: "
        "---|:-:|---\n");
    row("names of groups above the names", "x,,y\na,b,c\n1,2,2.5\n3,4,4.5\n5,6,7\n8,9,9\n",
        "a|b|c\n1|2|2.5\n3|4|4.5\n5|6|7\n8|9|9\n line 1 is above the table: x,,y\n");
    row("a delimiter too many in the rows", "a,b,c\n1,x,2.5,\n3,y,4.5,\n",
        "a|b|c\n1|x|2.5\n3|y|4.5\n each row ends with a delimiter too many\n");
    row("a delimiter too many in the header", "a,b,c,\n1,x,2.5\n3,y,4.5\n", kAbc);
    row("a delimiter too many in one row", "a,b,c\n1,x,2.5\n3,y,4.5,\n", kAbc);
    row("row names", "\"a\",\"b\"\n\"r 1\",1,\"x\"\n\"r 2\",3,\"y\"\n",
        "|a|b\nr 1|1|x\nr 2|3|y\n the header is one name short: the first column, which has none, "
        "is taken for the names of the rows\n");
    row("two names too many", "a,b,c,d,e\n1,x,2.5\n3,y,4.5\n",
        "a|b|c\n1|x|2.5\n3|y|4.5\n the header on line 1 has 5 names, but the rows have 3 cells: "
        "nothing belongs to d, e\n");
    row("rows of nothing but delimiters", "a,b,c\n,,\n1,x,2.5\n,,,\n3,y,4.5\n,,\n", kAbc);
    row("a line that names the delimiter", "sep=;\na;b;c\n1;x;2.5\n3;y;4.5\n", kAbc);
    row("such a line in title case", "Sep=;\na;b;c\n1;x;2.5\n3;y;4.5\n", kAbc);
    row("a quoted line that names the delimiter", "\"sep=|\"\r\na|b|c\r\n1|x|2.5\r\n3|y|4.5\r\n",
        kAbc);
    row("commas in all rows but the header", "a;b\nx;1,5\nz;2,5\n", "a|b\nx|1,5\nz|2,5\n");
    row("one blank", "a b c\n1 x 2.5\n3 y 4.5\n", kAbc);
    row("runs of blanks and tabs", "  a \t b  c  \n1    x 2.5\n  3\ty\t\t4.5\t\n", kAbc);
    row("tabs in some places", "a\tb  c\n1\t x \t2.5\n3\t y \t4.5\n", kAbc);
    row("negative numbers and quoted texts",
        "a    b         c\n-1.5 \"x \"\"1\"\"\"   2\n 3   \"y z\"    -4\n",
        "a|b|c\n-1.5|x \"1\"|2\n3|y z|-4\n");
    row("blanks without a header", "P0_XY   0.58  im\nP1_XY   0.68  cp\nP2_XY   0.55  im\n",
        "c0|c1|c2\nP0_XY|0.58|im\nP1_XY|0.68|cp\nP2_XY|0.55|im\n");
    row("texts with blanks stay one column", "name\nNew York\nLos Angeles\nRio de Janeiro\n",
        "name\nNew York\nLos Angeles\nRio de Janeiro\n");
    row("blanks beside commas", "name,n\nAnn Lee,1\nBob Fox,2\n", "name|n\nAnn Lee|1\nBob Fox|2\n");
}

void TstCsvLayout::findsTheTable()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, expected);
    QCOMPARE(QByteArray::fromStdString(readText({.patterns = {write("t.csv", text)}})), expected);
}

void TstCsvLayout::leavesOutWhatIsNotARow()
{
    findsTheTable();
}

void TstCsvLayout::aHeaderIsNotInvented_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("numbers and codes") << QByteArray("11.39,a,0,10.91\n29.98,b,1,19.45\n");
    QTest::newRow("years") << QByteArray("1950,11.39,0\n1951,29.98,1\n1952,11.53,2\n");
    QTest::newRow("whole numbers") << QByteArray("1,2,3\n4,5,6\n7,8,9\n");
    QTest::newRow("pairs") << QByteArray("1,2\n1,3\n1,4\n2,5\n");
    QTest::newRow("a missing number first") << QByteArray("1950,?,0.5\n1951,2.5,1\n1952,3.5,2\n");
    QTest::newRow("texts") << QByteArray("p,b,t\np,x,w\np,b,t\ne,b,k\n");
    QTest::newRow("counted, as others are") << QByteArray("0,1,2,3,4\n1,2,3,4,5\n2,3,4,5,6\n");
    QTest::newRow("a code first") << QByteArray("A1,2000,5\nA2,250,6\nA3,31,7\n");
}

void TstCsvLayout::aHeaderIsNotInvented()
{
    QFETCH(const QByteArray, text);
    const auto found = discoverCsv({.patterns = {write("t.csv", text)}});
    VERIFY_OK(found);
    QVERIFY2(!found->files.dialect.hasHeader, found->guess.layout.headerReason.c_str());
    QCOMPARE(found->files.columnNames.front(), std::string("c0"));
    QVERIFY(found->warnings.empty());
}

void TstCsvLayout::linesBelowAreToldAndOthersAreBadRows()
{
    const std::string middle = readText({.patterns = {write("t.csv", "a,b\n1,2\n3\n5,6\nend\n")}});
    QVERIFY2(middle.find(":3: 1 field instead of 2: 3.") != std::string::npos, middle.c_str());
    QVERIFY2(middle.find(":5:") == std::string::npos, middle.c_str());
    // A row that is too long is not a note, nor is a record without a row above it.
    const std::string wide = readText({.patterns = {write("t.csv", "a,b\n1,2\n3,4\n5,6,7\n")}});
    QVERIFY2(wide.find(":4: 3 fields instead of 2") != std::string::npos, wide.c_str());
}

void TstCsvLayout::linesBelowDoNotDependOnBlocks()
{
    QByteArray text = "title\n\na,b,c\n";
    for (int i = 0; i < 40; ++i) {
        text += QByteArray::number(i) + ",x," + QByteArray::number(i * 0.5) + "\n";
    }
    for (int i = 0; i < 30; ++i) {
        text += "note " + QByteArray::number(i) + (i % 3 == 0 ? ", with, more, commas\n" : "\n");
    }
    text.replace("note 0, with, more, commas\n", "note 0\n");
    const std::string path = write("t.csv", text);
    const std::string whole = readText({.patterns = {path}});
    QVERIFY2(whole.find("30 lines from line 44 on, below the table") != std::string::npos,
             whole.c_str());
    for (const std::size_t blockBytes : {64U, 97U, 300U}) {
        QCOMPARE(readText({.patterns = {path}}, blockBytes), whole);
    }
}

void TstCsvLayout::everyFileHasItsOwnLinesAbove()
{
    write("part-1.csv", "# first\na,b\n1,2.5\n3,4.5\nend\n");
    write("part-2.csv", "a,b\n5,6.5\n");
    write("part-3.csv", "Third file\n\na,b\n7,8.5\n9,1.5\n");
    const std::string text =
        readText({.patterns = {m_folder.filePath("part-*.csv").toStdString()}});
    QVERIFY2(text.starts_with("a|b\n1|2.5\n3|4.5\n5|6.5\n7|8.5\n9|1.5\n"), text.c_str());
    QVERIFY(text.find("line 5, below the table, is not a row: end") != std::string::npos);
}

void TstCsvLayout::aRowIsNotSkippedBecauseNoRowFits()
{
    const std::string path = write("t.csv", "a;b\n1,2,3\n4,5,6\n");
    const auto found =
        discoverCsv({.patterns = {path}, .hints = {.delimiter = ';', .hasHeader = true}});
    VERIFY_OK(found);
    CsvReader reader(found->files, {.columns = {{.name = "a", .index = 0}}});
    const auto chunk = reader.next();
    if (!chunk) {
        QCOMPARE(chunk.error().id, std::string("csv.no_row_fits"));
        QVERIFY(chunk.error().sentence.find("SKIP") == std::string::npos);
    }
}

void TstCsvLayout::namesMeanNoHeader()
{
    const std::string texts = write("t.csv", "p,flat\ne,bell\ne,cone\n");
    QCOMPARE(readText({.patterns = {texts}, .hints = {.columnNames = {"kind", "cap"}}}),
             std::string("kind|cap\np|flat\ne|bell\ne|cone\n"));
    const std::string named = write("t.csv", "kind,cap\np,flat\ne,bell\n");
    QCOMPARE(readText({.patterns = {named}, .hints = {.columnNames = {"kind", "cap"}}}),
             std::string("kind|cap\np|flat\ne|bell\n"));
    QCOMPARE(readText({.patterns = {named},
                       .hints = {.hasHeader = true, .columnNames = {"sort", "hat"}}}),
             std::string("sort|hat\np|flat\ne|bell\n"));
    // Without a header, the names that the columns get are not a row, either.
    const std::string numbered = write("t.csv", "c0,c1\np,flat\n");
    QCOMPARE(readText({.patterns = {numbered}, .hints = {.hasHeader = false}}),
             std::string("c0|c1\np|flat\n"));
}

void TstCsvLayout::skipRowsIsTakenAtItsWord()
{
    const std::string path = write("t.csv", "made, by, me\n\na,b,c\nkg,m,s\n1,2,3\n4,5,6\n7,8,9\n");
    QCOMPARE(readText({.patterns = {path}, .hints = {.skipRows = 2}}),
             std::string("a|b|c\nkg|m|s\n1|2|3\n4|5|6\n7|8|9\n"));
    QCOMPARE(readText({.patterns = {path}, .hints = {.hasHeader = false, .skipRows = 4}}),
             std::string("c0|c1|c2\n1|2|3\n4|5|6\n7|8|9\n"));
    const auto all = discoverCsv({.patterns = {path}, .hints = {.skipRows = 10}});
    VERIFY_ERROR(all, "csv.skips_all");
    const std::string marked = write("t.csv", "a,b\n1,2\n! no, row, at all\n3,4\n");
    QCOMPARE(readText({.patterns = {marked}, .hints = {.comment = "!"}}),
             std::string("a|b\n1|2\n3|4\n"));
}

CANNERY_TEST(TstCsvLayout)
#include "tst_csv_layout.moc"
