// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/process_identity.h"
#include "storage/runs/queue_lock.h"
#include "storage/runs/queue_store.h"
#include "storage/runs/run_store.h"
#include "storage/runs/view_state_store.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <sys/wait.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::storage;

class TstQueueStore : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void entriesKeepWhatWasAsked();
    void entriesMoveWithinTheQueue();
    void entriesFollowTheirFile();
    void eachEntryIsTakenOnce();
    void anEntryOfADeadRunnerCanBeTakenAgain();
    void aStartedEntryIsNotRemoved();
    void oneRunnerHasAProject();
    void pagesRememberTheirView();

private:
    Result<QueueEntry> add(const std::string& file)
    {
        return QueueStore(m_store->database())
            .add({.experimentFile = file,
                  .experimentText = "name: \"a\"\n",
                  .overrides = {"a=b", "c=\"d e\""},
                  .addedAt = 5});
    }
    QString order()
    {
        QString text;
        const auto entries = QueueStore(m_store->database()).list();
        for (const QueueEntry& entry : *entries) {
            text += QString::fromStdString(entry.experimentFile);
        }
        return text;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::optional<RunStore> m_store;
};

void TstQueueStore::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_store.emplace(*RunStore::open(m_folder->path().toStdString()));
}

void TstQueueStore::entriesKeepWhatWasAsked()
{
    const auto added = add("/p/a.cannery");
    VERIFY_OK(added);
    QueueStore queue(m_store->database());
    QVERIFY(*queue.find(added->id) == *added);
    QCOMPARE(added->overrides.size(), std::size_t{2});
    VERIFY_OK(queue.fail(added->id, "No such file."));
    QVERIFY(queue.find(added->id)->state == QueueState::Failed);
    QCOMPARE(queue.find(added->id)->reason, std::string("No such file."));
    VERIFY_OK(queue.remove(added->id));
    VERIFY_ERROR(queue.find(added->id), "queue.not_found");
    QVERIFY(add("/p/a.cannery")->id != added->id);
}

void TstQueueStore::entriesMoveWithinTheQueue()
{
    const std::int64_t first = add("a")->id;
    VERIFY_OK(add("b"));
    const std::int64_t last = add("c")->id;
    QueueStore queue(m_store->database());
    VERIFY_OK(queue.move(last, 0));
    QCOMPARE(order(), QStringLiteral("cab"));
    VERIFY_OK(queue.move(last, 99));
    QCOMPARE(order(), QStringLiteral("abc"));
    VERIFY_OK(queue.move(first, 1));
    QCOMPARE(order(), QStringLiteral("bac"));
    VERIFY_OK(add("d"));
    QCOMPARE(order(), QStringLiteral("bacd"));
    VERIFY_ERROR(queue.move(77, 0), "queue.not_found");
}

/// But the one in training: its run is found by the file that it was started with.
void TstQueueStore::entriesFollowTheirFile()
{
    QueueStore queue(m_store->database());
    for (const char* file : {"/p/a", "/p/b", "/p/a"}) {
        VERIFY_OK(add(file));
    }
    VERIFY_OK(queue.takeNext(6));
    VERIFY_OK(queue.moveFile("/p/a", "/p/c"));
    QCOMPARE(order(), QString("/p/a/p/b/p/c"));
}

void TstQueueStore::eachEntryIsTakenOnce()
{
    VERIFY_OK(add("a"));
    const std::int64_t second = add("b")->id;
    QueueStore queue(m_store->database());
    const auto taken = queue.takeNext(7);
    QCOMPARE((*taken)->experimentFile, std::string("a"));
    VERIFY_ERROR(queue.take((*taken)->id, 8), "queue.started");
    VERIFY_OK(queue.take(second, 8));
    QVERIFY(!queue.takeNext(9)->has_value());
    VERIFY_OK(queue.finish((*taken)->id));
    VERIFY_OK(queue.putBack(second));
    QCOMPARE((*queue.takeNext(9))->id, second);
}

void TstQueueStore::anEntryOfADeadRunnerCanBeTakenAgain()
{
    const std::int64_t id = add("a")->id;
    const pid_t child = fork();
    if (child == 0) {
        auto store = RunStore::open(m_folder->path().toStdString());
        _exit(store && QueueStore(store->database()).takeNext(1) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    QCOMPARE(status, 0);
    QueueStore queue(m_store->database());
    const QueueEntry entry = *queue.find(id);
    QVERIFY(entry.state == QueueState::Started);
    QVERIFY(!isProcessAlive(entry.processId, entry.processStart));
    VERIFY_OK(queue.take(id, 2));
    QVERIFY(isProcessAlive(queue.find(id)->processId, queue.find(id)->processStart));
}

void TstQueueStore::aStartedEntryIsNotRemoved()
{
    const std::int64_t id = add("a")->id;
    QueueStore queue(m_store->database());
    VERIFY_OK(queue.takeNext(1));
    VERIFY_ERROR(queue.remove(id), "queue.started");
}

void TstQueueStore::oneRunnerHasAProject()
{
    const std::string project = m_folder->path().toStdString();
    QVERIFY(!QueueLock::isHeld(project));
    {
        const auto lock = QueueLock::tryAcquire(project);
        QVERIFY(lock && lock->has_value());
        QVERIFY(QueueLock::isHeld(project));
        const auto other = QueueLock::tryAcquire(project);
        QVERIFY(other && !other->has_value());
    }
    QVERIFY(!QueueLock::isHeld(project));
}

void TstQueueStore::pagesRememberTheirView()
{
    ViewStateStore views(m_store->database());
    QCOMPARE(*views.read("runs"), std::string());
    VERIFY_OK(views.write("runs", "{\"a\":1}"));
    VERIFY_OK(views.write("train", "[]"));
    VERIFY_OK(views.write("runs", "{\"a\":2}"));
    QCOMPARE(*views.read("runs"), std::string("{\"a\":2}"));
    VERIFY_OK(views.write("runs", ""));
    QCOMPARE(*views.read("runs"), std::string());
    QCOMPARE(*views.read("train"), std::string("[]"));
}

CANNERY_TEST(TstQueueStore)
#include "tst_queue_store.moc"
