// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/number_notation.h"
#include "storage/tabular/number_parser.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <optional>

using namespace cannery::storage;

/// Numbers as people write them.
class TstNumberNotation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsNumbers_data();
    void readsNumbers();
    void refusesOtherTexts_data();
    void refusesOtherTexts();
    void knowsGroups();
    void takesBlanksAwayOfAnyKind();
};

Q_DECLARE_METATYPE(NumberNotation)

namespace {

std::optional<double> numberIn(const NumberNotation& notation, const QByteArray& text)
{
    NotationReader reader(notation);
    const auto number = reader.rewritten(std::string_view(text.data(), std::size_t(text.size())));
    double value = 0;
    const bool isRead = number && parseDouble(*number, value) == NumberStatus::Ok;
    return isRead ? std::optional(value) : std::nullopt;
}

const NumberNotation kComma{.decimalMark = ','};
const NumberNotation kGerman{.decimalMark = ',', .groupMark = "."};
const NumberNotation kEnglish{.groupMark = ","};
const NumberNotation kSwiss{.groupMark = "'"};
const NumberNotation kSpaced{.decimalMark = ',', .groupMark = " "};
const NumberNotation kBooks{
    .groupMark = ",", .affixes = {"$", "%", "*", "\u20AC"}, .bracketsNegative = true};
const NumberNotation kBehind{.decimalMark = ',', .groupMark = ".", .minusBehind = true};
const NumberNotation kShort{.affixes = {"$"}, .magnitudes = true};

} // namespace

void TstNumberNotation::readsNumbers_data()
{
    QTest::addColumn<NumberNotation>("notation");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<double>("expected");
    const auto row = [](const NumberNotation& notation, const char* text, double expected) {
        QTest::newRow(text) << notation << QByteArray(text) << expected;
    };
    row({}, "1.5", 1.5);
    row(kComma, "3,14", 3.14);
    row(kComma, " -2,5e3 ", -2500);
    row(kComma, "6,4E+12", 6.4e12);
    row(kGerman, "1.299,50", 1299.5);
    row(kGerman, "1.234.567", 1234567);
    row(kGerman, "364,48", 364.48);
    row(kGerman, "-1.000", -1000);
    row(kGerman, "1234", 1234);
    row(kEnglish, "1,234.50", 1234.5);
    row(kEnglish, "12,34,567", 1234567); // as in India
    row(kEnglish, ".5", 0.5);
    row(kEnglish, "1,234e2", 123400);
    row(kSwiss, "1'299.99", 1299.99);
    row(kSwiss, "1\u2019299.99", 1299.99);
    row(kSpaced, "1 299,99", 1299.99);
    row(kSpaced, "1\u00A0299,99", 1299.99);
    row(kSpaced, "1\u202F299\u202F000", 1299000);
    row(kBehind, "1.234,50-", -1234.5);
    row(kBehind, "22,5 \u2212", -22.5);
    row(kBehind, "-3", -3);
    row(kShort, "1.5M", 1500000);
    row(kShort, "-$2 bn", -2e9);
    row(kShort, "12k", 12000);
    row(kShort, "12", 12);
    row(kBooks, "$1,234.50", 1234.5);
    row(kBooks, "($1,234.50)", -1234.5);
    row(kBooks, "$(1,234.50)", -1234.5);
    row(kBooks, "-$5", -5);
    row(kBooks, "$-5", -5);
    row(kBooks, "$ 5", 5);
    row(kBooks, "5 \u20AC", 5);
    row(kBooks, "36 %", 36);
    row(kBooks, "(3)%", -3);
    row(kBooks, "+4.0%", 4);
    row(kBooks, "\u22124", -4);
    row(kBooks, "6806**", 6806);
    row(kBooks, "7", 7);
}

void TstNumberNotation::readsNumbers()
{
    QFETCH(const NumberNotation, notation);
    QFETCH(const QByteArray, text);
    QFETCH(const double, expected);
    const std::optional<double> number = numberIn(notation, text);
    QVERIFY(number.has_value());
    QCOMPARE(*number, expected);
}

void TstNumberNotation::refusesOtherTexts_data()
{
    QTest::addColumn<NumberNotation>("notation");
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const NumberNotation& notation, const char* text) {
        QTest::newRow(text) << notation << QByteArray(text);
    };
    row(kComma, "3.14");
    row(kComma, "1.234,5");
    row(kGerman, "12.34,5");
    row(kGerman, "1.2345");
    row(kGerman, "12.5");
    row(kGerman, "0.299,5");
    row(kEnglish, "1,23");
    row(kEnglish, "1,234,56");
    row(kEnglish, "1.5,3");
    row(kEnglish, ",5");
    row(kSwiss, "1,299.99");
    row(kSpaced, "12 34");
    row(kBooks, "-(5)");
    row(kBooks, "--5");
    row(kBooks, "$");
    row(kBooks, "5 kg");
    row(kBooks, "1-2");
    row(kBooks, "(5");
    row(kBooks, "");
}

void TstNumberNotation::refusesOtherTexts()
{
    QFETCH(const NumberNotation, notation);
    QFETCH(const QByteArray, text);
    QVERIFY(!numberIn(notation, text));
}

void TstNumberNotation::knowsGroups()
{
    using Sizes = std::vector<std::size_t>;
    QVERIFY(areGroups(Sizes{1, 3}) && areGroups(Sizes{3, 3, 3}) && areGroups(Sizes{2, 2, 3}));
    QVERIFY(!areGroups(Sizes{3}) && !areGroups(Sizes{4, 3}) && !areGroups(Sizes{1, 2}));
    QVERIFY(!areGroups(Sizes{2, 3, 2, 3}) && !areGroups(Sizes{0, 3}) && !areGroups(Sizes{2, 2}));
}

void TstNumberNotation::takesBlanksAwayOfAnyKind()
{
    QCOMPARE(withoutBlanks(" \t\u00A0 a b \u202F\u2009"), std::string_view("a b"));
    QCOMPARE(withoutBlanks(" \u00A0"), std::string_view());
    QCOMPARE(withoutBlanks(""), std::string_view());
}

CANNERY_TEST(TstNumberNotation)
#include "tst_number_notation.moc"
