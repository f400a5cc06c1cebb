// SPDX-License-Identifier: Apache-2.0
#include "core/reports/report_json.h"
#include "tests/core/reports/sample_report.pb.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstdint>
#include <limits>
#include <string>

using namespace cannery::reports;
using cannery::tests::SampleCell;
using cannery::tests::SampleReport;

class TstReportJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void membersStandInTheOrderOfDeclarations();
    void everyKindOfFieldIsWrittenAndRead();
    void nestedValuesAreIndented();
    void bareMessagesAreTheirOnlyValue();
    void numbersKeepAllDigits();
    void numbersThatJsonDoesNotKnowAreNullOrWords();
    void bytesThatAreNotUtf8AreReplaced();
    void unknownMembersAndOtherKindsAreLeftOut();
    void textThatIsNotJsonIsRefused_data();
    void textThatIsNotJsonIsRefused();
    void manyMembersTakeNoLongerForEach();
};

namespace {

/// What a report says after its JSON was read.
std::string again(const SampleReport& report)
{
    SampleReport read;
    return readReport(reportJson(report), read) ? read.DebugString() : "not read";
}

SampleReport fullReport()
{
    SampleReport report;
    report.set_name("all");
    report.set_small(-3);
    report.set_large(std::numeric_limits<std::uint64_t>::max());
    report.set_negative(std::numeric_limits<std::int64_t>::min());
    report.set_single(0.1F);
    report.set_real(0.1);
    report.set_truth(true);
    report.set_level(SampleReport::VERY_BAD);
    report.set_left_out(0);
    report.set_or_null(0);
    report.add_numbers(1);
    report.add_numbers(-2);
    report.add_if_any("one");
    report.add_cells()->set_truth(true);
    report.add_cells()->set_integer(7);
    report.add_cells()->set_number(7.5);
    report.add_cells()->set_text("seven");
    report.add_cells();
    report.add_cells()->mutable_numbers()->add_values(1.5);
    report.add_cells()->mutable_part()->set_word("part of a cell");
    cannery::tests::SampleEntry& member = *report.add_members();
    member.set_key("z");
    member.mutable_value()->set_integer(1);
    report.add_members()->set_key("a");
    cannery::tests::SampleCount& count = *report.add_counts();
    count.set_key("infinite");
    count.set_value(std::numeric_limits<double>::infinity());
    report.mutable_inside()->set_inner("in");
    report.mutable_part()->set_word("w");
    report.add_rows()->add_values(1);
    report.add_rows();
    report.add_parts()->set_word("p");
    report.add_truths(false);
    return report;
}

} // namespace

/// As far as they are always there, or null.
void TstReportJson::membersStandInTheOrderOfDeclarations()
{
    QCOMPARE(reportJson(SampleReport()),
             std::string(R"({"name":"","small":0,"large":0,"negative":0,"single":0.0,"real":0.0,)"
                         R"("truth":false,"level":"info","or_null":null,"numbers":[],"cells":[],)"
                         R"("members":{},"counts":{},"rows":[],"parts":[],"truths":[]})"));
}

void TstReportJson::everyKindOfFieldIsWrittenAndRead()
{
    const SampleReport report = fullReport();
    QCOMPARE(
        reportJson(report),
        std::string(
            R"({"name":"all","small":-3,"large":18446744073709551615,)"
            R"("negative":-9223372036854775808,"single":0.10000000149011612,"real":0.1,)"
            R"("truth":true,"level":"very_bad","left_out":0,"or_null":0,"numbers":[1,-2],)"
            R"("if_any":["one"],"cells":[true,7,7.5,"seven",null,[1.5],{"word":"part of a cell"}],)"
            R"("members":{"z":1,"a":null},"counts":{"infinite":"Infinity"},"inner":"in",)"
            R"("part":{"word":"w"},"rows":[[1.0],[]],"parts":[{"word":"p"}],"truths":[false]})"));
    QCOMPARE(again(report), report.DebugString());
}

void TstReportJson::nestedValuesAreIndented()
{
    SampleReport report = fullReport();
    for (const char* absent : {"small", "large", "negative", "single", "real", "level", "cells",
                               "parts", "truths", "left_out", "or_null"}) {
        report.GetReflection()->ClearField(&report,
                                           report.GetDescriptor()->FindFieldByName(absent));
    }
    QCOMPARE(reportJson(report, 2), std::string(R"({
  "name": "all",
  "small": 0,
  "large": 0,
  "negative": 0,
  "single": 0.0,
  "real": 0.0,
  "truth": true,
  "level": "info",
  "or_null": null,
  "numbers": [
    1,
    -2
  ],
  "if_any": [
    "one"
  ],
  "cells": [],
  "members": {
    "z": 1,
    "a": null
  },
  "counts": {
    "infinite": "Infinity"
  },
  "inner": "in",
  "part": {
    "word": "w"
  },
  "rows": [
    [
      1.0
    ],
    []
  ],
  "parts": [],
  "truths": []
})"));
}

void TstReportJson::bareMessagesAreTheirOnlyValue()
{
    SampleCell cell;
    QCOMPARE(reportJson(cell), std::string("null"));
    QVERIFY(readReport("[1, 2.5]", cell));
    QCOMPARE(cell.numbers().values_size(), 2);
    QVERIFY(readReport("3", cell));
    QCOMPARE(cell.kind_case(), SampleCell::kInteger);
    QVERIFY(readReport("3.0", cell));
    QCOMPARE(cell.kind_case(), SampleCell::kNumber);
    QCOMPARE(reportJson(cell), std::string("3.0"));
    QVERIFY(readReport("\"3\"", cell));
    QCOMPARE(cell.text(), std::string("3"));
    QVERIFY(readReport(R"({"word": "w"})", cell));
    QCOMPARE(cell.part().word(), std::string("w"));
    QVERIFY(readReport("null", cell));
    QCOMPARE(cell.kind_case(), SampleCell::KIND_NOT_SET);
}

void TstReportJson::numbersKeepAllDigits()
{
    SampleReport report;
    for (const double number : {1e-300, 5e-324, 1.7976931348623157e308, 1.0 / 3, -0.0, 1e15, 1e16,
                                123456789.125, 0.1 + 0.2}) {
        report.set_real(number);
        SampleReport read;
        QVERIFY(readReport(reportJson(report), read));
        QCOMPARE(read.real(), number);
        QCOMPARE(std::signbit(read.real()), std::signbit(number));
    }
    QVERIFY(readReport(R"({"real": 3, "single": 18446744073709551615})", report));
    QCOMPARE(report.real(), 3.0);
    QCOMPARE(report.single(), 1.8446744073709552e19F);
}

void TstReportJson::numbersThatJsonDoesNotKnowAreNullOrWords()
{
    SampleReport report;
    report.set_real(std::numeric_limits<double>::quiet_NaN());
    for (const double number :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
        report.add_counts()->set_value(number);
    }
    const std::string json = reportJson(report);
    QVERIFY2(json.find(R"("real":null)") != std::string::npos, json.c_str());
    QVERIFY2(json.find(R"({"":"NaN","":"-Infinity"})") != std::string::npos, json.c_str());
    SampleReport read;
    QVERIFY(readReport(json, read));
    QVERIFY(readReport(R"({"rows":[[1,null,"NaN"]],"cells":["NaN"]})", report));
    QCOMPARE(report.rows(0).values_size(), 2); // a word only where it is asked for
    QVERIFY(std::isnan(report.rows(0).values(1)));
    QCOMPARE(report.cells(0).text(), std::string("NaN"));
    QVERIFY(std::isnan(read.counts(0).value()));
    QCOMPARE(read.counts(1).value(), -std::numeric_limits<double>::infinity());
}

void TstReportJson::bytesThatAreNotUtf8AreReplaced()
{
    SampleReport report;
    report.set_name("a\xFF\n\"\\é\x7F");
    const std::string json = reportJson(report);
    const std::string first = json.substr(0, json.find(",\"small\""));
    QCOMPARE(first, std::string("{\"name\":\"a\xEF\xBF\xBD\\n\\\"\\\\é\x7F\""));
}

void TstReportJson::unknownMembersAndOtherKindsAreLeftOut()
{
    SampleReport report;
    report.set_name("before");
    QVERIFY(readReport(R"({"newer": {"name": [1, {"small": 2}]}, "small": "3", "large": -1,
                           "numbers": {"small": 4}, "part": [{"word": "no"}], "secret": "no",
                           "members": [1], "parts": [5, {"word": "yes", "secret": "no"}],
                           "cells": 6, "inside": {"inner": "no"}, "negative": 7.5,
                           "truth": 1, "later": 8, "level": "newer"})",
                       report));
    SampleReport expected;
    expected.add_parts()->set_word("yes");
    expected.mutable_inside()->set_later(8);
    QCOMPARE(report.DebugString(), expected.DebugString());
}

void TstReportJson::textThatIsNotJsonIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"", "{", "{\"name\":\"x\"", "{\"name\":\"x\"} more", "nul", "[1,]"}) {
        QTest::newRow(text) << QByteArray(text);
    }
}

void TstReportJson::textThatIsNotJsonIsRefused()
{
    QFETCH(QByteArray, text);
    SampleReport report;
    QVERIFY(!readReport(text.toStdString(), report));
}

/// Wide tables have thousands of columns.
void TstReportJson::manyMembersTakeNoLongerForEach()
{
    SampleReport report;
    constexpr int kMembers = 100'000;
    for (int i = 0; i < kMembers; ++i) {
        cannery::tests::SampleEntry& member = *report.add_members();
        member.set_key("column " + std::to_string(i));
        member.mutable_value()->set_integer(i);
    }
    SampleReport read;
    QVERIFY(readReport(reportJson(report), read));
    QCOMPARE(read.members_size(), kMembers);
    QCOMPARE(read.members(kMembers - 1).value().integer(), kMembers - 1);
}

CANNERY_TEST(TstReportJson)
#include "tst_report_json.moc"
