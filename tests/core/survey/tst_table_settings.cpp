// SPDX-License-Identifier: Apache-2.0
#include "core/survey/table_settings.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::survey;

/// The fields of a table's source, by name.
class TstTableSettings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fieldsAreSetByName_data();
    void fieldsAreSetByName();
    void fieldsOfOtherSourcesAreNotThere();
    void textsAreTaken();
    void choicesAreThoseOfTheSchema();
    void plainTablesKeepMissingTokens();
    void contentDecidesTheSource();
    void whatWasDetectedIsAdopted();

private:
    QTemporaryDir m_folder;
};

void TstTableSettings::fieldsAreSetByName_data()
{
    QTest::addColumn<std::string>("field");
    QTest::addColumn<std::string>("value");
    QTest::addColumn<bool>("isSet");
    QTest::newRow("a text") << std::string("field_delim") << std::string(";") << true;
    QTest::newRow("a truth") << std::string("header") << std::string("false") << true;
    QTest::newRow("no truth") << std::string("header") << std::string("no") << false;
    QTest::newRow("a number") << std::string("skip_rows") << std::string("3") << true;
    QTest::newRow("no number") << std::string("skip_rows") << std::string("3x") << false;
    QTest::newRow("an empty number") << std::string("skip_rows") << std::string() << false;
    QTest::newRow("a choice") << std::string("encoding") << std::string("utf16") << true;
    QTest::newRow("no choice") << std::string("encoding") << std::string("utf99") << false;
    QTest::newRow("no field") << std::string("colour") << std::string("red") << false;
    QTest::newRow("a list") << std::string("files") << std::string("t.csv") << false;
}

void TstTableSettings::fieldsAreSetByName()
{
    QFETCH(const std::string, field);
    QFETCH(const std::string, value);
    QFETCH(const bool, isSet);
    spec::DataSource source;
    source.mutable_csv();
    QCOMPARE(setField(source, field, value), isSet);
    QCOMPARE(source.csv().ByteSizeLong() > 0, isSet);
    if (field == "skip_rows" && isSet) {
        QCOMPARE(source.csv().skip_rows(), std::int64_t{3});
    }
}

void TstTableSettings::fieldsOfOtherSourcesAreNotThere()
{
    spec::DataSource source;
    QVERIFY(!setField(source, "field_delim", ";")); // no kind of source yet
    source.mutable_sqlite();
    QVERIFY(!setField(source, "field_delim", ";"));
    QVERIFY(setField(source, "file", "people.db"));
    QCOMPARE(source.sqlite().file(), std::string("people.db"));
}

void TstTableSettings::textsAreTaken()
{
    spec::DataSource source;
    source.mutable_csv()->set_field_delim(";");
    source.mutable_csv()->set_skip_rows(2);
    QCOMPARE(takeField(source, "field_delim"), std::string(";"));
    QVERIFY(!source.csv().has_field_delim());
    QCOMPARE(takeField(source, "skip_rows"), std::string()); // no text
    QCOMPARE(source.csv().skip_rows(), std::int64_t{2});
    QCOMPARE(takeField(source, "colour"), std::string());
}

void TstTableSettings::choicesAreThoseOfTheSchema()
{
    for (const std::string& encoding : encodingChoices()) {
        spec::DataSource source;
        source.mutable_csv();
        QVERIFY2(setField(source, "encoding", encoding), encoding.c_str());
    }
    QCOMPARE(decimalMarkChoices(), (std::vector<std::string>{"point", "comma"}));
}

void TstTableSettings::plainTablesKeepMissingTokens()
{
    spec::DataSource source;
    spec::CsvSource& csv = *source.mutable_csv();
    csv.set_field_delim(";");
    csv.set_decimal_mark(spec::DecimalMark::comma);
    csv.set_encoding(spec::TextEncoding::utf16);
    csv.set_skip_rows(4);
    csv.set_comment("#");
    csv.add_column_names("a");
    csv.add_na_value("?");
    const spec::CsvSource plain = asPlainTable(source).csv();
    QCOMPARE(plain.field_delim(), std::string(","));
    QVERIFY(plain.header() && plain.skip_rows() == 0 && !plain.has_comment());
    QVERIFY(plain.column_names().empty() && !plain.has_encoding());
    QCOMPARE(plain.na_value(0), std::string("?"));
    QVERIFY(plain.decimal_mark() == spec::DecimalMark::comma);
}

void TstTableSettings::contentDecidesTheSource()
{
    const spec::DataSource csv =
        sourceOfTable(tests::textFile(m_folder, "t.dat", "a;b\n1;2\n3;4\n"));
    QVERIFY(csv.has_csv() && readsText(csv) && !csv.csv().has_encoding());
    const std::string latin = tests::textFile(m_folder, "l.csv", "name,x\nJos\xE9,1\nZo\xEB,2\n");
    QVERIFY(sourceOfTable(latin).csv().has_encoding());
    const spec::DataSource npz = sourceOfTable(CANNERY_SOURCE_DIR "/tests/golden/npz/stored.npz");
    QVERIFY(npz.has_npz() && !readsText(npz));
}

void TstTableSettings::whatWasDetectedIsAdopted()
{
    const auto opened =
        tests::openByContent(tests::textFile(m_folder, "t.csv", "a;b\n1,5;2\n3,25;4\n"));
    VERIFY_OK(opened);
    spec::DataSource message;
    message.mutable_csv();
    const std::vector<data::SourceSetting> adopted = adoptSettings(**opened, message);
    QVERIFY(!adopted.empty());
    for (const data::SourceSetting& setting : adopted) {
        QVERIFY(setting.belongsInExperiment);
    }
    QVERIFY(message.csv().decimal_mark() == spec::DecimalMark::comma);
    QCOMPARE(settingLines(adopted).size(), adopted.size());
    const auto report = settingsReport(adopted);
    QCOMPARE(report.size(), static_cast<int>(adopted.size()));
    QCOMPARE(report[0].field(), adopted.front().field);
    QVERIFY(report[0].suggested());
    QVERIFY2(settingLines(adopted).front() == "Read with " + adopted.front().field + ": " +
                                                  adopted.front().value + " (" +
                                                  adopted.front().reason + ")",
             settingLines(adopted).front().c_str());
}

CANNERY_TEST(TstTableSettings)
#include "tst_table_settings.moc"
