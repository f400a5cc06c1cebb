#include "core/control/event_hub.h"
#include "core/control/mailbox.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery::control;
using namespace std::chrono_literals;

/// What waits for a watcher is bounded, and what newer events replace is not told.
class TstMailbox : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void newerStatusAndSizeReplaceOlder();
    void newestLogLinesStay();
    void filesAreBounded();
    void statusComesLast();
    void closedMailboxStillGivesWhatItHas();
    void newWatcherLearnsWhatIsKnown();
    void watcherThatHangsIsSentAwayOnce();
};

void TstMailbox::newerStatusAndSizeReplaceOlder()
{
    Mailbox mailbox;
    for (int i = 1; i <= 10000; ++i) {
        mailbox.put(EngineStatus{.globalStep = i});
        mailbox.put(FileGrew{.path = i % 2 == 0 ? "a" : "b", .bytes = std::uint64_t(i)});
        mailbox.put(StoreChanged{});
        QVERIFY(mailbox.size() <= 4);
    }
    const std::vector<EngineEvent> events = mailbox.take(0ms);
    QCOMPARE(events.size(), std::size_t{4});
    QCOMPARE(std::get<FileGrew>(events[0]).bytes, 10000U);
    QCOMPARE(std::get<FileGrew>(events[1]).bytes, 9999U);
    QCOMPARE(std::get<EngineStatus>(events[3]).globalStep, 10000);
    QVERIFY(mailbox.take(0ms).empty());
}

void TstMailbox::newestLogLinesStay()
{
    Mailbox mailbox;
    for (int i = 0; i < 1000; ++i) {
        mailbox.put(LogLine{.sentence = std::to_string(i)});
    }
    const std::vector<EngineEvent> events = mailbox.take(0ms);
    QCOMPARE(events.size(), Mailbox::kMostLogLines);
    QCOMPARE(std::get<LogLine>(events.front()).sentence, std::string("744"));
    QCOMPARE(std::get<LogLine>(events.back()).sentence, std::string("999"));
}

void TstMailbox::filesAreBounded()
{
    Mailbox mailbox;
    for (int i = 0; i < 5000; ++i) {
        mailbox.put(FileGrew{.path = std::to_string(i), .bytes = 1});
    }
    QCOMPARE(mailbox.size(), Mailbox::kMostFiles);
}

void TstMailbox::statusComesLast()
{
    Mailbox mailbox;
    mailbox.put(EngineStatus{});
    mailbox.put(LogLine{});
    mailbox.put(StoreChanged{});
    mailbox.put(FileGrew{.path = "a", .bytes = 1});
    const std::vector<EngineEvent> events = mailbox.take(0ms);
    QVERIFY(std::holds_alternative<FileGrew>(events[0]));
    QVERIFY(std::holds_alternative<StoreChanged>(events[1]));
    QVERIFY(std::holds_alternative<LogLine>(events[2]));
    QVERIFY(std::holds_alternative<EngineStatus>(events[3]));
}

void TstMailbox::closedMailboxStillGivesWhatItHas()
{
    Mailbox mailbox;
    mailbox.put(EngineStatus{.state = "Finished"});
    mailbox.close();
    mailbox.put(EngineStatus{.state = "late"});
    const std::vector<EngineEvent> events = mailbox.take(60s);
    QCOMPARE(std::get<EngineStatus>(events.at(0)).state, std::string("Finished"));
    QVERIFY(mailbox.take(60s).empty());
}

void TstMailbox::newWatcherLearnsWhatIsKnown()
{
    EventHub hub(10s);
    hub.publish(FileGrew{.path = "a", .bytes = 7});
    hub.publish(EngineStatus{.globalStep = 3});
    hub.publish(LogLine{.sentence = "before"});
    EventHub::Watcher watcher(hub, [] {});
    QCOMPARE(hub.watcherCount(), std::size_t{1});
    const std::vector<EngineEvent> events = watcher.mailbox().take(0ms);
    QCOMPARE(events.size(), std::size_t{2});
    QCOMPARE(std::get<FileGrew>(events[0]).bytes, 7U);
    QCOMPARE(std::get<EngineStatus>(events[1]).globalStep, 3);
}

void TstMailbox::watcherThatHangsIsSentAwayOnce()
{
    EventHub hub(-1ms);
    int sentAway = 0;
    EventHub::Watcher hangs(hub, [&] { ++sentAway; });
    EventHub::Watcher listens(hub, [] { QFAIL("one who listens is sent away"); });
    hangs.beginTelling();
    for (int i = 0; i < 100; ++i) {
        hub.publish(EngineStatus{.globalStep = i});
        QCOMPARE(std::get<EngineStatus>(listens.mailbox().take(0ms).back()).globalStep, i);
    }
    QCOMPARE(sentAway, 1);
    QCOMPARE(hub.longestMailbox(), std::size_t{1});
}

CANNERY_TEST(TstMailbox)
#include "tst_mailbox.moc"
