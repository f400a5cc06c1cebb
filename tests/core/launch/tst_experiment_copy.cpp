// SPDX-License-Identifier: Apache-2.0
#include "core/launch/experiment_copy.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::launch;

namespace {

/// The number of a process that no longer exists.
pid_t endedProcess()
{
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    return child;
}

} // namespace

/// What trainings of a queue or a sweep read.
class TstExperimentCopy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatKilledProcessesLeftIsRemoved();
};

void TstExperimentCopy::whatKilledProcessesLeftIsRemoved()
{
    const QTemporaryDir folder;
    const QByteArray before = qgetenv("TMPDIR");
    qputenv("TMPDIR", folder.path().toUtf8());
    const QDir inside(folder.path());
    const QString left = QString("cannery-queue-%1-a1B2c3").arg(endedProcess());
    const QString used = QString("cannery-queue-%1-a1B2c3").arg(getppid());
    for (const QString& name : {left, used, QString("cannery-queue-12ab34"), QString("other")}) {
        QVERIFY(inside.mkpath(name + "/more"));
    }
    {
        const auto copy = ExperimentCopy::write("/somewhere/a.cannery", "name: \"a\"\n");
        VERIFY_OK(copy);
        QVERIFY(copy->file().ends_with("/a.cannery"));
        QCOMPARE(inside.entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 4);
        QVERIFY(!inside.exists(left));
    }
    before.isNull() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before);
    QCOMPARE(inside.entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 3);
    QVERIFY(inside.exists(used));
}

CANNERY_TEST(TstExperimentCopy)
#include "tst_experiment_copy.moc"
