// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/models/formats.h"
#include "ui/models/typed_number.h"

#include <QLocale>
#include <QTest>

using namespace cannery::ui;

namespace {

const QString kRefused = QStringLiteral("refused");

} // namespace

/// Numbers as people type them, in their own notation.
class TstTypedNumber : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { QLocale::setDefault(QLocale::c()); }
    void oneNumberIsWrittenPlainly_data();
    void oneNumberIsWrittenPlainly();
    void whatIsShownReadsBack_data();
    void whatIsShownReadsBack();
    void listsAreCut_data();
    void listsAreCut();
    void writtenValuesGetSeparators();
};

void TstTypedNumber::oneNumberIsWrittenPlainly_data()
{
    QTest::addColumn<QString>("locale");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("plain");
    const auto row = [](const char* locale, const QString& typed, const QString& plain) {
        QTest::addRow("%s %s", locale, qPrintable(typed))
            << QString::fromLatin1(locale) << typed << plain;
    };
    for (const char* locale : {"C", "en_US", "de_DE", "fr_FR"}) {
        row(locale, "7", "7");
        row(locale, " 0.07 ", "0.07");
        row(locale, "-0.5", "-0.5");
        row(locale, "\u22120.5", "-0.5");
        row(locale, "+2", "2");
        row(locale, "1e-3", "1e-3");
        row(locale, "2E4", "2e4");
        row(locale, "007", "7");
        row(locale, "12\u202f000", "12000");
        row(locale, "12'000", "12000");
        row(locale, "inf", "inf");
        for (const char* wrong :
             {"", "-", ".", "1e", "abc", "0x10", "1 2", "5;", "007,x", "1,2,3", "1.2.3", "12 00"}) {
            row(locale, wrong, kRefused);
        }
    }
    row("C", "12,000", "12000");
    row("en_US", "1,234,567.5", "1234567.5");
    row("en_US", "0,07", kRefused);
    row("en_US", "1,00", kRefused);
    row("de_DE", "0,07", "0.07");
    row("de_DE", "10.000", "10000");
    row("de_DE", "1.234.567,5", "1234567.5");
    row("de_DE", "0.001", "0.001");
    row("de_DE", "1,5e-3", "1.5e-3");
    row("de_DE", "1,000.5", kRefused);
    row("fr_FR", "1\u202f234,5", "1234.5");
    row("hi_IN", "12,34,567", "1234567");
    row("ar_EG", QString(QChar(0x0661)) + QChar(0x066b) + QChar(0x0665), "1.5");
}

void TstTypedNumber::oneNumberIsWrittenPlainly()
{
    QFETCH(QString, locale);
    QFETCH(QString, typed);
    QFETCH(QString, plain);
    QLocale::setDefault(QLocale(locale));
    QCOMPARE(plainNumber(typed).value_or(kRefused), plain);
}

void TstTypedNumber::whatIsShownReadsBack_data()
{
    QTest::addColumn<QString>("locale");
    for (const char* locale : {"C", "en_US", "de_DE", "fr_FR", "de_CH", "hi_IN"}) {
        QTest::newRow(locale) << QString::fromLatin1(locale);
    }
}

void TstTypedNumber::whatIsShownReadsBack()
{
    QFETCH(QString, locale);
    QLocale::setDefault(QLocale(locale));
    for (const char* plain :
         {"0", "7", "0.07", "1.125", "2.125", "12000", "-1.5", "1.5e-7", "1e-8"}) {
        QCOMPARE(plainNumber(asTyped(plain)).value_or(kRefused), QString(plain));
    }
    QCOMPARE(asTyped("{ adam { } }"), QString("{ adam { } }"));
}

void TstTypedNumber::listsAreCut_data()
{
    QTest::addColumn<QString>("locale");
    QTest::addColumn<bool>("areWhole");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QStringList>("pieces");
    QTest::newRow("whole") << "de_DE" << true << "128,64 32;16"
                           << QStringList{"128", "64", "32", "16"};
    QTest::newRow("points") << "C" << false << "0.5,1.5 2" << QStringList{"0.5", "1.5", "2"};
    QTest::newRow("commas") << "de_DE" << false << "0,5; 1,5 2" << QStringList{"0,5", "1,5", "2"};
    QTest::newRow("commas and blanks")
        << "de_DE" << false << "0,5, 1,5, 2," << QStringList{"0,5", "1,5", "2"};
}

void TstTypedNumber::listsAreCut()
{
    QFETCH(QString, locale);
    QFETCH(bool, areWhole);
    QFETCH(QString, typed);
    QFETCH(QStringList, pieces);
    QLocale::setDefault(QLocale(locale));
    QCOMPARE(typedPieces(typed, areWhole), pieces);
    QCOMPARE(typedPieces(pieces.join(pieceSeparator(areWhole)), areWhole), pieces);
}

void TstTypedNumber::writtenValuesGetSeparators()
{
    QLocale::setDefault(QLocale("en_US"));
    QCOMPARE(formatWritten("3000000"), QString("3,000,000"));
    QCOMPARE(formatWritten("1000.0625"), QString("1,000.0625"));
    QCOMPARE(formatWritten("0.05"), QString("0.05"));
    QCOMPARE(formatWritten("-1000"), QString("\u22121,000"));
    for (const char* kept : {"", "1e-05", "128, 64", "age", "2024-01-02"}) {
        QCOMPARE(formatWritten(kept), QString(kept));
    }
    QLocale::setDefault(QLocale("de_DE"));
    QCOMPARE(formatWritten("3000000"), QString("3.000.000"));
    QCOMPARE(formatWritten("0.05"), QString("0,05"));
}

CANNERY_TEST(TstTypedNumber)
#include "tst_typed_number.moc"
