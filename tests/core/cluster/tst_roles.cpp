// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/roles.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::cluster;

class TstRoles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tasksHaveTheOrderOfTheText();
    void mistakesAreNamed_data();
    void mistakesAreNamed();
};

void TstRoles::tasksHaveTheOrderOfTheText()
{
    const auto tasks = parseRoles("worker:2,evaluator:0,ps:1,chief:1");
    VERIFY_OK(tasks);
    QCOMPARE(*tasks, (std::vector<Task>{{TaskType::Worker, 0, {}},
                                        {TaskType::Worker, 1, {}},
                                        {TaskType::ParameterServer, 0, {}},
                                        {TaskType::Chief, 0, {}}}));
    QCOMPARE(parseRoles("worker:65536")->size(), std::size_t{65536});
}

void TstRoles::mistakesAreNamed_data()
{
    QTest::addColumn<QString>("roles");
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("at");
    const QString unreadable = "cluster.bad_roles";
    const QString badCount = "cluster.bad_role_count";
    QTest::newRow("nothing") << "" << unreadable << "";
    QTest::newRow("no number") << "chief:1,worker" << unreadable << "worker";
    QTest::newRow("an empty number") << "chief:" << unreadable << "chief:";
    QTest::newRow("a negative number") << "worker:-1" << unreadable << "worker:-1";
    QTest::newRow("a number and more") << "worker:1x" << unreadable << "worker:1x";
    QTest::newRow("too many") << "worker:65537" << unreadable << "worker:65537";
    QTest::newRow("too many in all") << "worker:65536,ps:1" << unreadable << "ps:1";
    QTest::newRow("no number at all")
        << "worker:99999999999999999999" << unreadable << "worker:99999999999999999999";
    QTest::newRow("another type") << "chief:1,workers:7" << unreadable << "workers:7";
    QTest::newRow("a space") << "chief:1, worker:7" << unreadable << " worker:7";
    QTest::newRow("a comma at the end") << "chief:1," << unreadable << "";
    QTest::newRow("a type twice") << "worker:1,worker:2" << unreadable << "worker:2";
    QTest::newRow("chief and master") << "chief:1,master:1" << unreadable << "master:1";
    QTest::newRow("two chiefs") << "chief:2,worker:7" << badCount << "2";
    QTest::newRow("nobody trains") << "chief:0,ps:7" << badCount << "0";
}

void TstRoles::mistakesAreNamed()
{
    QFETCH(const QString, roles);
    QFETCH(const QString, id);
    QFETCH(const QString, at);
    const auto tasks = parseRoles(roles.toStdString());
    VERIFY_ERROR(tasks, id);
    QCOMPARE(QString::fromStdString(tasks.error().arguments.at(0)), roles);
    QCOMPARE(QString::fromStdString(tasks.error().arguments.at(1)), at);
}

CANNERY_TEST(TstRoles)
#include "tst_roles.moc"
