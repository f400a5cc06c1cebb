// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/models/formats.h"
#include "ui/models/typed_number.h"
#include "ui/models/window_locale.h"

#include <QGuiApplication>
#include <QTest>

#include <algorithm>

using namespace cannery::ui;

/// Digits and direction of the window on desktops of all languages.
class TstWindowLocale : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { useLanguage(QLocale::c()); }
    void everyLanguageHasOneKindOfDigits();
    void theLanguageStaysWhereItCan_data();
    void theLanguageStaysWhereItCan();
    void theWindowIsMirroredWithTheLanguage_data();
    void theWindowIsMirroredWithTheLanguage();
    void othersDigitsCanBeTyped();
};

void TstWindowLocale::everyLanguageHasOneKindOfDigits()
{
    const QList<QLocale> all =
        QLocale::matchingLocales(QLocale::AnyLanguage, QLocale::AnyScript, QLocale::AnyTerritory);
    QVERIFY(all.size() > 300);
    int others = 0;
    for (const QLocale& desktop : all) {
        others += desktop.zeroDigit() == "0" ? 0 : 1;
        useLanguage(desktop);
        const QDateTime then(QDate(2025, 11, 12), QTime(14, 31, 5));
        for (const QString& shown :
             {formatNumber(0.8388), formatNumber(1.2e-7), formatCount(1'234'567),
              formatBytes(5'678), formatPercent(0.199), formatDuration(39.5), formatMoment(then),
              formatClock(then)}) {
            const bool isForeign = std::any_of(shown.begin(), shown.end(), [](QChar letter) {
                return letter.isDigit() && letter.category() == QChar::Number_DecimalDigit &&
                       letter.unicode() > u'9';
            });
            QVERIFY2(!isForeign, qPrintable(desktop.name() + ": " + shown));
        }
    }
    QVERIFY(others > 10); // languages that this is about
}

void TstWindowLocale::theLanguageStaysWhereItCan_data()
{
    QTest::addColumn<QString>("desktop");
    QTest::addColumn<QString>("language");
    QTest::newRow("German") << "de_DE"
                            << "de";
    QTest::newRow("Arabic, Egypt") << "ar_EG"
                                   << "ar";
    QTest::newRow("Arabic, Morocco") << "ar_MA"
                                     << "ar";
    QTest::newRow("Hebrew") << "he_IL"
                            << "he";
    QTest::newRow("Persian has no other digits") << "fa_IR"
                                                 << "en";
}

void TstWindowLocale::theLanguageStaysWhereItCan()
{
    QFETCH(QString, desktop);
    QFETCH(QString, language);
    QCOMPARE(windowLocale(QLocale(desktop)).name().section('_', 0, 0), language);
}

void TstWindowLocale::theWindowIsMirroredWithTheLanguage_data()
{
    QTest::addColumn<QString>("desktop");
    QTest::addColumn<bool>("mirrored");
    for (const char* name : {"ar_EG", "ar", "he_IL", "fa_IR", "ur_PK"}) {
        QTest::newRow(name) << name << true;
    }
    for (const char* name : {"C", "en_US", "de_DE", "hi_IN", "ja_JP"}) {
        QTest::newRow(name) << name << false;
    }
}

void TstWindowLocale::theWindowIsMirroredWithTheLanguage()
{
    QFETCH(QString, desktop);
    QFETCH(bool, mirrored);
    useLanguage(QLocale(desktop));
    QCOMPARE(QGuiApplication::isRightToLeft(), mirrored);
}

/// Whoever has them on the keyboard types them.
void TstWindowLocale::othersDigitsCanBeTyped()
{
    for (const char* name : {"ar_EG", "fa_IR"}) {
        useLanguage(QLocale(name));
        QCOMPARE(plainNumber("٠٫٠٧").value_or("refused"), "0.07");
        QCOMPARE(plainNumber("١٢٬٠٠٠").value_or("refused"), "12000");
        QCOMPARE(plainNumber("0.07").value_or("refused"), "0.07");
        QCOMPARE(plainNumber("1٫2٫3").value_or("refused"), "refused");
    }
}

CANNERY_TEST(TstWindowLocale)
#include "tst_window_locale.moc"
