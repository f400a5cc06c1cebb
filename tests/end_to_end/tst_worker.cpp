// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_files.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTest>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::tests;

namespace {

/// Ports of this machine that nobody else takes while it exists.
class FreePorts
{
public:
    explicit FreePorts(int count)
    {
        for (int i = 0; i < count; ++i) {
            const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            const int reuse = 1;
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            socklen_t size = sizeof(address);
            auto* generic = reinterpret_cast<sockaddr*>(&address);
            if (bind(descriptor, generic, size) != 0 ||
                getsockname(descriptor, generic, &size) != 0) {
                qFatal("no free port");
            }
            m_descriptors.push_back(descriptor);
            m_ports.push_back(ntohs(address.sin_port));
        }
    }
    ~FreePorts()
    {
        for (const int descriptor : m_descriptors) {
            close(descriptor);
        }
    }
    FreePorts(const FreePorts&) = delete;
    FreePorts& operator=(const FreePorts&) = delete;

    /// "@0", "@1" and so on become addresses.
    QByteArray in(QString text) const
    {
        for (std::size_t i = 0; i < m_ports.size(); ++i) {
            text.replace(QString("@%1").arg(i), QString("localhost:%1").arg(m_ports[i]));
        }
        return text.toUtf8();
    }

private:
    std::vector<int> m_descriptors;
    std::vector<int> m_ports;
};

/// The digits of TensorFlow's distributed guide, a few steps.
void writeDigits(const ProjectFixture& project, bool fixesBits)
{
    copyExample("digits", project.path("digits"));
    QByteArray text = project.read("digits/digits.cannery");
    text.replace("max_steps: 20000", "max_steps: 40");
    text.replace("save_checkpoints_steps: 500", "save_checkpoints_steps: 20");
    text.replace("throttle_secs: 0", "throttle_secs: 0 start_delay_secs: 0");
    text += "strategy { multi_worker_mirrored {} ";
    text += fixesBits ? "virtual_shards: 4 }\n" : "}\n";
    project.write("digits/digits.cannery", text);
}

const QStringList kWords{"digits/digits.cannery", "--model-dir", "model", "--threads", "1"};

/// Whether a process has ended with 0.
bool succeeds(QProcess& task)
{
    const bool isOver = task.state() == QProcess::NotRunning || task.waitForFinished(kPatience);
    if (isOver && task.exitStatus() == QProcess::NormalExit && task.exitCode() == 0) {
        return true;
    }
    qWarning("exit code %d: %s", task.exitCode(), task.readAllStandardError().constData());
    return false;
}

} // namespace

/// `cannery worker`: a task of a cluster that somebody else has started.
class TstWorker : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itInsistsOnACluster_data();
    void itInsistsOnACluster();
    void aWrongTfConfigIsASentence_data();
    void aWrongTfConfigIsASentence();
    void jobsOfKubeflowTrain_data();
    void jobsOfKubeflowTrain();
    void dynamicWorkersDoNotTrainInStep();
};

void TstWorker::itInsistsOnACluster_data()
{
    QTest::addColumn<QByteArray>("tfConfig");
    QTest::newRow("no TF_CONFIG") << QByteArray();
    QTest::newRow("no cluster in it") << QByteArray("{}");
    QTest::newRow("a task alone") << QByteArray(
        R"({"cluster": {}, "task": {"type": "worker", "index": 0}})");
}

void TstWorker::itInsistsOnACluster()
{
    QFETCH(const QByteArray, tfConfig);
    const ProjectFixture project;
    qputenv("TF_CONFIG", tfConfig);
    const ProgramResult refused = project.run({"worker", "fixture.cannery"});
    const ProgramResult trained = project.run({"train", "fixture.cannery", "--quiet"});
    qunsetenv("TF_CONFIG");
    QCOMPARE(refused.exitCode, 1);
    QVERIFY2(refused.err.contains("which task of which cluster"), qPrintable(refused.err));
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    QVERIFY(project.exists("runs/run-001") && !project.exists("runs/run-002"));
}

void TstWorker::aWrongTfConfigIsASentence_data()
{
    QTest::addColumn<QByteArray>("tfConfig");
    QTest::addColumn<QString>("sentence");
    const QByteArray chief = R"({"cluster": {"chief": ["127.0.0.1:1"])";
    QTest::newRow("no JSON") << QByteArray("{") << "TF_CONFIG";
    QTest::newRow("no task") << chief + "}}"
                             << "the type of the task is missing";
    QTest::newRow("no index") << chief + R"(}, "task": {"type": "chief"}})"
                              << "no index";
    QTest::newRow("another index") << chief + R"(}, "task": {"type": "chief", "index": 1}})"
                                   << "which its cluster does not list";
    QTest::newRow("two chiefs")
        << QByteArray(R"({"cluster": {"chief": ["a:1", "b:1"]}, "task": {"type": "chief", )"
                      R"("index": 0}})")
        << "exactly one chief";
    QTest::newRow("one machine")
        << chief + R"(, "worker": ["127.0.0.1:2"]}, "task": {"type": "chief", "index": 0}})"
        << "but the strategy one_device trains on one machine";
}

void TstWorker::aWrongTfConfigIsASentence()
{
    QFETCH(const QByteArray, tfConfig);
    QFETCH(const QString, sentence);
    const ProjectFixture project;
    qputenv("TF_CONFIG", tfConfig);
    const ProgramResult result = project.run({"worker", "fixture.cannery"});
    qunsetenv("TF_CONFIG");
    QCOMPARE(result.exitCode, 1);
    QCOMPARE(result.err.count("error: "), 1);
    QVERIFY2(result.err.contains(sentence), qPrintable(result.err));
    QVERIFY(!project.exists("runs"));
}

/// The TF_CONFIGs of Kubeflow's training operator, byte by byte but for host names and ports.
void TstWorker::jobsOfKubeflowTrain_data()
{
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<QStringList>("tasks");
    QTest::addColumn<bool>("fixesBits");
    QTest::newRow("chief, two workers and an evaluator, since 1.8")
        << R"({"cluster":{"chief":["@0"],"evaluator":["@1"],"worker":["@2","@3"]},"task":)"
        << QStringList{"chief 0", "worker 0", "worker 1", "evaluator 0"} << false;
    QTest::newRow("the evaluator is not listed, before 1.8")
        << R"({"cluster":{"chief":["@0"],"worker":["@2"]},"task":)"
        << QStringList{"chief 0", "worker 0", "evaluator 0"} << true;
    QTest::newRow("workers alone, the first of which leads")
        << R"({"cluster":{"evaluator":["@1"],"worker":["@0","@2","@3","@4"]},"task":)"
        << QStringList{"worker 0", "worker 1", "worker 2", "worker 3", "evaluator 0"} << true;
    QTest::newRow("a master") << R"({"cluster":{"master":["@0"],"worker":["@2"]},"task":)"
                              << QStringList{"master 0", "worker 0"} << true;
}

void TstWorker::jobsOfKubeflowTrain()
{
    QFETCH(const QString, cluster);
    QFETCH(const QStringList, tasks);
    QFETCH(const bool, fixesBits);
    const FreePorts ports(5);
    const ProjectFixture project;
    writeDigits(project, fixesBits);
    if (tasks.contains("evaluator 0") && !cluster.contains("evaluator")) {
        qputenv("CANNERY_EVALUATOR", "1"); // what a manifest has to say for such an operator
    }
    std::vector<std::unique_ptr<QProcess>> processes;
    for (const QString& task : tasks) {
        const QString own = QString(R"({"type":"%1","index":%2},"environment":"cloud"})")
                                .arg(task.section(' ', 0, 0), task.section(' ', 1));
        qputenv("TF_CONFIG", ports.in(cluster + own));
        processes.push_back(project.start(QStringList{"worker"} + kWords));
    }
    qunsetenv("TF_CONFIG");
    qunsetenv("CANNERY_EVALUATOR");
    for (const auto& process : processes) {
        QVERIFY(succeeds(*process));
    }
    const auto evaluations =
        storage::RunFiles(project.path("model").toStdString()).readEvaluations();
    QVERIFY(evaluations && !evaluations->empty());
    QCOMPARE(evaluations->back().globalStep, 40);
    QVERIFY(!QDir(project.path("model/export/best")).isEmpty());
    if (fixesBits) {
        const QString bits = "/model.ckpt-40.data-00000-of-00001";
        QStringList alone{"train"};
        alone += kWords;
        alone.replace(alone.indexOf("model"), "alone");
        QCOMPARE(project.run(alone).exitCode, 0); // a job of one task gets no TF_CONFIG
        QVERIFY(project.read("model" + bits).size() > 1000);
        QVERIFY(project.read("model" + bits) == project.read("alone" + bits));
    }
}

void TstWorker::dynamicWorkersDoNotTrainInStep()
{
    const ProjectFixture project;
    writeDigits(project, true);
    qputenv("TF_CONFIG", R"({"sparseCluster":{"worker":{"1":"localhost:1"},"ps":["localhost:2"]},)"
                         R"("task":{"type":"worker","index":1},"environment":"cloud"})");
    const ProgramResult result = project.run(QStringList{"worker"} + kWords);
    qunsetenv("TF_CONFIG");
    QCOMPARE(result.exitCode, 1);
    QCOMPARE(result.err.count("error: "), 1);
}

CANNERY_TEST(TstWorker)
#include "tst_worker.moc"
