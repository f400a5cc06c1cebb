// SPDX-License-Identifier: Apache-2.0
#include "tests/core/data/record_rows.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::data;
using namespace cannery::tests;

/// Weka's files as tables.
class TstArffSource : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFileIsReadAsDeclared();
    void sparseRowsHaveTheFirstValueElsewhere();
    void blanksMaySeparateValues();
    void badRowsAreNamedOrLeftOut();
    void headersThatCannotBeReadAreErrors_data();
    void headersThatCannotBeReadAreErrors();
    void filesNeedTheSameAttributes();

private:
    QTemporaryDir m_folder;
};

void TstArffSource::aFileIsReadAsDeclared()
{
    const auto source = openByContent(textFile(
        m_folder, "weather.arff",
        "% a comment\n@RELATION weather\n\n@attribute 'the outlook' {sunny, \"over, "
        "cast\"}\n@Attribute temp NUMERIC\n@attribute code {1, 2}\n@attribute note string\n"
        "@data\nsunny, 85.5, 1, 'it\\'s\\ndry'\n% between\n\"over, cast\", ?, 2, ?\n"
        "sunny,-3,1,'?',{2}\n"));
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(),
             (std::vector<std::string>{"the outlook", "temp", "code", "note"}));
    QCOMPARE(readRecords(**source)->rows, (Texts{{"sunny", "85.5", "1", "it's\ndry"},
                                                 {"over, cast", "-", "2", "-"},
                                                 {"sunny", "-3", "1", "?"}}));
    QVERIFY((*source)->schema().columns[1].dtype == DType::Float32);
    QVERIFY((*source)->schema().columns[2].dtype == DType::String); // nominal
    const auto stream = (*source)->read({.columns = {{.column = "temp"}}, .keepLines = true});
    QCOMPARE((**(*stream)->next()).lines, (std::vector<std::uint64_t>{9, 11, 12}));
}

void TstArffSource::sparseRowsHaveTheFirstValueElsewhere()
{
    const auto source = openByContent(
        textFile(
            m_folder, "sparse.arff",
            "@relation s\n@attribute a real\n@attribute b {no, yes}\n@attribute c real\n@data\n"
            "{0 1.5, 1 yes}\n{}\n{ 2 'x' }\n"),
        {.badRows = spec::BadRows::SKIP});
    VERIFY_OK(source);
    QCOMPARE(readRecords(**source)->rows,
             (Texts{{"1.5", "yes", "0"}, {"0", "no", "0"}, {"0", "no", "x"}}));
}

void TstArffSource::blanksMaySeparateValues()
{
    const auto source = openByContent(
        textFile(m_folder, "blanks.arff",
                 "@relation s\n@attribute a real\n@attribute b real\n@data\n1 2\n 3\t4 \n"));
    VERIFY_OK(source);
    QCOMPARE(readRecords(**source)->rows, (Texts{{"1", "2"}, {"3", "4"}}));
}

void TstArffSource::badRowsAreNamedOrLeftOut()
{
    const std::string path = textFile(
        m_folder, "bad.arff",
        "@relation s\n@attribute a real\n@attribute b string\n@data\n1,x\n2\n3,'open\n4,y\n"
        "{9 1}\n");
    const auto strict = openByContent(path);
    VERIFY_ERROR(strict, "csv.bad_record");
    QVERIFY2(strict.error().sentence.find("bad.arff:6: 1 values instead of 2") != std::string::npos,
             strict.error().sentence.c_str());
    const auto lenient = openByContent(path, {.badRows = spec::BadRows::SKIP});
    VERIFY_OK(lenient);
    const auto read = readRecords(**lenient);
    QCOMPARE(read->rows, (Texts{{"1", "x"}, {"4", "y"}}));
    QCOMPARE(read->report.badRowCount, std::uint64_t{3});
}

void TstArffSource::headersThatCannotBeReadAreErrors_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("id");
    QTest::newRow("a table in a table")
        << std::string("@relation r\n@attribute bag relational\n@data\n") << "csv.arff_header";
    QTest::newRow("open list") << std::string("@relation r\n@attribute a {x, y\n@data\n")
                               << "csv.arff_header";
    QTest::newRow("no name") << std::string("@relation r\n@attribute\n@data\n")
                             << "csv.arff_header";
    QTest::newRow("no data") << std::string("@relation r\n@attribute a real\n")
                             << "data.no_arff_data";
    QTest::newRow("twice") << std::string(
                                  "@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n")
                           << "data.two_of_a_name";
}

void TstArffSource::headersThatCannotBeReadAreErrors()
{
    QFETCH(std::string, text);
    QFETCH(QString, id);
    VERIFY_ERROR(openByContent(textFile(m_folder, "header.arff", text)), id);
}

void TstArffSource::filesNeedTheSameAttributes()
{
    spec::DataSource message;
    message.mutable_arff()->add_files(
        textFile(m_folder, "one.arff", "@relation r\n@attribute a real\n@data\n1\n"));
    message.mutable_arff()->add_files(
        textFile(m_folder, "two.arff", "@relation r\n@attribute a real\n@data\n2\n"));
    QCOMPARE(readRecords(**openDataSource(message, {}))->rows, (Texts{{"1"}, {"2"}}));
    textFile(m_folder, "two.arff", "@relation r\n@attribute b real\n@data\n2\n");
    VERIFY_ERROR(openDataSource(message, {}), "data.other_arff_attributes");
}

CANNERY_TEST(TstArffSource)
#include "tst_arff_source.moc"
