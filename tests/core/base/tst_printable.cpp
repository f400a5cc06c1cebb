// SPDX-License-Identifier: Apache-2.0
#include "core/base/printable.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;

class TstPrintable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ordinaryTextStays_data();
    void ordinaryTextStays();
    void commandsAreShown_data();
    void commandsAreShown();
    void lineBreaksStayInDocuments();
    void nothingThatIsShownCommands();
};

void TstPrintable::ordinaryTextStays_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("ascii") << QByteArray("a\tb \\n 'c' {\"d\": 1}");
    QTest::newRow("umlauts") << QByteArray("gr\xc3\xb6\xc3\x9f, \xe2\x82\xac, \xf0\x9f\x90\x9f");
    QTest::newRow("blocks of a bar") << QByteArray("\xe2\x96\x88\xe2\x96\x91");
    QTest::newRow("last of each length") << QByteArray("\xdf\xbf\xef\xbf\xbf\xf4\x8f\xbf\xbf");
}

void TstPrintable::ordinaryTextStays()
{
    QFETCH(QByteArray, text);
    QCOMPARE(QByteArray::fromStdString(printable(text.toStdString())), text);
}

void TstPrintable::commandsAreShown_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("colour") << QByteArray("\x1b[31mred") << QByteArray("\\u001b[31mred");
    QTest::newRow("bell") << QByteArray("\a") << QByteArray("\\u0007");
    QTest::newRow("carriage return") << QByteArray("a\rb") << QByteArray("a\\u000db");
    QTest::newRow("line break") << QByteArray("a\nerror: b") << QByteArray("a\\nerror: b");
    QTest::newRow("zero") << QByteArray("a\0b", 3) << QByteArray("a\\u0000b");
    QTest::newRow("delete") << QByteArray("\x7f") << QByteArray("\\u007f");
    QTest::newRow("C1 as UTF-8") << QByteArray("\xc2\x9b"
                                               "2J")
                                 << QByteArray("\\u009b2J");
    QTest::newRow("C1 as a byte") << QByteArray("\x9b"
                                                "2J")
                                  << QByteArray("\\x9b2J");
    QTest::newRow("override") << QByteArray("\xe2\x80\xae"
                                            "a")
                              << QByteArray("\\u202ea");
    QTest::newRow("isolate") << QByteArray("\xe2\x81\xa6"
                                           "a")
                             << QByteArray("\\u2066a");
    QTest::newRow("cut short") << QByteArray("\xe2\x82") << QByteArray("\\xe2\\x82");
    QTest::newRow("overlong") << QByteArray("\xc0\x9b") << QByteArray("\\xc0\\x9b");
    QTest::newRow("overlong of three")
        << QByteArray("\xe0\x80\x9b") << QByteArray("\\xe0\\x80\\x9b");
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QByteArray("\\xed\\xa0\\x80");
    QTest::newRow("too high") << QByteArray("\xf4\x90\x80\x80")
                              << QByteArray("\\xf4\\x90\\x80\\x80");
}

void TstPrintable::commandsAreShown()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(printable(text.toStdString())), shown);
}

void TstPrintable::lineBreaksStayInDocuments()
{
    QCOMPARE(printable("a\n\x1b"
                       "b\n",
                       LineBreaks::Keep),
             std::string("a\n\\u001bb\n"));
}

/// Every pair of bytes: the output is UTF-8 without control characters, and idempotent.
void TstPrintable::nothingThatIsShownCommands()
{
    for (int first = 0; first < 256; ++first) {
        for (int second = 0; second < 256; ++second) {
            const std::string text{static_cast<char>(first), static_cast<char>(second)};
            const std::string shown = printable(text);
            QCOMPARE(printable(shown), shown);
            for (const QChar c : QString::fromUtf8(shown.c_str())) {
                QVERIFY2(c == '\t' || c.category() != QChar::Other_Control, shown.c_str());
                QVERIFY2(c != QChar::ReplacementCharacter, shown.c_str());
            }
        }
    }
}

CANNERY_TEST(TstPrintable)
#include "tst_printable.moc"
