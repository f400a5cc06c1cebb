// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/date_evidence.h"
#include "core/data/typing/date_reader.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::data;

using Notation = spec::DateNotation;

/// Dates as people write them, and what decides which number is the day.
class TstDateReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsNotations_data();
    void readsNotations();
    void aFractionCountsForwardsFromItsSecond_data();
    void aFractionCountsForwardsFromItsSecond();
    void refusesOtherTexts_data();
    void refusesOtherTexts();
    void recognisesDates();
    void keepsTheWrittenClock();
    void givesParts();
    void decidesByAllRows_data();
    void decidesByAllRows();
    void asksWhereRowsLeaveItOpen_data();
    void asksWhereRowsLeaveItOpen();
};

namespace {

DateEvidence evidenceOf(const QByteArray& texts)
{
    DateEvidence evidence;
    for (const QByteArray& text : texts.split(';')) {
        evidence.observe(text.toStdString());
    }
    return evidence;
}

void row(const char* text, Notation::Name notation, const char* time)
{
    QTest::newRow(qPrintable(QString("%1 %2").arg(text).arg(int(notation))))
        << QByteArray(text) << int(notation) << QByteArray(time);
}

void addRowsOfAnyNotation()
{
    for (const Notation::Name any : {Notation::iso, Notation::day_first, Notation::month_first}) {
        row("2024-05-01", any, "2024-05-01");
        row(" 2024/5/1 ", any, "2024-05-01");
        row("2024.05.01", any, "2024-05-01");
        row("20240501", any, "2024-05-01");
        row("2024-05", any, "2024-05-01");
        row("05/2024", any, "2024-05-01");
        row("202405", any, "2024-05-01");
        row("2024", any, "2024-01-01");
        row("2024-05-01T12:30:00.250Z", any, "2024-05-01T12:30:00");
        row("2024-05-01 12:30:15 +0200", any, "2024-05-01T10:30:15");
        row("2024-05-01 9:05 PM", any, "2024-05-01T21:05:00");
        row("1 May 2024", any, "2024-05-01");
        row("Wed May  1 12:30:15 2024", any, "2024-05-01T12:30:15");
        row("Wed May 01 12:30:15 +0200 2024", any, "2024-05-01T10:30:15");
        row("1st of nothing", any, "");
        row("1st May 2024", any, "2024-05-01");
        row("1. Mai 2024", any, "2024-05-01");
        row("May 1, 2024", any, "2024-05-01");
        row("May 1st, 2024 12:00:00 AM", any, "2024-05-01");
        row("Wed, 01 May 2024 12:30:00 GMT", any, "2024-05-01T12:30:00");
        row("Wednesday, May 1, 2024", any, "2024-05-01");
        row("01-May-24", any, "2024-05-01");
        row("01-MAY-1999", any, "1999-05-01");
        row("01/May/2024:12:30:15 +0000", any, "2024-05-01T12:30:15");
        row("May 2024", any, "2024-05-01");
        row("May-24", any, "2024-05-01");
        row("2024Q2", any, "2024-04-01");
        row("Q2 2024", any, "2024-04-01");
        row("1949M03", any, "1949-03-01");
        row("20240501123015", any, "2024-05-01T12:30:15");
        row("12:30", any, "1970-01-01T12:30:00");
        row("9:30 pm", any, "1970-01-01T21:30:00");
    }
}

} // namespace

void TstDateReader::readsNotations_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("notation");
    QTest::addColumn<QByteArray>("time");
    addRowsOfAnyNotation();
    row("1.5.2024", Notation::day_first, "2024-05-01");
    row("01.05.24", Notation::day_first, "2024-05-01");
    row("31/12/2019", Notation::day_first, "2019-12-31");
    row("31/12/99 23:59", Notation::day_first, "1999-12-31T23:59:00");
    row("31/12/2019", Notation::month_first, "");
    row("12/31/2019 03:00:00 PM", Notation::month_first, "2019-12-31T15:00:00");
    row("12-31-49", Notation::month_first, "2049-12-31");
    row("12-31-50", Notation::month_first, "1950-12-31");
    row("12/31/2019", Notation::day_first, "");
    row("1/5/2024", Notation::iso, "");
    row("24-05-01", Notation::iso, "2024-05-01");
    row("30.02.2024", Notation::day_first, "");
    row("1546502400", Notation::unix_seconds, "2019-01-03T08:00:00");
    row("-86400", Notation::unix_seconds, "1969-12-31");
    row("1546502400.75", Notation::unix_seconds, "2019-01-03T08:00:00");
    row("1.5465024e9", Notation::unix_seconds, "2019-01-03T08:00:00");
    row("1546502400123", Notation::unix_milliseconds, "2019-01-03T08:00:00");
    row("-1", Notation::unix_milliseconds, "1969-12-31T23:59:59");
    row("43831", Notation::excel_days, "2020-01-01");
    row("43831.75", Notation::excel_days, "2020-01-01T18:00:00");
    row("2020-01-01", Notation::excel_days, "");
    row("1e300", Notation::unix_seconds, "");
}

void TstDateReader::readsNotations()
{
    QFETCH(const QByteArray, text);
    QFETCH(const int, notation);
    QFETCH(const QByteArray, time);
    const std::optional<DateTime> date =
        readDate(text.toStdString(), static_cast<Notation::Name>(notation));
    QCOMPARE(date.has_value(), !time.isEmpty());
    if (date) {
        QCOMPARE(QByteArray::fromStdString(isoTimeText(date->time.seconds)), time);
    }
}

void TstDateReader::aFractionCountsForwardsFromItsSecond_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("notation");
    QTest::addColumn<qint64>("seconds");
    QTest::addColumn<QByteArray>("fraction");
    const auto time = [](const char* text, Notation::Name notation, qint64 seconds,
                         const char* fraction) {
        QTest::newRow(text) << QByteArray(text) << int(notation) << seconds << QByteArray(fraction);
    };
    time("1.50", Notation::unix_seconds, 1, "5");
    time("-1.5", Notation::unix_seconds, -2, "5");
    time("-0.25", Notation::unix_seconds, -1, "75");
    time("-3.000", Notation::unix_seconds, -3, "");
    time("-1.0001", Notation::unix_seconds, -2, "9999");
    time("-1500.5", Notation::unix_milliseconds, -2, "4995");
}

void TstDateReader::aFractionCountsForwardsFromItsSecond()
{
    QFETCH(const QByteArray, text);
    QFETCH(const int, notation);
    const std::optional<DateTime> date =
        readDate(text.toStdString(), static_cast<Notation::Name>(notation));
    QVERIFY(date.has_value());
    QTEST(qint64{date->time.seconds}, "seconds");
    QTEST(QByteArray::fromStdString(date->time.fraction), "fraction");
}

void TstDateReader::refusesOtherTexts_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"",
                             " ",
                             "n/a",
                             "1.2.3",
                             "10-K",
                             "192.168.1.1",
                             "7,4",
                             "1/2",
                             "12",
                             "a-b-c",
                             "555-1234",
                             "1.2.24",
                             "2024-13-01",
                             "2024-05-01x",
                             "1 May",
                             "May",
                             "Maybe 1, 2024",
                             "12:3",
                             "25:00",
                             "13:00 PM",
                             "2024-05-01 12:30 EST",
                             "2024-W05",
                             "2024Q5",
                             "1//5/2024",
                             "1/5-2024",
                             "1/5/224",
                             "12345",
                             "1234567",
                             "2024-05-01T",
                             "10000-01-01",
                             "2024 5 1",
                             "1/5/2024 +02",
                             "Friday",
                             "3 4 2024",
                             "Room 2024",
                             "2024-May-",
                             "1st 2nd 2024"}) {
        QTest::newRow(text) << QByteArray(text);
    }
}

void TstDateReader::refusesOtherTexts()
{
    QFETCH(const QByteArray, text);
    for (const Notation::Name notation :
         {Notation::iso, Notation::day_first, Notation::month_first}) {
        QVERIFY(!readDate(text.toStdString(), notation));
    }
    QVERIFY(!looksLikeDate(text.toStdString()));
}

void TstDateReader::recognisesDates()
{
    for (const char* text : {"2024-05-01", "5/1/24", "01.05.2024", "2024-05-01T12:30:00Z", "12:30",
                             "2024/5/1 1:02", "1 May 2024", "Mar 3, 1999", "1970-01"}) {
        QVERIFY2(looksLikeDate(text), text);
    }
    QVERIFY(!looksLikeDate("2024"));
    QVERIFY(isCompactDay(20240229));
    QVERIFY(!isCompactDay(20230229));
    QVERIFY(!isCompactDay(2024));
}

void TstDateReader::keepsTheWrittenClock()
{
    const auto date = readDate("2024-05-01 23:30 +02:00", Notation::iso);
    QVERIFY(date);
    QCOMPARE(isoTimeText(date->time.seconds), std::string("2024-05-01T21:30:00"));
    QCOMPARE(date->offset, std::int64_t(7200));
    QVERIFY(date->hasZone);
    QCOMPARE(datePart(*date, spec::DatePart::hour, {}), 23.0);
    const auto west = readDate("2024-05-01T23:30:00-0330", Notation::iso);
    QVERIFY(west);
    QCOMPARE(west->offset, std::int64_t(-12600));
    QCOMPARE(datePart(*west, spec::DatePart::day, {}), 1.0);
    QVERIFY(!readDate("12:30", Notation::iso)->hasDate);
}

void TstDateReader::givesParts()
{
    const auto date = readDate("2024-02-29 18:00", Notation::iso);
    QVERIFY(date);
    using Part = spec::DatePart;
    const IsoTime origin = *parseIsoTime("2024-02-27");
    for (const auto& [part, expected] :
         {std::pair(Part::year, 2024.0), std::pair(Part::month, 2.0), std::pair(Part::day, 29.0),
          std::pair(Part::weekday, 3.0), std::pair(Part::hour, 18.0),
          std::pair(Part::days_since, 2.75)}) {
        QCOMPARE(datePart(*date, part, origin), expected);
    }
    // Before 1970, and before the origin.
    const auto early = readDate("1969-12-28 06:00:00.5", Notation::iso);
    QVERIFY(early);
    QCOMPARE(datePart(*early, Part::weekday, {}), 6.0);
    QCOMPARE(datePart(*early, Part::hour, {}), 6.0);
    QCOMPARE(datePart(*early, Part::days_since, {}), -4 + (6 * 3600 + 0.5) / 86400);
}

void TstDateReader::decidesByAllRows_data()
{
    QTest::addColumn<QByteArray>("texts");
    QTest::addColumn<int>("notation");
    const auto row = [](const char* name, const char* texts, Notation::Name notation) {
        QTest::newRow(name) << QByteArray(texts) << int(notation);
    };
    row("a late day", "01/02/2020;03/04/2020;25/12/2020", Notation::day_first);
    row("a late day second", "01/02/2020;03/04/2020;12/25/2020", Notation::month_first);
    row("neither matters", "01/01/2019;01/01/2020;02/02/2021", Notation::day_first);
    row("nothing to decide", "2020-01-02;1 May 2024;May 2, 2024", Notation::iso);
    row("junk does not decide", "unknown;99/99/9999;13/01/2020", Notation::day_first);
    row("first of each month",
        "01/01/70;01/02/70;01/03/70;01/04/70;01/05/70;01/06/70;01/07/70;01/08/70;01/09/70;"
        "01/10/70;01/11/70;01/12/70",
        Notation::day_first);
    row("month, then the first",
        "1/1/1970;2/1/1970;3/1/1970;4/1/1970;5/1/1970;6/1/1970;7/1/1970;8/1/1970;9/1/1970;"
        "10/1/1970;11/1/1970;12/1/1970",
        Notation::month_first);
    row("short years at the end", "01/02/23;13/03/23;14/03/24", Notation::day_first);
    row("short years in front", "99-05-13;00-06-14;01-07-02", Notation::iso);
    row("around the turn of the century", "13/01/98;14/01/99;15/01/00;16/01/01",
        Notation::day_first);
    row("seconds", "1546502400;1546945200;1547388000.5", Notation::unix_seconds);
    row("milliseconds", "1546502400000;1546945200000", Notation::unix_milliseconds);
    row("spreadsheet days", "43831;43832.5;44000", Notation::excel_days);
    row("years", "2019;2020;2021", Notation::iso);
    row("small numbers are not times", "1;2;3", Notation::iso);
    row("texts among numbers", "1546502400;soon", Notation::iso);
}

void TstDateReader::decidesByAllRows()
{
    QFETCH(const QByteArray, texts);
    QFETCH(const int, notation);
    const auto found = evidenceOf(texts).notation("when");
    VERIFY_OK(found);
    QCOMPARE(int(*found), notation);
    // In any order of the rows.
    QList<QByteArray> list = texts.split(';');
    std::reverse(list.begin(), list.end());
    const auto reversed = evidenceOf(list.join(';')).notation("when");
    VERIFY_OK(reversed);
    QCOMPARE(int(*reversed), notation);
}

void TstDateReader::asksWhereRowsLeaveItOpen_data()
{
    QTest::addColumn<QByteArray>("texts");
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* texts, const char* id, const char* says) {
        QTest::newRow(name) << QByteArray(texts) << QString(id) << QString(says);
    };
    row("either", "01/02/2020;03/04/2020", "data.date_order", "\"01/02/2020\"");
    row("both", "25/12/2020;12/25/2020", "data.date_orders", "\"12/25/2020\"");
    row("the year first or last", "24-05-01;24-05-02;24-05-13", "data.date_year_place", "iso");
    row("births of a century", "13/01/30;14/02/45;15/03/60;16/04/75", "data.date_century",
        "45 would be 2045");
    row("births beside names of months", "13-Jan-30;14-Feb-45;15-Mar-60;16-Apr-75",
        "data.date_century", "60 would be 1960");
}

void TstDateReader::asksWhereRowsLeaveItOpen()
{
    QFETCH(const QByteArray, texts);
    QFETCH(const QString, id);
    QFETCH(const QString, says);
    const auto found = evidenceOf(texts).notation("when");
    VERIFY_ERROR(found, id);
    QVERIFY2(found.error().sentence.find(says.toStdString()) != std::string::npos,
             found.error().sentence.c_str());
}

CANNERY_TEST(TstDateReader)
#include "tst_date_reader.moc"
