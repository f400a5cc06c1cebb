// SPDX-License-Identifier: Apache-2.0
#include "core/serving/output_dialect.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::serving;

/// Predictions in the form of the table that they are for.
class TstOutputDialect : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lineEndsAreThoseOfTheTable_data();
    void lineEndsAreThoseOfTheTable();
    void byteOrderMarksAreKept();
    void settingsOfTheTableCount();
    void aMissingFileIsAnError();

private:
    Result<OutputDialect> dialect(const std::string& bytes,
                                  const std::vector<data::SourceSetting>& settings = {}) const
    {
        return dialectOf(tests::textFile(m_folder, "t.csv", bytes), settings);
    }

    QTemporaryDir m_folder;
};

void TstOutputDialect::lineEndsAreThoseOfTheTable_data()
{
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("end");
    QTest::newRow("Unix") << std::string("a,b\n1,2\n") << std::string("\n");
    QTest::newRow("Windows") << std::string("a,b\r\n1,2\r\n") << std::string("\r\n");
    QTest::newRow("old Mac") << std::string("a,b\r1,2\r") << std::string("\r");
    QTest::newRow("one line") << std::string("a,b") << std::string("\n");
    QTest::newRow("none") << std::string() << std::string("\n");
    QTest::newRow("the first decides") << std::string("a\nb\r\n") << std::string("\n");
    QTest::newRow("UTF-16") << std::string("\xFF\xFE"
                                           "a\0\r\0\n\0",
                                           8)
                            << std::string("\r\n");
}

void TstOutputDialect::lineEndsAreThoseOfTheTable()
{
    QFETCH(const std::string, bytes);
    QFETCH(const std::string, end);
    const auto found = dialect(bytes);
    VERIFY_OK(found);
    QCOMPARE(std::string(found->lineEnd), end);
}

void TstOutputDialect::byteOrderMarksAreKept()
{
    const auto plain = dialect("a\n");
    VERIFY_OK(plain);
    QVERIFY(plain->isPlain() && !plain->hasByteOrderMark && !plain->isBigEndian);
    const auto utf8 = dialect("\xEF\xBB\xBF"
                              "a\n");
    VERIFY_OK(utf8);
    QVERIFY(!utf8->isPlain() && utf8->hasByteOrderMark && !utf8->isBigEndian);
    const auto little = dialect(std::string("\xFF\xFE"
                                            "a\0",
                                            4));
    VERIFY_OK(little);
    QVERIFY(little->hasByteOrderMark && !little->isBigEndian);
    const auto big = dialect(std::string("\xFE\xFF\0a", 4));
    VERIFY_OK(big);
    QVERIFY(big->hasByteOrderMark && big->isBigEndian);
}

void TstOutputDialect::settingsOfTheTableCount()
{
    const auto found = dialect("a;b\n", {{.field = "field_delim", .value = ";"},
                                         {.field = "decimal_mark", .value = "comma"},
                                         {.field = "encoding", .value = "windows1252"},
                                         {.field = "comment", .value = "#"}});
    VERIFY_OK(found);
    QCOMPARE(found->delimiter, ';');
    QCOMPARE(found->decimalMark, ',');
    QVERIFY(found->encoding == storage::TextEncoding::Windows1252);
    QVERIFY(!found->isPlain());
    const auto tabs = dialect("a\tb\n", {{.field = "field_delim", .value = "\\t"}});
    VERIFY_OK(tabs);
    QCOMPARE(tabs->delimiter, '\t');
    QCOMPARE(tabs->decimalMark, '.');
    QVERIFY(tabs->isPlain());
}

void TstOutputDialect::aMissingFileIsAnError()
{
    QVERIFY(!dialectOf(m_folder.filePath("absent.csv").toStdString(), {}));
}

CANNERY_TEST(TstOutputDialect)
#include "tst_output_dialect.moc"
