// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/host_port.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::cluster;

class TstHostPort : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAndNumbersAreHosts_data();
    void namesAndNumbersAreHosts();
    void othersAreRefused_data();
    void othersAreRefused();
    void theSentenceNamesTheTask();
};

void TstHostPort::namesAndNumbersAreHosts_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::newRow("a name") << "node-1:2222"
                            << "node-1" << 2222;
    QTest::newRow("a service") << "j-worker-0.ml.svc.cluster.local:1"
                               << "j-worker-0.ml.svc.cluster.local" << 1;
    QTest::newRow("a container") << "my_job_1:65535"
                                 << "my_job_1" << 65535;
    QTest::newRow("IPv4") << "127.0.0.1:80"
                          << "127.0.0.1" << 80;
    QTest::newRow("IPv6") << "[::1]:80"
                          << "::1" << 80;
    QTest::newRow("IPv6 with a zone") << "[fe80::1%eth0]:80"
                                      << "fe80::1%eth0" << 80;
    QTest::newRow("the longest") << QString(253, 'a') + ":1" << QString(253, 'a') << 1;
}

void TstHostPort::namesAndNumbersAreHosts()
{
    QFETCH(const QString, address);
    QFETCH(const QString, host);
    QFETCH(const int, port);
    const auto read = parseHostPort(address.toStdString(), "chief 0");
    VERIFY_OK(read);
    QCOMPARE(QString::fromStdString(read->host), host);
    QCOMPARE(read->port, port);
    QCOMPARE(QString::fromStdString(addressText(*read)), address);
}

void TstHostPort::othersAreRefused_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<QString>("id");
    const QString noPort = "cluster.address_without_port";
    const QString badPort = "cluster.bad_port";
    const QString badHost = "cluster.bad_host";
    QTest::newRow("nothing") << "" << noPort;
    QTest::newRow("no port") << "node" << noPort;
    QTest::newRow("IPv6 without a port") << "[::1]" << noPort;
    QTest::newRow("IPv6 that does not end") << "[::1:80" << badHost;
    QTest::newRow("an empty port") << "node:" << badPort;
    QTest::newRow("port 0") << "node:0" << badPort;
    QTest::newRow("port 65536") << "node:65536" << badPort;
    QTest::newRow("a negative port") << "node:-1" << badPort;
    QTest::newRow("a port with a name") << "node:http" << badPort;
    QTest::newRow("a port and more") << "node:80/" << badPort;
    QTest::newRow("no host") << ":80" << badHost;
    QTest::newRow("a scheme") << "grpc://node:80" << badHost;
    QTest::newRow("two ports") << "host:6:6" << badHost;
    QTest::newRow("IPv6 without brackets") << "::1:80" << badHost;
    QTest::newRow("a name in brackets") << "[node]:80" << badHost;
    QTest::newRow("an empty zone") << "[fe80::1%]:80" << badHost;
    QTest::newRow("a space") << "my node:80" << badHost;
    QTest::newRow("an option") << "-o:80" << badHost;
    QTest::newRow("a shell") << "$(id):80" << badHost;
    QTest::newRow("a line break") << "node\n:80" << badHost;
    QTest::newRow("too long") << QString(254, 'a') + ":1" << badHost;
}

void TstHostPort::othersAreRefused()
{
    QFETCH(const QString, address);
    QFETCH(const QString, id);
    VERIFY_ERROR(parseHostPort(address.toStdString(), "chief 0"), id);
}

void TstHostPort::theSentenceNamesTheTask()
{
    QCOMPARE(parseHostPort("node", "worker 3").error().sentence,
             std::string("The address of worker 3, \"node\", has no port. Write host:port, such as "
                         "node:2222."));
}

CANNERY_TEST(TstHostPort)
#include "tst_host_port.moc"
