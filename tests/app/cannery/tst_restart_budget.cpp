// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/supervisor.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery::app;
using namespace std::chrono_literals;

/// How often an engine is restarted.
class TstRestartBudget : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsTheLastHourOnly();
    void noneIsNone();
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

CANNERY_TEST(TstRestartBudget)
#include "tst_restart_budget.moc"
