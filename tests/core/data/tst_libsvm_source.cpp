// SPDX-License-Identifier: Apache-2.0
#include "tests/core/data/record_rows.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::data;
using namespace cannery::tests;

/// Files of LIBSVM as tables.
class TstLibsvmSource : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void linesAreRowsAndAbsentValuesAreZero();
    void queriesAndZeroBasedNumbersAreColumns();
    void theNumberOfFeaturesMayBeSet();
    void otherFilesHaveTheColumnsOfTraining();
    void badLinesAreNamedOrLeftOut();
    void aLineWithoutEndIsRefused();
    void filesAreRecognisedByTheirContent_data();
    void filesAreRecognisedByTheirContent();

private:
    QTemporaryDir m_folder;
};

void TstLibsvmSource::linesAreRowsAndAbsentValuesAreZero()
{
    const auto source = openByContent(
        textFile(m_folder, "a.svm", "+1 1:0.5 3:2 # a comment\n# only that\n\n-1 2:-1e3\n"));
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(), (std::vector<std::string>{"label", "f1", "f2", "f3"}));
    QCOMPARE(readRecords(**source)->rows,
             (Texts{{"1", "0.5", "0", "2"}, {"-1", "0", "-1000", "0"}}));
    const auto stream = (*source)->read({.columns = {{.column = "f1"}}, .keepLines = true});
    QCOMPARE((**(*stream)->next()).lines, (std::vector<std::uint64_t>{1, 4}));
}

void TstLibsvmSource::queriesAndZeroBasedNumbersAreColumns()
{
    const auto source =
        openByContent(textFile(m_folder, "q.svm", "1,3 qid:7 0:1 2:5\n2 qid:8 1:4 2:6.5\n"));
    VERIFY_OK(source);
    QCOMPARE((*source)->schema().names(),
             (std::vector<std::string>{"label", "qid", "f0", "f1", "f2"}));
    QCOMPARE(readRecords(**source)->rows,
             (Texts{{"1,3", "7", "1", "0", "5"}, {"2", "8", "0", "4", "6.5"}}));
}

void TstLibsvmSource::theNumberOfFeaturesMayBeSet()
{
    spec::DataSource message = sourceOfFile(textFile(m_folder, "n.svm", "1 1:2 4:3\n0 2:9 3:1\n"));
    message.mutable_libsvm()->set_features(2);
    QCOMPARE(readRecords(**openDataSource(message, {}))->rows,
             (Texts{{"1", "2", "0"}, {"0", "0", "9"}}));
}

void TstLibsvmSource::otherFilesHaveTheColumnsOfTraining()
{
    const auto train = openByContent(textFile(m_folder, "t.svm", "1 1:2 4:3\n0 2:9 3:1\n"));
    VERIFY_OK(train);
    const auto other =
        openByContent(textFile(m_folder, "o.svm", "1 1:7 2:1.5\n"), {.like = &(*train)->schema()});
    VERIFY_OK(other);
    QCOMPARE(readRecords(**other)->rows, (Texts{{"1", "7", "1.5", "0", "0"}}));
}

void TstLibsvmSource::badLinesAreNamedOrLeftOut()
{
    spec::DataSource message;
    message.mutable_libsvm()->add_files(
        textFile(m_folder, "bad.svm", "1 1:2 2:3\n1 x:2\nspam 1:2\n0 1:4\n"));
    const auto strict = openDataSource(message, {});
    VERIFY_ERROR(strict, "csv.bad_record");
    QVERIFY2(strict.error().sentence.find("bad.svm:2:") != std::string::npos,
             strict.error().sentence.c_str());
    const auto lenient = openDataSource(message, {.badRows = spec::BadRows::SKIP});
    VERIFY_OK(lenient);
    const auto read = readRecords(**lenient);
    QCOMPARE(read->rows, (Texts{{"1", "2", "3"}, {"0", "4", "0"}}));
    QCOMPARE(read->report.badRowCount, std::uint64_t{2});
}

void TstLibsvmSource::aLineWithoutEndIsRefused()
{
    std::string text = "1 1:2\n0";
    while (text.size() < std::size_t{65} << 20U) { // the limit is 64 MiB
        text += " 1:0.25";
    }
    spec::DataSource message;
    message.mutable_libsvm()->add_files(textFile(m_folder, "endless.svm", text));
    const auto source = openDataSource(message, {});
    VERIFY_ERROR(source, "csv.record_too_long");
    QVERIFY2(source.error().sentence.find("endless.svm:2") != std::string::npos,
             source.error().sentence.c_str());
}

void TstLibsvmSource::filesAreRecognisedByTheirContent_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<bool>("isOne");
    QTest::newRow("pairs") << std::string("1 1:0.5 2:3\n-1 2:1\n") << true;
    QTest::newRow("a row without values") << std::string("1\n0 2:1 3:4\n") << true;
    QTest::newRow("times") << std::string("5 12:30\n6 12:45\n") << false;
    QTest::newRow("numbers") << std::string("1 2 3\n4 5 6\n") << false;
    QTest::newRow("CSV") << std::string("a,b\n1,2\n") << false;
    QTest::newRow("a wide row without an end") << std::string("1") + [] {
        std::string pairs;
        for (int i = 1; i < 60000; ++i) {
            pairs += " " + std::to_string(i) + ":0.25";
        }
        return pairs;
    }() << true;
}

void TstLibsvmSource::filesAreRecognisedByTheirContent()
{
    QFETCH(std::string, text);
    QFETCH(bool, isOne);
    QCOMPARE(sourceOfFile(textFile(m_folder, "some.txt", text)).has_libsvm(), isOne);
}

CANNERY_TEST(TstLibsvmSource)
#include "tst_libsvm_source.moc"
