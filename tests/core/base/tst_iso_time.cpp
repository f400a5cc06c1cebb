// SPDX-License-Identifier: Apache-2.0
#include "core/base/iso_time.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;

class TstIsoTime : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void textsThatMeanATime_data();
    void textsThatMeanATime();
    void otherTexts_data();
    void otherTexts();
    void orderIsThatOfTime();
};

void TstIsoTime::textsThatMeanATime_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("seconds");
    QTest::addColumn<QByteArray>("fraction");
    const auto row = [](const char* text, qint64 seconds, const char* fraction = "") {
        QTest::newRow(text) << QByteArray(text) << seconds << QByteArray(fraction);
    };
    // The seconds are those of `date -u -d TEXT +%s`.
    row("1970-01-01", 0);
    row("1969-12-31T23:59:59Z", -1);
    row("2024", 1704067200);
    row("2024-05", 1714521600);
    row("2024-05-01", 1714521600);
    row("20240501", 1714521600);
    row(" 2024-05-01\t", 1714521600);
    row("2024-02-29", 1709164800);
    row("0001-01-01", -62135596800);
    row("9999-12-31T23:59:59.999999999999Z", 253402300799, "999999999999");
    row("2024-05-01T12", 1714564800);
    row("2024-05-01T12:30", 1714566600);
    row("2024-05-01 12:30:15", 1714566615);
    row("20240501T123015", 1714566615);
    row("2024-05-01t12:30:15z", 1714566615);
    row("2024-05-01T12:30:15.2500", 1714566615, "25");
    row("2024-05-01T12:30:15,000", 1714566615);
    row("2024-05-01T12:30+02:00", 1714559400);
    row("2024-05-01T12:30+0200", 1714559400);
    row("2024-05-01T12:30:00-0330", 1714579200);
    row("2024-05-01T12:30-05", 1714584600);
    row("2024-05-01T24:00", 1714608000);
    row("2016-12-31T23:59:60Z", 1483228800);
}

void TstIsoTime::textsThatMeanATime()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, seconds);
    QFETCH(QByteArray, fraction);
    const std::optional<IsoTime> time = parseIsoTime(text.toStdString());
    QVERIFY(time);
    QCOMPARE(time->seconds, seconds);
    QCOMPARE(QByteArray::fromStdString(time->fraction), fraction);
}

void TstIsoTime::otherTexts_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"",
                             " ",
                             "n/a",
                             "24-05-01",
                             "2024-5-1",
                             "2024/05/01",
                             "01.05.2024",
                             "2024-13-01",
                             "2024-00-01",
                             "2024-02-30",
                             "2023-02-29",
                             "2024-05-01x",
                             "2024-05-01T",
                             "2024-05-01T25:00",
                             "2024-05-01T12:60",
                             "202405",
                             "2024-05-",
                             "2024-05T12",
                             "2024-05-01T12:30:",
                             "2024-05-01T24:01",
                             "12:30",
                             "20240532",
                             "-2024-05-01",
                             "2024-05-01T12:30:1",
                             "2024-05-01T12:30:15.",
                             "1714521600",
                             "2024-05-01+",
                             "2024-05-01  1",
                             "2024-05-01T12:30+02:",
                             "2024-05-01T1230",
                             "2024-05-01T12:30:61",
                             "2024-05-01T12:30+2",
                             "2024-05-01T12:30 +02:00"}) {
        QTest::newRow(text) << QByteArray(text);
    }
}

void TstIsoTime::otherTexts()
{
    QFETCH(QByteArray, text);
    QVERIFY(!parseIsoTime(text.toStdString()));
}

void TstIsoTime::orderIsThatOfTime()
{
    const auto at = [](const char* text) { return parseIsoTime(text).value(); };
    QVERIFY(at("2023-12-31T23:59:59.999999999999999") < at("2024"));
    QVERIFY(at("2024-05-01T12:00:00.25") < at("2024-05-01T12:00:00.3"));
    QVERIFY(at("2024-05-01T12:00:00.3") < at("2024-05-01T12:00:00.30000000000000000001"));
    QVERIFY(at("2024-05-01T12:00+02:00") == at("2024-05-01T10:00Z"));
    QVERIFY(at("2024-05-01T12:00+02:00") < at("2024-05-01T10:00:01"));
}

CANNERY_TEST(TstIsoTime)
#include "tst_iso_time.moc"
