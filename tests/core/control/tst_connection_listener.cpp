// SPDX-License-Identifier: Apache-2.0
#include "core/control/connection_listener.h"
#include "core/control/control_server.h"
#include "core/control/socket_path.h"
#include "tests/core/control/events.h"
#include "tests/support/patience.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
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

class DeafEngine : public ControlledEngine
{
public:
    void pause() override { ++pauses; }
    void resume() override {}
    void stopAndKeep() override {}
    void stopWithoutSaving() override {}
    void checkpointNow() override {}

    std::atomic<int> pauses = 0;
};

sockaddr_un addressOf(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

int bound(const std::string& path)
{
    const sockaddr_un address = addressOf(path);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        qFatal("cannot bind %s", path.c_str());
    }
    return descriptor;
}

/// A client that connects and sends nothing.
class SilentCaller
{
public:
    explicit SilentCaller(const std::string& path)
        : m_descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        const sockaddr_un address = addressOf(path);
        if (connect(m_descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
            0) {
            qFatal("cannot connect: %s", std::strerror(errno));
        }
        fcntl(m_descriptor, F_SETFL, O_NONBLOCK);
    }
    SilentCaller(SilentCaller&& other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, -1))
    {}
    SilentCaller& operator=(SilentCaller&&) = delete;
    ~SilentCaller()
    {
        if (m_descriptor >= 0) {
            close(m_descriptor);
        }
    }

    /// Meanwhile reads what the other end sends.
    bool wasSentAway() const
    {
        char bytes[4096];
        ssize_t size = 0;
        while ((size = recv(m_descriptor, bytes, sizeof(bytes), 0)) > 0) {
        }
        return size == 0 || (errno != EAGAIN && errno != EINTR);
    }

private:
    int m_descriptor;
};

} // namespace

/// Which clients are accepted by an engine's socket, and which are disconnected.
class TstConnectionListener : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void crowdIsBoundedAndNobodyIsLockedOut();
    void silentCallersLeave();
    void clientThatWasSentAwayComesBack();
    void deadSocketsAreSwept();
    void otherUsersStayOutside();
    void withoutRoomItSaysWhy_data();
    void withoutRoomItSaysWhy();

private:
    ControlServer::Options options() const { return {.runFolder = m_run, .mostCallers = 8}; }

    QTemporaryDir m_folder;
    std::string m_run;
    DeafEngine m_engine;
};

void TstConnectionListener::init()
{
    qputenv("XDG_RUNTIME_DIR", m_folder.path().toUtf8());
    m_engine.pauses = 0;
    m_run = m_folder.filePath("run").toStdString();
    QDir().mkpath(QString::fromStdString(m_run));
}

void TstConnectionListener::crowdIsBoundedAndNobodyIsLockedOut()
{
    ControlServer server(options(), m_engine);
    VERIFY_OK(server.waitUntilOpen());
    std::atomic<std::int64_t> heard = -1;
    std::atomic<bool> isOver = false;
    auto watcher = ControlClient::connect(m_run);
    VERIFY_OK(watcher);
    std::jthread watching([&] {
        (void)watcher->watch([&](const EngineEvent& event) {
            if (const auto* status = std::get_if<EngineStatus>(&event)) {
                heard = status->global_step();
            }
        });
        isOver = true;
    });
    QTRY_COMPARE_WITH_TIMEOUT(server.watcherCount(), std::size_t{1}, kPatience);
    std::vector<SilentCaller> crowd;
    for (int i = 0; i < 500; ++i) {
        crowd.emplace_back(server.socketPath());
    }
    const auto inside = [&] {
        return std::count_if(crowd.begin(), crowd.end(),
                             [](const SilentCaller& caller) { return !caller.wasSentAway(); });
    };
    QTRY_VERIFY_WITH_TIMEOUT(inside() <= 7, kPatience);
    auto client = ControlClient::connect(m_run);
    VERIFY_OK(client);
    VERIFY_OK(client->pause());
    QCOMPARE(m_engine.pauses.load(), 1);
    server.publish(statusAt(7));
    QTRY_COMPARE_WITH_TIMEOUT(heard.load(), 7, kPatience);
    QVERIFY(!isOver);
    watcher->cancelWatch();
}

void TstConnectionListener::silentCallersLeave()
{
    ControlServer::Options hasty = options();
    hasty.longestIdle = 50ms;
    ControlServer server(hasty, m_engine);
    VERIFY_OK(server.waitUntilOpen());
    const SilentCaller silent(server.socketPath());
    QTRY_VERIFY_WITH_TIMEOUT(silent.wasSentAway(), kPatience);
}

void TstConnectionListener::clientThatWasSentAwayComesBack()
{
    ControlServer::Options hasty = options();
    hasty.longestIdle = 20ms;
    ControlServer server(hasty, m_engine);
    VERIFY_OK(server.waitUntilOpen());
    auto client = ControlClient::connect(m_run);
    VERIFY_OK(client);
    // A client that came later is already disconnected.
    const SilentCaller silent(server.socketPath());
    QTRY_VERIFY_WITH_TIMEOUT(silent.wasSentAway(), kPatience);
    VERIFY_OK(client->pause());
    QCOMPARE(m_engine.pauses.load(), 1);
}

void TstConnectionListener::deadSocketsAreSwept()
{
    const auto path = socketPathToListen(m_run);
    VERIFY_OK(path);
    const std::string folder = path->substr(0, path->rfind('/'));
    const std::string dead = folder + "/00000000deadbeef.sock";
    const std::string live = folder + "/00000000cafecafe.sock";
    const std::string begun = folder + "/00000000deadbeef." + std::to_string(getpid());
    // Of a process that has certainly ended: a child that was waited for.
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    const std::string left = folder + "/00000000deadbeef." + std::to_string(child);
    close(bound(dead));
    close(bound(begun));
    close(bound(left));
    const int listening = bound(live);
    QCOMPARE(listen(listening, 8), 0);
    QFile file(QString::fromStdString(folder + "/notes.sock"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    {
        ControlServer server(options(), m_engine);
        VERIFY_OK(server.waitUntilOpen());
        QVERIFY(!QFile::exists(QString::fromStdString(dead)));
        QVERIFY(!QFile::exists(QString::fromStdString(left)));
        QVERIFY(QFile::exists(QString::fromStdString(live)));
        QVERIFY(QFile::exists(QString::fromStdString(begun)));
        QVERIFY(file.exists());
        QVERIFY(QFile::exists(QString::fromStdString(server.socketPath())));
    }
    close(listening);
    unlink(live.c_str());
    unlink(begun.c_str());
}

/// The socket's folder already keeps them out; this tests the case that it does not.
void TstConnectionListener::otherUsersStayOutside()
{
    if (getuid() != 0) {
        QSKIP("only root can act as another user");
    }
    QTemporaryDir folder;
    chmod(qPrintable(folder.path()), 0777);
    const std::string path = folder.filePath("0.sock").toStdString();
    ConnectionListener keeper;
    VERIFY_OK(keeper.listen(path, measureSocketBudget(8)));
    chmod(path.c_str(), 0777);
    std::atomic<int> inside = 0;
    std::jthread receiving([&] {
        keeper.receive([&](int descriptor) {
            ++inside;
            close(descriptor);
        });
    });
    const pid_t child = fork();
    if (child == 0) {
        const sockaddr_un address = addressOf(path);
        const int caller = socket(AF_UNIX, SOCK_STREAM, 0);
        char byte = 0;
        const bool isOutside =
            setuid(65534) == 0 &&
            ::connect(caller, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
            recv(caller, &byte, 1, 0) <= 0;
        _exit(isOutside ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 0);
    QCOMPARE(inside.load(), 0);
    const SilentCaller own(path);
    QTRY_COMPARE_WITH_TIMEOUT(inside.load(), 1, kPatience);
    keeper.close();
}

void TstConnectionListener::withoutRoomItSaysWhy_data()
{
    QTest::addColumn<int>("resource");
    QTest::addColumn<qint64>("limit");
    QTest::addColumn<QString>("objection");
    QTest::newRow("no limit") << int(RLIMIT_CORE) << qint64(0) << QString();
    QTest::newRow("files") << int(RLIMIT_NOFILE) << qint64(40)
                           << "too few files may be open at once (`ulimit -n`)";
    QTest::newRow("address space")
        << int(RLIMIT_AS) << qint64(64 << 20) << "too little memory may be used (`ulimit -v`)";
    QTest::newRow("private memory")
        << int(RLIMIT_DATA) << qint64(64 << 20) << "too little memory may be used (`ulimit -v`)";
}

void TstConnectionListener::withoutRoomItSaysWhy()
{
    QFETCH(int, resource);
    QFETCH(qint64, limit);
    QFETCH(QString, objection);
    int ends[2];
    QCOMPARE(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const rlimit small{static_cast<rlim_t>(limit), static_cast<rlim_t>(limit)};
        setrlimit(static_cast<__rlimit_resource>(resource), &small);
        const SocketBudget budget = measureSocketBudget(8);
        const std::string said = budget.objection + (budget.callers == 8 ? "8" : "");
        _exit(write(ends[1], said.data(), said.size()) < 0 ? 1 : 0);
    }
    close(ends[1]);
    QByteArray said(200, '\0');
    said.truncate(int(std::max<ssize_t>(0, read(ends[0], said.data(), std::size_t(said.size())))));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    QCOMPARE(QString::fromUtf8(said), objection.isEmpty() ? QString("8") : objection);
}

CANNERY_TEST(TstConnectionListener)
#include "tst_connection_listener.moc"
