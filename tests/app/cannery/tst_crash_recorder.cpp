// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/crash_recorder.h"
#include "core/base/check.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cannery;

/// An engine that detects a bug in itself records it in its run before it ends.
class TstCrashRecorder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void failedCheckLeavesAFailedRun();
};

void TstCrashRecorder::failedCheckLeavesAFailedRun()
{
    const QTemporaryDir project;
    const std::string folder = project.filePath("runs/one").toStdString();
    QVERIFY(QDir().mkpath(QString::fromStdString(folder)));
    const storage::RunInfo info{.name = "one"};
    const storage::RunStatus status{.state = storage::RunState::Running, .globalStep = 7};
    storage::RunFiles files(folder);
    VERIFY_OK(files.writeInfo(info));
    VERIFY_OK(files.writeStatus(status));
    {
        auto store = storage::RunStore::open(project.path().toStdString());
        VERIFY_OK(store);
        VERIFY_OK(store->putRun(info, status));
    }
    const pid_t engine = fork();
    if (engine == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        app::CrashRecorder crashRecorder;
        crashRecorder.opened(folder + "/");
        CANNERY_CHECK(folder.empty());
        _exit(0);
    }
    int ended = 0;
    QCOMPARE(waitpid(engine, &ended, 0), engine);
    QVERIFY(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGABRT);
    const auto left = files.readStatus();
    VERIFY_OK(left);
    QCOMPARE(left->state, storage::RunState::Failed);
    QCOMPARE(left->globalStep, 7);
    QVERIFY(left->reason.find("folder.empty()") != std::string::npos);
    auto store = storage::RunStore::open(project.path().toStdString());
    VERIFY_OK(store);
    QCOMPARE(store->show("one")->status.state, storage::RunState::Failed);
    QFile words(QString::fromStdString(folder + "/last-words.txt"));
    QVERIFY(words.open(QIODevice::ReadOnly));
    QVERIFY(words.readAll().startsWith("Cannery has a bug"));
}

CANNERY_TEST(TstCrashRecorder)
#include "tst_crash_recorder.moc"
