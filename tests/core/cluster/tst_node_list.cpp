// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/node_list.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::cluster;

/// The expected hosts are those that `scontrol show hostnames` of Slurm 22.05 prints; it refuses
/// text behind a group.
class TstNodeList : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAreExpandedAsSlurmDoes_data();
    void namesAreExpandedAsSlurmDoes();
    void listsThatCannotBeReadAreRefused_data();
    void listsThatCannotBeReadAreRefused();
    void tasksPerNodeAreRepeated();
    void tasksPerNodeFitTheNodes_data();
    void tasksPerNodeFitTheNodes();
};

void TstNodeList::namesAreExpandedAsSlurmDoes_data()
{
    QTest::addColumn<QString>("list");
    QTest::addColumn<QString>("hosts");
    QTest::newRow("one") << "gpu5"
                         << "gpu5";
    QTest::newRow("two") << "b,a"
                         << "b a";
    QTest::newRow("zeros and a second name") << "node[01-03,7],gpu5"
                                             << "node01 node02 node03 node7 gpu5";
    QTest::newRow("from 9 to 11") << "n[9-11]"
                                  << "n9 n10 n11";
    QTest::newRow("from 098 to 101") << "n[098-101]"
                                     << "n098 n099 n100 n101";
    QTest::newRow("from 08 to 10") << "n[08-10]"
                                   << "n08 n09 n10";
    QTest::newRow("two groups") << "r[1-2]n[1-2]"
                                << "r1n1 r1n2 r2n1 r2n2";
    QTest::newRow("text behind") << "n[1-2]-ib,m"
                                 << "n1-ib n2-ib m";
    QTest::newRow("only numbers") << "[7-8]"
                                  << "7 8";
    QTest::newRow("domains") << "n[1,3].example.org"
                             << "n1.example.org n3.example.org";
}

void TstNodeList::namesAreExpandedAsSlurmDoes()
{
    QFETCH(const QString, list);
    QFETCH(const QString, hosts);
    const auto names = parseNodeList(list.toStdString());
    VERIFY_OK(names);
    QStringList words;
    for (const std::string& name : *names) {
        words << QString::fromStdString(name);
    }
    QCOMPARE(words.join(' '), hosts);
}

void TstNodeList::listsThatCannotBeReadAreRefused_data()
{
    QTest::addColumn<QString>("list");
    QTest::addColumn<QString>("at");
    QTest::newRow("nothing") << ""
                             << "";
    QTest::newRow("no name") << "a,,b"
                             << "";
    QTest::newRow("a comma at the end") << "a,"
                                        << "";
    QTest::newRow("a group that does not end") << "a,n[1-2"
                                               << "n[1-2";
    QTest::newRow("a group that does not begin") << "n1-2]"
                                                 << "n1-2]";
    QTest::newRow("an empty group") << "n[]"
                                    << "n[]";
    QTest::newRow("a group in a group") << "n[1-[2]]"
                                        << "n[1-[2]]";
    QTest::newRow("backwards") << "n[3-1]"
                               << "n[3-1]";
    QTest::newRow("no end") << "n[3-]"
                            << "n[3-]";
    QTest::newRow("letters") << "n[a-c]"
                             << "n[a-c]";
    QTest::newRow("a plus") << "n[+1-2]"
                            << "n[+1-2]";
    QTest::newRow("a space") << "n 1"
                             << "n 1";
    QTest::newRow("too many") << "n[0-65536]"
                              << "n[0-65536]";
    QTest::newRow("too many together") << "n[1-300]m[1-300]"
                                       << "n[1-300]m[1-300]";
    QTest::newRow("far too many") << "n[000000000-999999999]"
                                  << "n[000000000-999999999]";
}

void TstNodeList::listsThatCannotBeReadAreRefused()
{
    QFETCH(const QString, list);
    QFETCH(const QString, at);
    const auto names = parseNodeList(list.toStdString());
    VERIFY_ERROR(names, "cluster.bad_node_list");
    QCOMPARE(QString::fromStdString(names.error().arguments.at(1)), at);
}

void TstNodeList::tasksPerNodeAreRepeated()
{
    QCOMPARE(parseTasksPerNode("2(x3),1", 4).value(), (std::vector<int>{2, 2, 2, 1}));
    QCOMPARE(parseTasksPerNode("16", 1).value(), (std::vector<int>{16}));
}

void TstNodeList::tasksPerNodeFitTheNodes_data()
{
    QTest::addColumn<QString>("counts");
    QTest::newRow("nothing") << "";
    QTest::newRow("too few nodes") << "2(x3)";
    QTest::newRow("too many nodes") << "2(x3),1,1";
    QTest::newRow("far too many nodes") << "1(x999999999)";
    QTest::newRow("no tasks") << "2(x3),0";
    QTest::newRow("cut") << "2(x3,1";
    QTest::newRow("other brackets") << "2(3),1";
    QTest::newRow("negative") << "2(x3),-1";
}

void TstNodeList::tasksPerNodeFitTheNodes()
{
    QFETCH(const QString, counts);
    VERIFY_ERROR(parseTasksPerNode(counts.toStdString(), 4), "cluster.bad_tasks_per_node");
}

CANNERY_TEST(TstNodeList)
#include "tst_node_list.moc"
