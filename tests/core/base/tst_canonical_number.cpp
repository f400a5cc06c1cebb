// SPDX-License-Identifier: Apache-2.0
#include "core/base/canonical_number.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <string>

using namespace cannery;

class TstCanonicalNumber : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everySpellingOfANumberIsTheSame_data();
    void everySpellingOfANumberIsTheSame();
    void neighboursOfManyDigitsDiffer();
    void otherTextsAreNoNumbers_data();
    void otherTextsAreNoNumbers();
};

void TstCanonicalNumber::everySpellingOfANumberIsTheSame_data()
{
    QTest::addColumn<QStringList>("spellings");
    QTest::addColumn<QString>("number");
    QTest::newRow("one") << QStringList{"1",   "+1",    "1.0", "1.",    "001",
                                        "1e0", "10e-1", " 1 ", "0.1E+1"}
                         << "1";
    QTest::newRow("minus one") << QStringList{"-1", "-1.000", "-01"} << "-1";
    QTest::newRow("zero") << QStringList{"0", "-0", "0.0", "000", ".0", "0e99"} << "0";
    QTest::newRow("code") << QStringList{"00111", "111"} << "111";
    QTest::newRow("hundreds") << QStringList{"1200", "1.2e3", "12e2"} << "12e2";
    QTest::newRow("fraction") << QStringList{"-.0250", "-25e-3"} << "-25e-3";
}

void TstCanonicalNumber::everySpellingOfANumberIsTheSame()
{
    QFETCH(QStringList, spellings);
    QFETCH(QString, number);
    for (const QString& spelling : spellings) {
        const auto found = canonicalNumber(spelling.toStdString());
        QVERIFY2(found.has_value(), qPrintable(spelling));
        QCOMPARE(QString::fromStdString(*found), number);
    }
}

void TstCanonicalNumber::neighboursOfManyDigitsDiffer()
{
    QVERIFY(canonicalNumber("9007199254740993") != canonicalNumber("9007199254740992"));
    QVERIFY(canonicalNumber("0.1") != canonicalNumber("0.10000000000000000001"));
}

void TstCanonicalNumber::otherTextsAreNoNumbers_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"",    " ",   "+",   "-",   ".",   "e1",  "1e",  "1e+",           "1e1.0", "1.2.3",
          "1,0", "0x1", "nan", "inf", "--1", "+-1", "1 2", "1e99999999999", "one",   "1e--1"}) {
        QTest::newRow(*text == '\0' ? "empty" : text) << text;
    }
}

void TstCanonicalNumber::otherTextsAreNoNumbers()
{
    QFETCH(QString, text);
    QVERIFY(!canonicalNumber(text.toStdString()));
}

CANNERY_TEST(TstCanonicalNumber)
#include "tst_canonical_number.moc"
