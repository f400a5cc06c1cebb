// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/services/event_files.h"
#include "ui/services/runs/folder_watcher.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery::tests;
using cannery::ui::FolderWatcher;

class TstFolderWatcher : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellsOfNewAndGrownFiles();
    void refusesWhatIsNoFolder();
    void tellsUntilTheLastUserGoes();
    void noticesThatAFolderIsGone();
    void manyChangesAreToldAsFew();
    void tellsNothingWhileNobodyLooks();
};

void TstFolderWatcher::tellsOfNewAndGrownFiles()
{
    const QTemporaryDir folder;
    FolderWatcher watcher;
    QSignalSpy touches(&watcher, &FolderWatcher::touched);
    watcher.add(folder.path());
    const std::string path = folder.filePath("a").toStdString();
    writeBytes(path, "one");
    QTRY_VERIFY_WITH_TIMEOUT(!touches.isEmpty(), kPatience);
    QCOMPARE(touches.front().front().toString(), folder.path());
    touches.clear();
    appendBytes(path, "two");
    QTRY_VERIFY_WITH_TIMEOUT(!touches.isEmpty(), kPatience);
}

void TstFolderWatcher::refusesWhatIsNoFolder()
{
    const QTemporaryDir folder;
    FolderWatcher watcher;
    QVERIFY(!watcher.add(folder.filePath("missing")));
    writeBytes(folder.filePath("file").toStdString(), "");
    QVERIFY(!watcher.add(folder.filePath("file")));
    QVERIFY(!watcher.isWatching(folder.filePath("file")));
}

void TstFolderWatcher::tellsUntilTheLastUserGoes()
{
    const QTemporaryDir folder;
    FolderWatcher watcher;
    watcher.add(folder.path());
    watcher.add(folder.path());
    watcher.remove(folder.path());
    QVERIFY(watcher.isWatching(folder.path()));
    QSignalSpy touches(&watcher, &FolderWatcher::touched);
    writeBytes(folder.filePath("a").toStdString(), "one");
    QTRY_VERIFY_WITH_TIMEOUT(!touches.isEmpty(), kPatience);
    watcher.remove(folder.path());
    QVERIFY(!watcher.isWatching(folder.path()));
    watcher.remove(folder.path());
}

void TstFolderWatcher::noticesThatAFolderIsGone()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a");
    FolderWatcher watcher;
    QVERIFY(QDir().mkpath(path));
    watcher.add(path);
    QVERIFY(QDir(path).removeRecursively());
    QTRY_VERIFY_WITH_TIMEOUT(!watcher.isWatching(path), kPatience);
    QVERIFY(QDir().mkpath(path));
    watcher.add(path);
    QSignalSpy touches(&watcher, &FolderWatcher::touched);
    writeBytes((path + "/b").toStdString(), "one");
    QTRY_VERIFY_WITH_TIMEOUT(!touches.isEmpty(), kPatience);
}

void TstFolderWatcher::manyChangesAreToldAsFew()
{
    const QTemporaryDir folder;
    FolderWatcher watcher;
    QSignalSpy touches(&watcher, &FolderWatcher::touched);
    watcher.add(folder.path());
    const std::string path = folder.filePath("a").toStdString();
    writeBytes(path, "");
    QTRY_COMPARE_WITH_TIMEOUT(touches.size(), 1, kPatience);
    QElapsedTimer clock;
    clock.start();
    constexpr int kChanges = 500;
    for (int i = 0; i < kChanges; ++i) {
        appendBytes(path, "x");
        QCoreApplication::processEvents();
    }
    QTRY_VERIFY_WITH_TIMEOUT(touches.size() > 1, kPatience); // the last is not lost
    QVERIFY2(touches.size() <= 2 + clock.elapsed() / 100,
             qPrintable(QString::number(touches.size())));
}

void TstFolderWatcher::tellsNothingWhileNobodyLooks()
{
    const QTemporaryDir folder;
    FolderWatcher watcher;
    QSignalSpy touches(&watcher, &FolderWatcher::touched);
    watcher.add(folder.path());
    watcher.setAwake(false);
    writeBytes(folder.filePath("a").toStdString(), "one");
    QTest::qWait(300);
    QCOMPARE(touches.size(), 0);
    watcher.setAwake(true);
    QTRY_COMPARE_WITH_TIMEOUT(touches.size(), 1, kPatience);
}

CANNERY_TEST(TstFolderWatcher)
#include "tst_folder_watcher.moc"
