// SPDX-License-Identifier: Apache-2.0
#include "core/advice/suggested_reading.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::advice;
using data::ColumnSchema;
using data::TableSchema;
using storage::NumberNotation;

/// How the numbers of a table are read: by an example, by suggestion, and in words.
class TstSuggestedReading : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anExampleIsANotation_data();
    void anExampleIsANotation();
    void examplesThatSayNothingAreRefused_data();
    void examplesThatSayNothingAreRefused();
    void aNotationInDoubtIsChosenWithItsMarks();
    void suggestionsBecomeDescriptions();
    void usualReadingsAreNotDescribed();
    void doubtsNameTheirOptions();
};

namespace {

TableSchema tableOf(ColumnSchema column, bool hasCommas = false)
{
    TableSchema table;
    table.decimalComma = hasCommas;
    table.columns.push_back(std::move(column));
    return table;
}

ColumnSchema price()
{
    return {.name = "price", .dtype = DType::Float32, .kind = data::ColumnKind::Number};
}

} // namespace

void TstSuggestedReading::anExampleIsANotation_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("group");
    QTest::addColumn<bool>("isComma");
    QTest::newRow("of Germany") << std::string("price=1.299,50") << std::string(".") << true;
    QTest::newRow("of England") << std::string("price=1,299.50") << std::string(",") << false;
    QTest::newRow("of Switzerland") << std::string("price=1'299.50") << std::string("'") << false;
    QTest::newRow("with a sign") << std::string("price=$1,234.50") << std::string(",") << false;
}

void TstSuggestedReading::anExampleIsANotation()
{
    QFETCH(const std::string, text);
    QFETCH(const std::string, group);
    QFETCH(const bool, isComma);
    const auto column = columnOfExample(text, tableOf(price()));
    VERIFY_OK(column);
    QCOMPARE(column->name(), std::string("price"));
    QCOMPARE(column->number_notation().group_mark(), group);
    QCOMPARE(column->number_notation().decimal_mark() == spec::DecimalMark::comma, isComma);
}

void TstSuggestedReading::examplesThatSayNothingAreRefused_data()
{
    QTest::addColumn<std::string>("text");
    QTest::newRow("no number") << std::string("price=cheap");
    QTest::newRow("no column") << std::string("1.299,50");
    QTest::newRow("nothing") << std::string("price=");
    QTest::newRow("two readings") << std::string("price=1,234");
}

void TstSuggestedReading::examplesThatSayNothingAreRefused()
{
    QFETCH(const std::string, text);
    VERIFY_ERROR(columnOfExample(text, tableOf(price())), "command.usage.numbers");
}

/// The signs are those that the rows have shown.
void TstSuggestedReading::aNotationInDoubtIsChosenWithItsMarks()
{
    ColumnSchema column = price();
    column.notationChoices = {{.decimalMark = '.', .groupMark = ",", .affixes = {"$"}},
                              {.decimalMark = ',', .groupMark = ".", .affixes = {"$"}}};
    const auto made = columnOfExample("price=1.299,50", tableOf(column));
    VERIFY_OK(made);
    QCOMPARE(made->number_notation().affix_size(), 1);
    QCOMPARE(made->number_notation().affix(0), std::string("$"));
    const auto other = columnOfExample("weight=1.299,50", tableOf(column));
    VERIFY_OK(other);
    QCOMPARE(other->number_notation().affix_size(), 0);
}

void TstSuggestedReading::suggestionsBecomeDescriptions()
{
    ColumnSchema column = price();
    column.suggestedMissingTokens = {"n/a", "-"};
    column.suggestedNotation = NumberNotation{.decimalMark = ',', .groupMark = "."};
    column.notationExample = "1.299,50";
    ColumnSchema code{.name = "zip", .dtype = DType::Int64};
    code.areCodes = true;
    TableSchema table = tableOf(column);
    table.columns.push_back(code);
    table.columns.push_back({.name = "plain", .dtype = DType::Float32});
    std::vector<spec::Column> columns(1);
    columns[0].set_name("price");
    columns[0].set_default_value("0");
    QVERIFY(followSuggestions(table, columns));
    QCOMPARE(columns.size(), std::size_t{2});
    QCOMPARE(columns[0].default_value(), std::string("0"));
    QCOMPARE(columns[0].missing_token_size(), 2);
    QVERIFY(columns[0].number_notation().decimal_mark() == spec::DecimalMark::comma);
    QCOMPARE(columns[1].name(), std::string("zip"));
    QVERIFY(columns[1].dtype() == spec::DataType::string);
    QCOMPARE(suggestionLines(table),
             (std::vector<std::string>{
                 "Read price as numbers, such as \"1.299,50\", and \"n/a\", \"-\" as missing cells",
                 "Read zip as texts: its numbers begin with 0, as codes do"}));
    std::vector<spec::Column> none;
    QVERIFY(!followSuggestions(tableOf(price()), none));
    QVERIFY(none.empty() && suggestionLines(tableOf(price())).empty());
}

void TstSuggestedReading::usualReadingsAreNotDescribed()
{
    spec::Column entry;
    describeReading(tableOf(price()), price(), entry);
    QCOMPARE(entry.ByteSizeLong(), std::size_t{0});
    QCOMPARE(notationText(tableOf(price()), price()), std::string());
    ColumnSchema comma = price();
    comma.notation.decimalMark = ',';
    QCOMPARE(notationText(tableOf(comma, true), comma), std::string());
    comma.notation.affixes = {"€"};
    QVERIFY(notationText(tableOf(comma, true), comma).ends_with(" with €"));
    comma.missingTokens = {"?"};
    describeReading(tableOf(comma), comma, entry);
    QCOMPARE(entry.missing_token(0), std::string("?"));
    QVERIFY(entry.number_notation().decimal_mark() == spec::DecimalMark::comma);
    QCOMPARE(entry.number_notation().affix(0), std::string("€"));
}

void TstSuggestedReading::doubtsNameTheirOptions()
{
    QCOMPARE(doubtText(price()), std::string());
    ColumnSchema column = price();
    column.notationDoubt = "has two readings";
    QCOMPARE(doubtText(column), std::string("has two readings"));
    column.notationChoices = {{.decimalMark = '.', .groupMark = ","},
                              {.decimalMark = ',', .groupMark = "."}};
    const std::string text = doubtText(column);
    QVERIFY2(text.starts_with("has two readings: say which with --numbers 'price="), text.c_str());
    const std::size_t second = text.find("' or --numbers 'price=");
    QVERIFY2(second != std::string::npos && text.ends_with("'"), text.c_str());
    // Each option says what it offers.
    for (const std::size_t begin : {text.find("price="), text.find("price=", second)}) {
        const std::string option = text.substr(begin, text.find('\'', begin) - begin);
        const auto said = columnOfExample(option, tableOf(column));
        VERIFY_OK(said);
        QVERIFY(said->number_notation().has_group_mark());
    }
}

CANNERY_TEST(TstSuggestedReading)
#include "tst_suggested_reading.moc"
