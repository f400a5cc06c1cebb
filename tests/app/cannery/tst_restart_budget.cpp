// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/engine_announcer.h"
#include "app/cannery/supervisor.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery::app;
using namespace std::chrono_literals;

/// How often an engine is restarted, and what its supervisor is told.
class TstRestartBudget : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsTheLastHourOnly();
    void noneIsNone();
    void announcementsAreReadAsWritten();
};

void TstRestartBudget::countsTheLastHourOnly()
{
    const RestartBudget::Time start{};
    RestartBudget budget(2);
    QVERIFY(budget.take(start));
    QVERIFY(budget.take(start + 59min));
    QVERIFY(!budget.take(start + 60min));
    QVERIFY(budget.take(start + 61min));
    QVERIFY(!budget.take(start + 62min));
    QVERIFY(budget.take(start + 120min));
    QCOMPARE(budget.taken(), std::size_t{2});
}

void TstRestartBudget::noneIsNone()
{
    RestartBudget budget(0);
    QVERIFY(!budget.take({}));
}

void TstRestartBudget::announcementsAreReadAsWritten()
{
    QCOMPARE(parseAnnouncement(announcementText({.opened = "/a \"b\"\n/c"})).opened,
             std::string("/a \"b\"\n/c"));
    const Announcement run = parseAnnouncement(announcementText({.run = "r", .folder = "/r"}));
    QCOMPARE(run.run, std::string("r"));
    QCOMPARE(run.folder, std::string("/r"));
    QVERIFY(run.error.empty() && run.opened.empty());
    const std::string error = R"({"error":{"id":"x.y","sentence":"No."}})";
    QCOMPARE(parseAnnouncement(announcementText({.error = error})).error, error);
    QVERIFY(parseAnnouncement("rubbish").run.empty());
}

CANNERY_TEST(TstRestartBudget)
#include "tst_restart_budget.moc"
