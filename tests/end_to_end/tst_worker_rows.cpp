// SPDX-License-Identifier: Apache-2.0
#include "core/control/control_client.h"
#include "storage/runs/run_lock.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QScopeGuard>
#include <QTest>

#include <csignal>

using namespace cannery;
using namespace cannery::tests;

/// What the chief of a cluster tells watchers of its tasks.
class TstWorkerRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { qputenv("XDG_RUNTIME_DIR", m_runtime.path().toUtf8()); }
    void aChiefTellsOfItsWorkersAndTheirLosses();
    void whoTrainsAloneHasNoRows();

private:
    QTemporaryDir m_runtime;
};

namespace {

using Rows = std::vector<reports::TaskStatus>;

/// The processes that a process has started.
QList<pid_t> childrenOf(qint64 process)
{
    QFile file(QString("/proc/%1/task/%1/children").arg(process));
    QList<pid_t> children;
    if (file.open(QIODevice::ReadOnly)) {
        for (const QByteArray& word : file.readAll().simplified().split(' ')) {
            children << word.toInt();
        }
    }
    return children;
}

Rows rowsOf(const std::string& folder)
{
    auto client = control::ControlClient::connect(folder);
    const auto status = client ? client->status() : tl::make_unexpected(client.error());
    return status ? Rows(status->workers().begin(), status->workers().end()) : Rows();
}

/// Waits until the rows are as wanted.
template <typename Condition>
bool waitForRows(const std::string& folder, Condition condition)
{
    return QTest::qWaitFor(
        [&] {
            const Rows rows = rowsOf(folder);
            return rows.size() == 2 && condition(rows);
        },
        kPatience);
}

} // namespace

void TstWorkerRows::aChiefTellsOfItsWorkersAndTheirLosses()
{
    const ProjectFixture project;
    const auto launcher = project.start({"launch", "fixture.cannery", "-n", "2", "--threads", "1",
                                         "--set", "strategy.multi_worker_mirrored={}", "--set",
                                         "train_spec.max_steps=1000000000", "--set",
                                         "run_config.save_checkpoints_steps=900000000"});
    const auto pid = static_cast<pid_t>(launcher->processId());
    const auto end = qScopeGuard([&] {
        kill(pid, SIGCONT);
        kill(pid, SIGTERM);
        launcher->waitForFinished(kPatience);
    });
    const std::string folder = project.path("runs/run-001").toStdString();
    std::int64_t step = 0;
    const auto trainsOn = [&](const Rows& rows) {
        return rows[0].state() == "running" && rows[1].state() == "running" &&
               rows[0].step() > step && rows[1].step() > step && rows[1].has_step_seconds() &&
               rows[1].has_wait_seconds() && rows[1].has_network_seconds();
    };
    QVERIFY(waitForRows(folder, trainsOn));
    const Rows first = rowsOf(folder);
    QCOMPARE(first[0].task(), std::string("chief:0"));
    QCOMPARE(first[1].task(), std::string("worker:0"));
    for (const reports::TaskStatus& row : first) {
        QCOMPARE(row.restarts(), 0);
        QVERIFY(row.wait_seconds() >= 0 && row.network_seconds() >= 0);
        QVERIFY(row.step_seconds() >= row.wait_seconds() + row.network_seconds());
    }
    step = first[1].step();
    QVERIFY(waitForRows(folder, trainsOn));

    // Nobody starts it again before its loss was seen.
    const auto chief = storage::RunLock::owner(folder);
    QVERIFY(chief);
    QList<pid_t> workers = childrenOf(pid);
    workers.removeAll(static_cast<pid_t>(chief->processId));
    QCOMPARE(workers.size(), 1);
    kill(pid, SIGSTOP);
    kill(workers.first(), SIGKILL);
    QVERIFY(waitForRows(folder, [](const Rows& rows) {
        return rows[0].state() == "waiting" && rows[1].state() == "lost" &&
               !rows[1].has_step_seconds();
    }));
    step = rowsOf(folder)[1].step();
    kill(pid, SIGCONT);
    QVERIFY(waitForRows(folder, trainsOn));
    QCOMPARE(rowsOf(folder)[0].restarts(), 0);
    QCOMPARE(rowsOf(folder)[1].restarts(), 1);
}

void TstWorkerRows::whoTrainsAloneHasNoRows()
{
    const ProjectFixture project;
    const auto training = project.start(
        {"train", "fixture.cannery", "--set", "train_spec.max_steps=1000000000", "--quiet"});
    const auto end = qScopeGuard([&] {
        kill(static_cast<pid_t>(training->processId()), SIGTERM);
        training->waitForFinished(kPatience);
    });
    const std::string folder = project.path("runs/run-001").toStdString();
    QTRY_VERIFY_WITH_TIMEOUT(storage::RunLock::owner(folder), kPatience);
    const auto watcher = project.start({"attach", "run-001", "--json"});
    QTRY_VERIFY_WITH_TIMEOUT(watcher->canReadLine(), kPatience);
    const QJsonObject status = QJsonDocument::fromJson(watcher->readLine()).object();
    QCOMPARE(status["event"].toString(), QString("status"));
    QVERIFY(status["workers"].isArray() && status["workers"].toArray().isEmpty());
    watcher->terminate();
    QVERIFY(watcher->waitForFinished(kPatience));
}

CANNERY_TEST(TstWorkerRows)
#include "tst_worker_rows.moc"
