// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_discovery.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/core.h>
#include <fmt/ranges.h>

using namespace cannery::storage;

/// Cells that are not quoted as RFC 4180 has it: which way is found, and what is read.
class TstQuotes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsHowCellsAreQuoted_data();
    void findsHowCellsAreQuoted();
    void whatIsSaidIsNotDetected();

private:
    /// Names and rows, cells between bars.
    std::string readText(const QByteArray& text, const DialectHints& hints = {});

    QTemporaryDir m_folder;
};

std::string TstQuotes::readText(const QByteArray& text, const DialectHints& hints)
{
    QFile file(m_folder.filePath("t.csv"));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) {
        qFatal("cannot write the test file");
    }
    file.close();
    const auto found = discoverCsv({.patterns = {file.fileName().toStdString()}, .hints = hints});
    if (!found) {
        return found.error().message();
    }
    const auto raw = readRawRows(found->files, 100);
    std::string all = fmt::format("{}\n", fmt::join(found->files.columnNames, "|"));
    for (const auto& row : raw->rows) {
        all += fmt::format("{}\n", fmt::join(row, "|"));
    }
    return all;
}

void TstQuotes::findsHowCellsAreQuoted_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* name, const char* text, const char* expected) {
        QTest::newRow(name) << QByteArray(text) << QByteArray(expected);
    };
    row("single quotes", "'a','b'\n'1','x, y'\n'2','it''s'\n", "a|b\n1|x, y\n2|it's\n");
    row("apostrophes are letters", "a,b\n1,'tis\n2,rock 'n' roll\n",
        "a|b\n1|'tis\n2|rock 'n' roll\n");
    row("double quotes win", "\"a\",b\n\"1\",'x'\n\"2\",'y'\n", "a|b\n1|'x'\n2|'y'\n");
    row("escaped quotes", "a,b\n1,\"say \\\"x, y\\\" now\"\n2,\"c:\\\\d\"\n",
        "a|b\n1|say \"x, y\" now\n2|c:\\d\n");
    row("escapes beside doubled quotes", "a,b\n1,\"\\\"x\\\", y\"\n2,\"p \"\"q\"\" r\"\n",
        "a|b\n1|\"x\", y\n2|p \"q\" r\n");
    row("a path is no escape", "a,b\n\"c:\\d\\\",1\n\"e:\\\",2\n", "a|b\nc:\\d\\|1\ne:\\|2\n");
    row("escapes in single quotes", "'a','b'\n'1','it\\'s'\n'2','x, y'\n", "a|b\n1|it's\n2|x, y\n");
    row("blanks before quotes", "\"a\", \"b\"\n\"1\", \"x, y\"\n\"2\", \"z\" \n",
        "a|b\n1|x, y\n2|z\n");
    row("blanks before single quotes", "'a', 'b'\n'1', 'x, y'\n'2', 'z'\n", "a|b\n1|x, y\n2|z\n");
    row("blanks within plain cells stay", "a,b\n1, x\n2, y\n", "a|b\n1| x\n2| y\n");
    row("formulas", "a;b\n=\"007\";=\"1,5\"\n=\"010\";=\"\"\n", "a|b\n007|1,5\n010|\n");
    row("formulas in quotes", "a,b\n\"=\"\"007\"\"\",1\n\"=\"\"010\"\"\",2\n",
        "a|b\n007|1\n010|2\n");
    row("other formulas stay", "a;b\n=A1;1\n=\"x\"&\"y\";2\n", "a|b\n=A1|1\n=\"x\"&\"y\"|2\n");
    row("signs within quotes are no formulas",
        "a,b\n\"<i id=\"\"x\"\">\",1\n\"<i id=\"\"y\"\">\",2\n",
        "a|b\n<i id=\"x\">|1\n<i id=\"y\">|2\n");
    row("quotes that enclose nothing",
        "a\tb\n1\t\"good\" one\n2\t\"bad\" one\n3\t5\"\n4\t\"so\" one\n",
        "a|b\n1|\"good\" one\n2|\"bad\" one\n3|5\"\n4|\"so\" one\n");
    row("quotes that never close",
        "a\tb\n1\t\"x\n2\ty\n3\t\"z\n1\t\"x\n2\ty\n3\t\"z\n1\t\"x\n2\ty\n3\t\"z\n",
        "a|b\n1|\"x\n2|y\n3|\"z\n1|\"x\n2|y\n3|\"z\n1|\"x\n2|y\n3|\"z\n");
    row("row names of R between blanks",
        "\"a\" \"b\"\n\"1\" 2.5 \"x y\"\n\"2\" 3.5 \"z\"\n\"3\" 4.5 \"z\"\n",
        "|a|b\n1|2.5|x y\n2|3.5|z\n3|4.5|z\n");
}

void TstQuotes::findsHowCellsAreQuoted()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, expected);
    QCOMPARE(QByteArray::fromStdString(readText(text)), expected);
}

void TstQuotes::whatIsSaidIsNotDetected()
{
    QCOMPARE(readText("'a','b'\n'1','x'\n", {.quote = '"'}), std::string("'a'|'b'\n'1'|'x'\n"));
    QCOMPARE(readText("a,b\n1,\"x\\\"\n2,\"y\\\"\n", {.escape = '\0'}),
             std::string("a|b\n1|x\\\n2|y\\\n"));
    // Also outside quotes; a line ends nevertheless.
    QCOMPARE(readText("a,b\n1,x\\,y\n2,z\\\n3,w\n", {.escape = '\\'}),
             std::string("a|b\n1|x,y\n2|z\\\n3|w\n"));
    QCOMPARE(readText("a,b\n1, x\n2,   y\n", {.skipsBlanks = true}),
             std::string("a|b\n1|x\n2|y\n"));
    QCOMPARE(readText("a;b\n=\"007\";1\n=\"008\";2\n", {.formulaQuotes = false}),
             std::string("a|b\n=\"007\"|1\n=\"008\"|2\n"));
}

CANNERY_TEST(TstQuotes)
#include "tst_quotes.moc"
