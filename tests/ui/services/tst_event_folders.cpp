// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/services/runs/event_folders.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

void touch(const QDir& root, const QString& path)
{
    QVERIFY(root.mkpath(QFileInfo(path).path()));
    QFile file(root.filePath(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
}

/// "name: key key" for each run.
QStringList summary(const QList<EventRun>& runs)
{
    QStringList lines;
    for (const EventRun& run : runs) {
        QStringList keys;
        for (const EventFolder& folder : run.folders) {
            keys.append(folder.key.isEmpty() ? QStringLiteral("-") : folder.key);
        }
        lines.append(run.name + QStringLiteral(": ") + keys.join(QLatin1Char(' ')));
    }
    return lines;
}

} // namespace

class TstEventFolders : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void evaluationsBelongToTheirRun();
    void kerasFoldersAreOneRun();
    void nestedRunsAreFoundAtAnyDepth();
    void linksAreFollowedOnce();
    void cancelledSearchesEnd();
    void searchesInTheBackground();
};

void TstEventFolders::evaluationsBelongToTheirRun()
{
    const QTemporaryDir folder;
    const QDir root(folder.path());
    touch(root, "run/events.out.tfevents.1.host");
    touch(root, "run/eval/events.out.tfevents.2.host");
    touch(root, "run/eval_test/events.out.tfevents.2.host");
    touch(root, "run/export/events.out.tfevents.2.host");
    touch(root, "run/eval_empty/other");
    QCOMPARE(summary(listEventRuns(root.path())),
             QStringList({"run: - eval eval_test", "run/export: -"}));
    QCOMPARE(eventFoldersOfRun(root.filePath("run")).value(2),
             (EventFolder{"eval_test", root.filePath("run/eval_test")}));
}

void TstEventFolders::kerasFoldersAreOneRun()
{
    const QTemporaryDir folder;
    const QDir root(folder.path());
    touch(root, "a/train/x.tfevents.1");
    touch(root, "a/validation/x.tfevents.1");
    touch(root, "b/validation/x.tfevents.1");
    touch(root, "c/x.tfevents.1");
    touch(root, "c/train/x.tfevents.1");
    QCOMPARE(summary(listEventRuns(root.path())),
             QStringList({"a: - validation", "b/validation: -", "c: -", "c/train: -"}));
    QCOMPARE(eventFoldersOfRun(root.filePath("a")).value(0).path, root.filePath("a/train"));
}

void TstEventFolders::nestedRunsAreFoundAtAnyDepth()
{
    const QTemporaryDir folder;
    const QDir root(folder.path());
    touch(root, "events.tfevents");
    touch(root, "x/y/z/events.tfevents");
    touch(root, "x/y/z/eval/deep/events.tfevents");
    touch(root, "x/y/z/eval/events.tfevents");
    const QString own = QFileInfo(folder.path()).fileName();
    const QStringList expected{own + ": -", "x/y/z: - eval", "x/y/z/eval/deep: -"};
    QCOMPARE(summary(listEventRuns(root.path() + "/x/..")), expected);
    QVERIFY(listEventRuns(root.filePath("nothing")).isEmpty());
}

void TstEventFolders::linksAreFollowedOnce()
{
    const QTemporaryDir folder;
    const QDir root(folder.path());
    touch(root, "a/events.tfevents");
    QVERIFY(QFile::link(root.path(), root.filePath("a/up")));
    QVERIFY(QFile::link(root.filePath("a"), root.filePath("b")));
    QCOMPARE(summary(listEventRuns(root.path())), QStringList({"a: -"}));
}

void TstEventFolders::cancelledSearchesEnd()
{
    const QTemporaryDir folder;
    const QDir root(folder.path());
    touch(root, "a/events.tfevents");
    touch(root, "b/events.tfevents");
    int looks = 0;
    QCOMPARE(summary(listEventRuns(root.path(), [&] { return ++looks > 2; })),
             QStringList({"a: -"}));
}

void TstEventFolders::searchesInTheBackground()
{
    const QTemporaryDir folder;
    const QDir root(folder.path());
    touch(root, "a/events.tfevents");
    QFuture<QList<EventRun>> future = findEventFolders(root.path());
    QTRY_VERIFY_WITH_TIMEOUT(future.isFinished(), kPatience);
    QCOMPARE(summary(future.result()), QStringList({"a: -"}));
}

CANNERY_TEST(TstEventFolders)
#include "tst_event_folders.moc"
