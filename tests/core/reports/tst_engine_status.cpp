// SPDX-License-Identifier: Apache-2.0
#include "core/reports/engine_status.pb.h"
#include "core/reports/report_json.h"
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <limits>

using namespace cannery::reports;
using cannery::tests::goldenLines;

/// The lines of `attach --json`.
class TstEngineStatus : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void linesAreReadAndWrittenAgain();
    void lossThatIsNotANumberIsNull();
};

void TstEngineStatus::linesAreReadAndWrittenAgain()
{
    const QByteArrayList lines = goldenLines("attach.jsonl");
    QCOMPARE(lines.size(), 6);
    for (const qsizetype i : {0, 1, 3, 4, 5}) {
        AttachLine line;
        QVERIFY(readReport(lines[i].toStdString(), line));
        QCOMPARE(QByteArray::fromStdString(reportJson(line)), lines[i]);
    }
    AttachLine line;
    QVERIFY(readReport(lines[1].toStdString(), line));
    QVERIFY(!line.has_log());
    QCOMPARE(line.status().reason(), std::string("Evaluating “é”."));
    QCOMPARE(line.status().device_memory_total(), 85899345920);
    QCOMPARE(line.status().workers(0).network_seconds(), 0.01);
    QVERIFY(!line.status().workers(1).has_step_seconds());
    QVERIFY(readReport(lines[4].toStdString(), line));
    QVERIFY(!line.has_status());
    QCOMPARE(line.log().level(), LogLine::WARNING);
}

void TstEngineStatus::lossThatIsNotANumberIsNull()
{
    const QByteArray golden = goldenLines("attach.jsonl")[2];
    AttachLine line;
    QVERIFY(readReport(golden.toStdString(), line));
    line.mutable_status()->set_loss(std::numeric_limits<double>::quiet_NaN());
    QCOMPARE(QByteArray::fromStdString(reportJson(line)), golden);
}

CANNERY_TEST(TstEngineStatus)
#include "tst_engine_status.moc"
