// SPDX-License-Identifier: Apache-2.0
#include "tests/core/base/process_programs.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace cannery;
using namespace cannery::tests;
using namespace std::chrono_literals;

namespace {

std::string lineOf(int descriptor)
{
    std::string line;
    while (!line.ends_with('\n') && readSome(descriptor, 60s, [&](std::string_view bytes) {
                                        line.append(bytes);
                                    }) == ReadResult::Bytes) {
    }
    return line;
}

/// False for a zombie, too.
bool isAlive(pid_t process)
{
    QFile file(QString("/proc/%1/stat").arg(process));
    const QByteArray status = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    const qsizetype nameEnd = status.lastIndexOf(')');
    return nameEnd > 0 && status.mid(nameEnd + 2, 1) != "Z";
}

bool hasChildren()
{
    return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

} // namespace

class TstProcess : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void endsAsItSays_data();
    void endsAsItSays();
    void whatCannotStartIsReported_data();
    void whatCannotStartIsReported();
    void startsInItsFolderWithItsVariables();
    void isFoundByPath();
    void aStubbornProgramIsKilled();
    void aGroupIsKilledAsAWhole();
    void isKilledByItsOwner();
    void isLeftAloneByAForkOfItsOwner();
    void diesWithItsParent();
    void aDetachedOneOutlivesItsParent();
    void signalsBeginAsTheyShould();
    void anEndNobodyCanKnow();
    void startsFromManyThreads();
};

void TstProcess::endsAsItSays_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("signal");
    QTest::addColumn<QString>("text");
    QTest::newRow("success") << "exit 0" << 0 << 0 << "ended with exit code 0";
    QTest::newRow("failure") << "exit 7" << 7 << 0 << "ended with exit code 7";
    QTest::newRow("a code like a signal's") << "exit 143" << 143 << 0 << "ended with exit code 143";
    QTest::newRow("killed") << "kill -9 $$" << 137 << 9 << "was killed by signal 9";
    QTest::newRow("asked to end") << "kill $$" << 143 << 15 << "was killed by signal 15";
}

void TstProcess::endsAsItSays()
{
    QFETCH(const QString, script);
    QFETCH(const int, code);
    QFETCH(const int, signal);
    auto process = Process::start(shell(script.toStdString()));
    QVERIFY(process);
    const ExitStatus end = process->wait();
    QCOMPARE(end.code, code);
    QCOMPARE(end.signal, signal);
    QTEST(QString::fromStdString(end.text()), "text");
    QCOMPARE(end.exitedWith(ExitCode::Terminated), code == 143 && signal == 0);
    QCOMPARE(process->end()->code, code);
}

void TstProcess::whatCannotStartIsReported_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("reason");
    QTest::newRow("missing") << "/nowhere/program"
                             << "" << ENOENT;
    QTest::newRow("not in PATH") << "no-such-program-anywhere"
                                 << "" << ENOENT;
    QTest::newRow("not executable") << "/etc/passwd"
                                    << "" << EACCES;
    QTest::newRow("a folder") << "/etc"
                              << "" << EACCES;
    QTest::newRow("no folder") << "/bin/true"
                               << "/nowhere" << ENOENT;
    QTest::newRow("no program") << "text"
                                << "." << ENOEXEC;
}

void TstProcess::whatCannotStartIsReported()
{
    QFETCH(const QString, program);
    QFETCH(QString, folder);
    QFETCH(const int, reason);
    const QTemporaryDir scratch;
    ProcessOptions options{.program = program.toStdString(), .words = {"program"}};
    if (program == "text") { // with which execvpe() would start a shell
        options.program = scratch.filePath("text").toStdString();
        std::ofstream(options.program) << "true\n";
        std::filesystem::permissions(options.program, std::filesystem::perms::owner_all);
    }
    options.folder = folder.toStdString();
    const auto started = Process::start(options);
    QVERIFY(!started);
    QCOMPARE(started.error(), std::error_code(reason, std::generic_category()));
    const auto detached = Process::startDetached(options);
    QVERIFY(!detached);
    QCOMPARE(detached.error(), started.error());
    QVERIFY(!hasChildren());
}

void TstProcess::startsInItsFolderWithItsVariables()
{
    const QTemporaryDir folder;
    const std::string program = folder.filePath("tell.sh").toStdString();
    std::ofstream(program) << "#!/bin/sh\npwd -P\necho \"$0 $1 $CANNERY_ONE $CANNERY_TWO $HOME\"\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    qputenv("CANNERY_ONE", "ours");
    qputenv("CANNERY_TWO", "kept");
    const std::string output = outputOf({.program = "./tell.sh",
                                         .words = {"tell", "a  word"},
                                         .variables = {"CANNERY_ONE=its own", "HOME=/its/home"},
                                         .folder = folder.path().toStdString(),
                                         .output = kPipe});
    QCOMPARE(output, std::filesystem::canonical(folder.path().toStdString()).string() +
                         "\n./tell.sh a  word its own kept /its/home\n");
    QCOMPARE(qgetenv("CANNERY_ONE"), QByteArray("ours"));
}

/// The first one that may be executed, as a shell would.
void TstProcess::isFoundByPath()
{
    const QTemporaryDir folder;
    std::string path;
    for (const char* name : {"closed", "open", "late"}) {
        const std::string place = folder.filePath(name).toStdString();
        std::filesystem::create_directory(place);
        std::ofstream(place + "/prog") << "#!/bin/sh\necho " << name << "\n";
        if (std::string_view(name) != "closed") {
            std::filesystem::permissions(place + "/prog", std::filesystem::perms::owner_all);
        }
        path += place + ":";
    }
    const QByteArray before = qgetenv("PATH");
    qputenv("PATH", QByteArray::fromStdString("/nowhere:" + path) + before);
    const std::string output = outputOf({.program = "prog", .words = {"prog"}, .output = kPipe});
    qputenv("PATH", before);
    QCOMPARE(output, std::string("open\n"));
}

void TstProcess::aStubbornProgramIsKilled()
{
    auto process = Process::start({.program = "sh",
                                   .words = {"sh", "-c",
                                             "trap '' TERM; echo begun; read line; echo lives; "
                                             "read line"},
                                   .input = kPipe,
                                   .output = kPipe});
    QVERIFY(process);
    QCOMPARE(lineOf(process->output()), std::string("begun\n"));
    process->signal(SIGTERM);
    QCOMPARE(write(process->input(), "\n", 1), ssize_t{1});
    QCOMPARE(lineOf(process->output()), std::string("lives\n"));
    QVERIFY(!process->end());
    process->signal(SIGKILL);
    QCOMPARE(process->wait().signal, SIGKILL);
    process->signal(SIGTERM); // nobody
}

void TstProcess::aGroupIsKilledAsAWhole()
{
    ProcessOptions options = shell("sleep 600 & echo $!; wait");
    options.hasOwnGroup = true;
    auto process = Process::start(options);
    QVERIFY(process);
    QCOMPARE(getpgid(process->id()), process->id());
    const pid_t inner = std::stoi(lineOf(process->output()));
    QVERIFY(isAlive(inner));
    process->signalGroup(SIGTERM);
    QCOMPARE(process->wait().signal, SIGTERM);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(inner), kPatience);
    // Without a group of its own it is in ours, which Ctrl-C reaches.
    auto ours = Process::start({.program = "sleep", .words = {"sleep", "600"}});
    QVERIFY(ours);
    QCOMPARE(getpgid(ours->id()), getpgid(0));
}

void TstProcess::isKilledByItsOwner()
{
    const ProcessOptions options{.program = "sleep", .words = {"sleep", "600"}};
    std::optional<Process> process = std::move(*Process::start(options));
    const pid_t first = process->id();
    const Process moved = std::move(*process);
    process.reset();
    QVERIFY(isAlive(first));
    process = std::move(*Process::start(options));
    const pid_t second = process->id();
    process.reset();
    QVERIFY(!isAlive(second));
    QCOMPARE(moved.id(), first);
}

/// As when an engine, which is a fork of its supervisor, ends.
void TstProcess::isLeftAloneByAForkOfItsOwner()
{
    auto process = Process::start({.program = "sleep", .words = {"sleep", "600"}});
    QVERIFY(process);
    QCOMPARE(inFork([&] {
                 const Process copy = std::move(*process);
                 return 0;
             }),
             0);
    QVERIFY(!process->end());
}

void TstProcess::diesWithItsParent()
{
    const auto sleeperOf = [](bool diesWithParent) {
        const Note note;
        const int code = inFork([&] {
            ProcessOptions options = shell("echo $$ > " + note.path() + "; echo; exec sleep 600");
            options.diesWithParent = diesWithParent;
            auto process = Process::start(options);
            return process && lineOf(process->output()) == "\n" ? kill(getpid(), SIGKILL) : 1;
        });
        return code == 128 + SIGKILL ? note.number() : 0;
    };
    const pid_t dependent = sleeperOf(true);
    QVERIFY(dependent > 0);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(dependent), kPatience);
    const pid_t independent = sleeperOf(false);
    QVERIFY(independent > 0);
    QVERIFY(isAlive(independent));
    kill(independent, SIGKILL);
}

void TstProcess::aDetachedOneOutlivesItsParent()
{
    const Note note;
    ProcessOptions options = shell("echo $$ > " + note.path() + "; exec sleep 600");
    options.output = kNull;
    QCOMPARE(inFork([&] {
                 const bool isStarted = Process::startDetached(options).has_value();
                 return isStarted && !hasChildren() ? 0 : 1;
             }),
             0);
    QTRY_VERIFY_WITH_TIMEOUT(note.number() > 0, kPatience);
    QVERIFY(isAlive(note.number()));
    QCOMPARE(getsid(note.number()), note.number());
    kill(note.number(), SIGKILL);
}

void TstProcess::signalsBeginAsTheyShould()
{
    const auto masks = [](bool hasDefaultSignals) {
        ProcessOptions options{.program = "cat",
                               .words = {"cat", "/proc/self/status"},
                               .output = kPipe,
                               .hasDefaultSignals = hasDefaultSignals};
        const QByteArray status = QByteArray::fromStdString(outputOf(options));
        const auto maskOf = [&](const char* name) {
            return status.mid(status.indexOf(name) + 8)
                .simplified()
                .left(16)
                .toULongLong(nullptr, 16);
        };
        return std::pair(maskOf("SigBlk:"), maskOf("SigIgn:"));
    };
    const auto bit = [](int number) { return 1ULL << static_cast<unsigned>(number - 1); };
    sigset_t blocked;
    sigset_t before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const auto handler = std::signal(SIGHUP, SIG_IGN);
    const auto inherited = masks(false);
    const auto fresh = masks(true);
    std::signal(SIGHUP, handler);
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, &before, &after);
    QVERIFY((inherited.first & bit(SIGUSR1)) != 0);
    QVERIFY((inherited.second & bit(SIGHUP)) != 0);
    QCOMPARE(fresh.first, 0ULL);
    QCOMPARE(fresh.second & bit(SIGHUP), 0ULL);
    QVERIFY(sigismember(&after, SIGUSR1) == 1 && sigismember(&after, SIGTERM) == 0);
}

/// With SIGCHLD ignored the system keeps no ends.
void TstProcess::anEndNobodyCanKnow()
{
    const auto handler = std::signal(SIGCHLD, SIG_IGN);
    auto process = Process::start(shell("true"));
    const ExitStatus end = process ? process->wait() : ExitStatus();
    std::signal(SIGCHLD, handler);
    QCOMPARE(end.code, 255);
}

void TstProcess::startsFromManyThreads()
{
    constexpr int kStarts = 50;
    std::array<int, 4> right{};
    std::vector<std::thread> threads;
    for (int& count : right) {
        threads.emplace_back([&count] {
            for (int start = 0; start < kStarts; ++start) {
                const std::string word = std::to_string(start);
                count += outputOf(shell("echo " + word)) == word + "\n" ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const int count : right) {
        QCOMPARE(count, kStarts);
    }
    QVERIFY(!hasChildren());
}

CANNERY_TEST(TstProcess)
#include "tst_process.moc"
