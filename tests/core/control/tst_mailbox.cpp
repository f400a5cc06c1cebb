// SPDX-License-Identifier: Apache-2.0
#include "core/control/event_hub.h"
#include "core/control/mailbox.h"
#include "tests/core/control/events.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

using namespace cannery::control;
using cannery::reports::EngineStatus;
using cannery::reports::LogLine;
using cannery::tests::logLine;
using cannery::tests::statusAt;
using namespace std::chrono_literals;

/// A watcher's pending events are bounded, and replaced events are not delivered.
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
    void publishersAndWatchersOnManyThreads();
};

void TstMailbox::newerStatusAndSizeReplaceOlder()
{
    Mailbox mailbox;
    for (int i = 1; i <= 10000; ++i) {
        mailbox.put(statusAt(i));
        mailbox.put(FileGrew{.path = i % 2 == 0 ? "a" : "b", .bytes = std::uint64_t(i)});
        mailbox.put(StoreChanged{});
        QVERIFY(mailbox.size() <= 4);
    }
    const std::vector<EngineEvent> events = mailbox.take(0ms);
    QCOMPARE(events.size(), std::size_t{4});
    QCOMPARE(std::get<FileGrew>(events[0]).bytes, 10000U);
    QCOMPARE(std::get<FileGrew>(events[1]).bytes, 9999U);
    QCOMPARE(std::get<EngineStatus>(events[3]).global_step(), 10000);
    QVERIFY(mailbox.take(0ms).empty());
}

void TstMailbox::newestLogLinesStay()
{
    Mailbox mailbox;
    for (int i = 0; i < 1000; ++i) {
        mailbox.put(logLine(std::to_string(i)));
    }
    const std::vector<EngineEvent> events = mailbox.take(0ms);
    QCOMPARE(events.size(), Mailbox::kMostLogLines);
    QCOMPARE(std::get<LogLine>(events.front()).sentence(), std::string("744"));
    QCOMPARE(std::get<LogLine>(events.back()).sentence(), std::string("999"));
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
    mailbox.put(statusAt(0, "Finished"));
    mailbox.close();
    mailbox.put(statusAt(0, "late"));
    const std::vector<EngineEvent> events = mailbox.take(60s);
    QCOMPARE(std::get<EngineStatus>(events.at(0)).state(), std::string("Finished"));
    QVERIFY(mailbox.take(60s).empty());
}

void TstMailbox::newWatcherLearnsWhatIsKnown()
{
    EventHub hub(10s);
    hub.publish(FileGrew{.path = "a", .bytes = 7});
    hub.publish(statusAt(3));
    hub.publish(logLine("before"));
    EventHub::Watcher watcher(hub, [] {});
    QCOMPARE(hub.watcherCount(), std::size_t{1});
    const std::vector<EngineEvent> events = watcher.mailbox().take(0ms);
    QCOMPARE(events.size(), std::size_t{2});
    QCOMPARE(std::get<FileGrew>(events[0]).bytes, 7U);
    QCOMPARE(std::get<EngineStatus>(events[1]).global_step(), 3);
}

void TstMailbox::watcherThatHangsIsSentAwayOnce()
{
    EventHub hub(-1ms);
    int sentAway = 0;
    EventHub::Watcher hangs(hub, [&] { ++sentAway; });
    EventHub::Watcher listens(hub, [] { QFAIL("one who listens is sent away"); });
    hangs.beginSending();
    for (int i = 0; i < 100; ++i) {
        hub.publish(statusAt(i));
        QCOMPARE(std::get<EngineStatus>(listens.mailbox().take(0ms).back()).global_step(), i);
    }
    QCOMPARE(sentAway, 1);
    QCOMPARE(hub.longestMailbox(), std::size_t{1});
}

/// Watchers connect, receive events and the end while others publish: each gets the newest status,
/// sizes that only grow, and then the end.
void TstMailbox::publishersAndWatchersOnManyThreads()
{
    constexpr int kPublishers = 3;
    constexpr int kWatchers = 4;
    constexpr std::uint64_t kEvents = 500;
    EventHub hub(1h);
    std::atomic<int> sawTheLast = 0;
    std::atomic<int> sawShrinking = 0;
    std::vector<std::jthread> watchers;
    for (int i = 0; i < kWatchers; ++i) {
        watchers.emplace_back([&] {
            EventHub::Watcher watcher(hub, [] {});
            std::map<std::string, std::uint64_t> sizes;
            std::vector<EngineEvent> events;
            do {
                events = watcher.mailbox().take(1h);
                watcher.beginSending();
                for (const EngineEvent& event : events) {
                    if (const auto* grown = std::get_if<FileGrew>(&event)) {
                        sawShrinking += grown->bytes < sizes[grown->path] ? 1 : 0;
                        sizes[grown->path] = grown->bytes;
                    }
                }
                watcher.endSending();
            } while (!events.empty());
            const bool all = sizes.size() == kPublishers &&
                             std::all_of(sizes.begin(), sizes.end(),
                                         [](const auto& file) { return file.second == kEvents; });
            sawTheLast += all ? 1 : 0;
        });
    }
    {
        std::vector<std::jthread> publishers;
        for (int i = 0; i < kPublishers; ++i) {
            publishers.emplace_back([&hub, i] {
                for (std::uint64_t bytes = 1; bytes <= kEvents; ++bytes) {
                    hub.publish(FileGrew{.path = std::to_string(i), .bytes = bytes});
                    hub.publish(statusAt(std::int64_t(bytes)));
                    hub.publish(logLine("a line"));
                }
            });
        }
    }
    hub.close();
    watchers.clear();
    QCOMPARE(sawShrinking.load(), 0);
    QCOMPARE(sawTheLast.load(), kWatchers);
    QCOMPARE(hub.status().global_step(), std::int64_t(kEvents));
    QCOMPARE(hub.watcherCount(), std::size_t{0});
}

CANNERY_TEST(TstMailbox)
#include "tst_mailbox.moc"
