// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/cluster_tasks.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QTest>

#include <csignal>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::tests;

/// A task that cannot take part in its cluster says why in one sentence, and ends at once; the
/// others are not disturbed.
class TstClusterRefusals : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aPortInUseIsNamed();
    void aSecondChiefIsTold();
    void anotherExperimentIsShown();
    void otherDataAreShown();
    void aTableThatAWorkerCannotReadIsItsOwnFailure();
    void aChiefThatIsUnknownYetIsAwaited();
    void aStopIsObeyedWhileWaiting();

private:
    /// A chief and a worker; the folder of the chief's run.
    std::unique_ptr<ClusterTasks> pair(const QString& folder) const
    {
        return std::make_unique<ClusterTasks>(m_project->path(""), 2,
                                              QStringList{"train", "fixture.cannery", "--threads",
                                                          "1", "--model-dir", folder, "--set",
                                                          "strategy.multi_worker_mirrored={}"});
    }
    bool waitForWords(ClusterTasks& tasks, int rank, const QString& words) const
    {
        return QTest::qWaitFor([&] { return tasks.told(rank).contains(words); }, kPatience);
    }

    std::unique_ptr<ProjectFixture> m_project;
};

void TstClusterRefusals::init()
{
    m_project = std::make_unique<ProjectFixture>();
}

void TstClusterRefusals::aPortInUseIsNamed()
{
    const auto tasks = pair("run");
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(tasks->address(0).section(':', 1).toUShort());
    QVERIFY(::bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    QVERIFY(::listen(descriptor, 4) == 0);
    tasks->start(0);
    QCOMPARE(tasks->end(0), 1);
    ::close(descriptor);
    const QString sentence = QString("error: The chief cannot listen at %1: another program does. "
                                     "End it, or give this job another port in TF_CONFIG.\n")
                                 .arg(tasks->address(0));
    QVERIFY2(tasks->told(0).endsWith(sentence), qPrintable(tasks->told(0)));
}

void TstClusterRefusals::aSecondChiefIsTold()
{
    const auto tasks = pair("run");
    tasks->start(0);
    QVERIFY(waitForWords(*tasks, 0, "Waiting for worker:0")); // so it listens
    QProcess second;
    second.setWorkingDirectory(m_project->path(""));
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TF_CONFIG", tasks->tfConfig(0));
    second.setProcessEnvironment(environment);
    second.start(CANNERY_PROGRAM,
                 {"train", "fixture.cannery", "--model-dir", "other", "--set",
                  "strategy.multi_worker_mirrored={}"},
                 QIODevice::ReadOnly);
    QVERIFY(second.waitForFinished(kPatience));
    const QString told = QString::fromUtf8(second.readAllStandardError());
    QCOMPARE(second.exitCode(), 1);
    QVERIFY2(told.contains(QString("the chief of this job already does, process %1 at 127.0.0.1.")
                               .arg(tasks->process(0).processId())),
             qPrintable(told));
    tasks->start(1);
    QCOMPARE(tasks->endAll(), QList<int>({0, 0}));
}

void TstClusterRefusals::anotherExperimentIsShown()
{
    const auto tasks = pair("run");
    tasks->start(0);
    tasks->start(1, {"--set", "train_spec.input.batch_size=5"});
    QCOMPARE(tasks->end(1), 1);
    static const QRegularExpression kSentence(
        "error: worker:0 at 127.0.0.1 was started with another experiment than the chief: line "
        "[0-9]+ is \"batch_size: 5\" there and \"batch_size: 16\" at the chief. Start all tasks of "
        "a job with the same file and the same --set.\n$");
    QVERIFY2(tasks->told(1).contains(kSentence), qPrintable(tasks->told(1)));
    tasks->start(1);
    QCOMPARE(tasks->endAll(), QList<int>({0, 0}));
}

void TstClusterRefusals::otherDataAreShown()
{
    const auto tasks = pair("run");
    tasks->start(0);
    m_project->write("other.csv", m_project->read("table.csv").replace(",red,", ",green,"));
    m_project->write("copied.cannery", m_project->experiment("train { csv { files: \"table.csv\"",
                                                             "train { csv { files: \"other.csv\""));
    tasks->start(1, {"--copy", "copied.cannery"});
    QCOMPARE(tasks->end(1), 1);
    QVERIFY2(tasks->told(1).contains("other.csv") && tasks->told(1).contains("at the chief"),
             qPrintable(tasks->told(1)));
    tasks->start(1);
    QCOMPARE(tasks->endAll(), QList<int>({0, 0}));
}

void TstClusterRefusals::aTableThatAWorkerCannotReadIsItsOwnFailure()
{
    const auto tasks = pair("run");
    tasks->start(0);
    tasks->start(1, {"--set", "data.train.csv.files=absent.csv"});
    QCOMPARE(tasks->end(1), 3);
    QVERIFY2(tasks->told(1).contains("absent.csv"), qPrintable(tasks->told(1)));
    tasks->start(1);
    QCOMPARE(tasks->endAll(), QList<int>({0, 0}));
}

void TstClusterRefusals::aChiefThatIsUnknownYetIsAwaited()
{
    QProcess worker;
    worker.setWorkingDirectory(m_project->path(""));
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TF_CONFIG",
                       R"({"cluster": {"chief": ["chief.invalid:2222"], "worker": ["w:2222"]},)"
                       R"( "task": {"type": "worker", "index": 0}})");
    worker.setProcessEnvironment(environment);
    worker.start(
        CANNERY_PROGRAM,
        {"train", "fixture.cannery", "--quiet", "--set", "strategy.multi_worker_mirrored={}"},
        QIODevice::ReadOnly);
    QString told;
    const bool wasTold = QTest::qWaitFor(
        [&] {
            told += QString::fromUtf8(worker.readAllStandardError());
            return told.contains("Waiting for the coordinator at chief.invalid:2222: the host "
                                 "\"chief.invalid\" is unknown");
        },
        kPatience);
    QVERIFY2(wasTold, qPrintable(told));
    worker.terminate();
    QVERIFY(worker.waitForFinished(kPatience));
    QCOMPARE(worker.exitCode(), 128 + SIGTERM);
}

void TstClusterRefusals::aStopIsObeyedWhileWaiting()
{
    const auto tasks = pair("run");
    tasks->start(0);
    QVERIFY(waitForWords(*tasks, 0, "Waiting for worker:0"));
    tasks->signal(0, SIGTERM);
    QCOMPARE(tasks->end(0), 128 + SIGTERM);
    tasks->startAll();
    QCOMPARE(tasks->endAll(), QList<int>({0, 0}));
}

CANNERY_TEST(TstClusterRefusals)
#include "tst_cluster_refusals.moc"
