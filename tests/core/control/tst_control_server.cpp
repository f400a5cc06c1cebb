// SPDX-License-Identifier: Apache-2.0
#include "core/control/control_server.h"
#include "core/control/mailbox.h"
#include "core/control/socket_path.h"
#include "tests/core/control/events.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>

#include <atomic>
#include <cstring>
#include <mutex>
#include <semaphore>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace cannery;
using namespace cannery::control;
using cannery::reports::EngineStatus;
using cannery::reports::LogLine;
using cannery::tests::logLine;
using cannery::tests::statusAt;
using namespace std::chrono_literals;
using cannery::tests::kPatience;

namespace {

class FakeEngine : public ControlledEngine
{
public:
    void pause() override { note("pause"); }
    void resume() override { note("resume"); }
    void stopAndKeep() override { note("stopAndKeep"); }
    void stopWithoutSaving() override { note("stopWithoutSaving"); }
    void checkpointNow() override { note("checkpointNow"); }

    QStringList asked()
    {
        const std::lock_guard lock(m_mutex);
        return m_asked;
    }

private:
    void note(const char* what)
    {
        const std::lock_guard lock(m_mutex);
        m_asked.append(what);
    }

    std::mutex m_mutex;
    QStringList m_asked;
};

/// A client that watches on a separate thread and records the events it receives.
class Watching
{
public:
    explicit Watching(const std::string& run)
        : m_thread([this, run] {
              Result<ControlClient> client = ControlClient::connect(run);
              if (client) {
                  end = client->watch([this](const EngineEvent& event) { hear(event); });
              } else {
                  end = tl::make_unexpected(client.error());
              }
              isOver = true;
          })
    {}

    std::atomic<bool> isOver = false;
    std::atomic<std::int64_t> step = -1;
    std::atomic<std::uint64_t> bytes = 0;
    std::atomic<int> logLines = 0;
    std::atomic<int> storeChanges = 0;
    Result<void> end; ///< once it has ended

private:
    void hear(const EngineEvent& event)
    {
        if (const auto* status = std::get_if<EngineStatus>(&event)) {
            step = status->global_step();
        } else if (const auto* grown = std::get_if<FileGrew>(&event)) {
            bytes = grown->bytes;
        } else if (std::holds_alternative<LogLine>(event)) {
            ++logLines;
        } else {
            ++storeChanges;
        }
    }

    std::jthread m_thread;
};

} // namespace

/// Both ends of an engine's control socket, in one process.
class TstControlServer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void statusAndCommandsGoThrough();
    void bytesThatAreNotUtf8GoThrough();
    void everyWatcherHearsEverything();
    void watcherLearnsOfTheEnd();
    void cancelledWatchReturns();
    void hungWatcherIsBoundedAndCutOff();
    void otherVersionIsRefused();
    void nobodyThereIsNotRunning();
    void socketOfADeadEngineIsReplaced();
    void successorKeepsItsSocket();
    void doorThatCannotOpenSaysWhy();

private:
    ControlServer::Options options() const
    {
        return {.runFolder = m_run, .longestGoodbye = std::chrono::milliseconds(kPatience)};
    }

    QTemporaryDir m_folder;
    std::string m_run;
    FakeEngine m_engine;
};

void TstControlServer::init()
{
    qputenv("XDG_RUNTIME_DIR", m_folder.path().toUtf8());
    m_run = m_folder.filePath("run").toStdString();
    QDir().mkpath(QString::fromStdString(m_run));
}

void TstControlServer::statusAndCommandsGoThrough()
{
    ControlServer server(options(), m_engine);
    VERIFY_OK(server.waitUntilOpen());
    QVERIFY(!server.failure());
    QCOMPARE(server.socketPath(), m_folder.path().toStdString() + "/cannery/" + socketName(m_run));
    EngineStatus told = statusAt(12);
    told.set_run_folder(m_run);
    told.set_reason("Evaluating.");
    told.set_max_steps(100);
    told.set_loss(0.5);
    told.set_started_at(1.7e9);
    cannery::reports::TaskStatus& chief = *told.add_workers();
    chief.set_task("chief:0");
    chief.set_step_seconds(0.05);
    chief.set_wait_seconds(0);
    told.add_workers()->set_restarts(2);
    server.publish(told);
    auto client = ControlClient::connect(m_run + "/");
    VERIFY_OK(client);
    const auto heard = client->status();
    VERIFY_OK(heard);
    QCOMPARE(heard->DebugString(), told.DebugString());
    VERIFY_OK(client->pause());
    VERIFY_OK(client->resume());
    VERIFY_OK(client->checkpointNow());
    VERIFY_OK(client->stopAndKeep());
    VERIFY_OK(client->stopWithoutSaving());
    QCOMPARE(m_engine.asked(),
             QStringList({"pause", "resume", "checkpointNow", "stopAndKeep", "stopWithoutSaving"}));
}

/// Folder names may contain any bytes, and so may sentences that quote them.
void TstControlServer::bytesThatAreNotUtf8GoThrough()
{
    m_run = m_folder.path().toStdString() + "/caf\xE9";
    ControlServer server(options(), m_engine);
    VERIFY_OK(server.waitUntilOpen());
    EngineStatus told = statusAt(7);
    told.set_run_folder(m_run);
    told.set_reason("reading \xFF");
    told.add_workers()->set_task("worker \xFF");
    server.publish(told);
    auto client = ControlClient::connect(m_run);
    VERIFY_OK(client);
    const auto heard = client->status();
    VERIFY_OK(heard);
    QCOMPARE(heard->run_folder(), m_run);
    QCOMPARE(heard->reason(), std::string("reading \xEF\xBF\xBD"));
    QCOMPARE(heard->workers(0).task(), std::string("worker \xEF\xBF\xBD"));
    QCOMPARE(heard->global_step(), 7);
}

void TstControlServer::everyWatcherHearsEverything()
{
    constexpr int kWatchers = 24;
    std::vector<std::unique_ptr<Watching>> watchers;
    {
        ControlServer::Options patient = options();
        patient.longestGoodbye = std::chrono::milliseconds(kPatience);
        ControlServer server(patient, m_engine);
        VERIFY_OK(server.waitUntilOpen());
        server.publish(FileGrew{.path = "events", .bytes = 10});
        for (int i = 0; i < kWatchers; ++i) {
            watchers.push_back(std::make_unique<Watching>(m_run));
        }
        QTRY_COMPARE_WITH_TIMEOUT(server.watcherCount(), std::size_t(kWatchers), kPatience);
        for (const auto& watching : watchers) {
            QTRY_COMPARE_WITH_TIMEOUT(watching->bytes.load(), 10U, kPatience);
        }
        for (int i = 1; i <= 1000; ++i) {
            server.publish(statusAt(i));
            server.publish(FileGrew{.path = "events", .bytes = std::uint64_t(10 + i)});
        }
        server.publish(logLine("a line"));
        server.publish(StoreChanged{});
    }
    for (const auto& watching : watchers) {
        QTRY_VERIFY_WITH_TIMEOUT(watching->isOver, kPatience);
        VERIFY_OK(watching->end);
        QCOMPARE(watching->step.load(), 1000);
        QCOMPARE(watching->bytes.load(), 1010U);
        QCOMPARE(watching->logLines.load(), 1);
        QCOMPARE(watching->storeChanges.load(), 1);
    }
}

void TstControlServer::watcherLearnsOfTheEnd()
{
    auto server = std::make_unique<ControlServer>(options(), m_engine);
    VERIFY_OK(server->waitUntilOpen());
    Watching watching(m_run);
    QTRY_COMPARE_WITH_TIMEOUT(server->watcherCount(), std::size_t{1}, kPatience);
    server->publish(statusAt(77, "Finished"));
    server.reset();
    QTRY_VERIFY_WITH_TIMEOUT(watching.isOver, kPatience);
    VERIFY_OK(watching.end);
    QCOMPARE(watching.step.load(), 77);
    VERIFY_ERROR(ControlClient::connect(m_run), "control.not_running");
}

void TstControlServer::cancelledWatchReturns()
{
    ControlServer server(options(), m_engine);
    VERIFY_OK(server.waitUntilOpen());
    auto client = ControlClient::connect(m_run);
    VERIFY_OK(client);
    std::jthread canceller;
    int events = 0;
    VERIFY_OK(client->watch([&](const EngineEvent&) {
        if (++events == 1) {
            canceller = std::jthread([&] { client->cancelWatch(); });
        }
    }));
    canceller.join();
    VERIFY_OK(client->status());
    client->cancelWatch();
    VERIFY_OK(client->watch([](const EngineEvent&) { QFAIL("cancelled before"); }));
    QTRY_COMPARE_WITH_TIMEOUT(server.watcherCount(), std::size_t{0}, kPatience);
}

void TstControlServer::hungWatcherIsBoundedAndCutOff()
{
    std::counting_semaphore<> release(0);
    Result<void> end;
    std::atomic<bool> isOver = false;
    std::jthread hung;
    std::optional<Watching> listens;
    // The server is destroyed before those that wait for its end.
    ControlServer server({.runFolder = m_run, .longestSilence = 3s}, m_engine);
    const auto atLast = qScopeGuard([&] { release.release(); });
    VERIFY_OK(server.waitUntilOpen());
    hung = std::jthread([&] {
        auto client = ControlClient::connect(m_run);
        end = client->watch([&](const EngineEvent&) {
            release.acquire();
            release.release();
        });
        isOver = true;
    });
    listens.emplace(m_run);
    QTRY_COMPARE_WITH_TIMEOUT(server.watcherCount(), std::size_t{2}, kPatience);
    const std::string longLine(2000, 'x');
    std::int64_t step = 0;
    const auto publishAndLook = [&] {
        for (int i = 0; i < 300; ++i) {
            server.publish(logLine(longLine));
            server.publish(statusAt(++step));
        }
        return server.longestMailbox() <= 1 + Mailbox::kMostLogLines && server.watcherCount() == 1;
    };
    QTRY_VERIFY_WITH_TIMEOUT(publishAndLook(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(listens->step.load(), step, kPatience);
    QVERIFY(!listens->isOver);
    release.release();
    QTRY_VERIFY_WITH_TIMEOUT(isOver, kPatience);
    VERIFY_ERROR(end, "control.lost");
}

void TstControlServer::otherVersionIsRefused()
{
    ControlServer server({.runFolder = m_run, .version = kProtocolVersion + 1}, m_engine);
    VERIFY_OK(server.waitUntilOpen());
    VERIFY_ERROR(ControlClient::connect(m_run), "control.version");
}

void TstControlServer::nobodyThereIsNotRunning()
{
    VERIFY_ERROR(ControlClient::connect(m_run), "control.not_running");
    VERIFY_ERROR(ControlClient::connect("/nowhere/at/all"), "control.not_running");
}

void TstControlServer::socketOfADeadEngineIsReplaced()
{
    const auto path = socketPathToListen(m_run);
    VERIFY_OK(path);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path->c_str(), path->size() + 1);
    const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
    QCOMPARE(bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    close(dead);
    VERIFY_ERROR(ControlClient::connect(m_run), "control.not_running");
    ControlServer server(options(), m_engine);
    VERIFY_OK(server.waitUntilOpen());
    VERIFY_OK(ControlClient::connect(m_run));
}

void TstControlServer::successorKeepsItsSocket()
{
    auto first = std::make_unique<ControlServer>(options(), m_engine);
    VERIFY_OK(first->waitUntilOpen());
    ControlServer second(options(), m_engine);
    VERIFY_OK(second.waitUntilOpen());
    first.reset();
    VERIFY_OK(ControlClient::connect(m_run));
    const QString sockets = m_folder.path() + "/cannery";
    QCOMPARE(QDir(sockets).entryList(QDir::System | QDir::Files).size(), 1);
}

void TstControlServer::doorThatCannotOpenSaysWhy()
{
    const auto path = socketPathToListen(m_run);
    VERIFY_OK(path);
    QVERIFY(QDir().mkpath(QString::fromStdString(*path)));
    {
        ControlServer server(options(), m_engine);
        VERIFY_ERROR(server.waitUntilOpen(), "control.cannot_listen");
        QVERIFY(server.failure().has_value());
        server.publish(EngineStatus{});
    }
    QVERIFY(QDir().rmdir(QString::fromStdString(*path)));
}

CANNERY_TEST(TstControlServer)
#include "tst_control_server.moc"
