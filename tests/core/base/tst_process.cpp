// SPDX-License-Identifier: Apache-2.0
#include "core/base/process.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

using namespace cannery;
using namespace std::chrono_literals;

namespace {

constexpr ProcessStream kPipe{.kind = ProcessStream::Kind::Pipe};
constexpr ProcessStream kNull{.kind = ProcessStream::Kind::Null};

ProcessOptions shell(const std::string& script)
{
    return {.program = "sh", .words = {"sh", "-c", script}, .input = kNull, .output = kPipe};
}

std::string readToEnd(int descriptor)
{
    std::string all;
    while (readSome(descriptor, 10s, [&](std::string_view bytes) { all.append(bytes); }) ==
           ReadResult::Bytes) {
    }
    return all;
}

/// What a program writes; its end must be good.
std::string outputOf(const ProcessOptions& options)
{
    auto process = Process::start(options);
    if (!process) {
        return "not started: " + process.error().message();
    }
    const std::string output = readToEnd(process->output());
    const ExitStatus end = process->wait();
    return end.exitedWith(ExitCode::Done) ? output : output + end.text();
}

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

std::ptrdiff_t openDescriptors()
{
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
}

/// Runs in a fork of this program, which `act` may ruin; returns its exit code.
int inFork(const std::function<int()>& act)
{
    const pid_t child = fork();
    if (child == 0) {
        _exit(act());
    }
    return Process(child).wait().code;
}

/// A file for a program to name itself in.
class Note
{
public:
    std::string path() const { return m_folder.filePath("note").toStdString(); }
    pid_t number() const
    {
        pid_t number = 0;
        std::ifstream(path()) >> number;
        return number;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace

class TstProcess : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void endsAsItSays_data();
    void endsAsItSays();
    void whatCannotStartIsReported_data();
    void whatCannotStartIsReported();
    void manyBytesPassBothWays();
    void aClosedInputIsSeenWhileOthersRun();
    void streamsLeadWhereTheyShould();
    void streamsWorkWithoutStandardOnes();
    void startsInItsFolderWithItsVariables();
    void isFoundByPath();
    void aStubbornProgramIsKilled();
    void aGroupIsKilledAsAWhole();
    void isKilledByItsOwner();
    void isLeftAloneByAForkOfItsOwner();
    void diesWithItsParent();
    void aDetachedOneOutlivesItsParent();
    void inheritsNoDescriptors();
    void leavesNoDescriptors();
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

/// More than the pipes hold.
void TstProcess::manyBytesPassBothWays()
{
    std::string sent;
    while (sent.size() < (std::size_t{3} << 20U)) {
        sent += std::to_string(sent.size()) + "\n";
    }
    auto cat =
        Process::start({.program = "cat", .words = {"cat"}, .input = kPipe, .output = kPipe});
    QVERIFY(cat);
    std::thread writing([&] {
        for (std::size_t begin = 0; begin < sent.size();) {
            const ssize_t size = write(cat->input(), sent.data() + begin, sent.size() - begin);
            begin += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
        }
        cat->closeInput();
    });
    const std::string received = readToEnd(cat->output());
    writing.join();
    QCOMPARE(received.size(), sent.size());
    QVERIFY(received == sent);
    QCOMPARE(cat->wait().code, 0);
}

/// A program started later must not hold our end of a pipe.
void TstProcess::aClosedInputIsSeenWhileOthersRun()
{
    const ProcessOptions options{.program = "cat", .words = {"cat"}, .input = kPipe};
    auto first = Process::start(options);
    auto second = Process::start(options);
    QVERIFY(first && second);
    first->closeInput();
    QTRY_VERIFY_WITH_TIMEOUT(first->end(), tests::kPatience);
    QCOMPARE(first->end()->code, 0);
    QVERIFY(!second->end());
}

void TstProcess::streamsLeadWhereTheyShould()
{
    ProcessOptions options = shell("cat; echo out; echo problem >&2; echo more");
    options.diagnostics.kind = ProcessStream::Kind::SameAsOutput;
    QCOMPARE(outputOf(options), std::string("out\nproblem\nmore\n"));

    options.diagnostics = kPipe;
    auto process = Process::start(options);
    QVERIFY(process);
    QCOMPARE(readToEnd(process->output()), std::string("out\nmore\n"));
    QCOMPARE(readToEnd(process->diagnostics()), std::string("problem\n"));
    QCOMPARE(process->input(), -1);

    const Note note;
    const Descriptor file(
        open(note.path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    options.output = {.kind = ProcessStream::Kind::Descriptor, .descriptor = file.number()};
    options.diagnostics = kNull;
    for (int run = 0; run < 2; ++run) { // the caller keeps the descriptor
        auto writing = Process::start(options);
        QVERIFY(writing);
        QCOMPARE(writing->wait().code, 0);
    }
    std::ostringstream text;
    text << std::ifstream(note.path()).rdbuf();
    QCOMPARE(text.str(), std::string("out\nmore\nout\nmore\n"));
}

/// Pipes would get the numbers of streams.
void TstProcess::streamsWorkWithoutStandardOnes()
{
    QCOMPARE(inFork([] {
                 close(STDIN_FILENO);
                 close(STDOUT_FILENO);
                 close(STDERR_FILENO);
                 auto process = Process::start({.program = "sh",
                                                .words = {"sh", "-c", "cat; echo problem >&2"},
                                                .input = kPipe,
                                                .output = kPipe,
                                                .diagnostics = kPipe});
                 if (!process || write(process->input(), "text", 4) != 4) {
                     return 1;
                 }
                 process->closeInput();
                 const bool isRight = readToEnd(process->output()) == "text" &&
                                      readToEnd(process->diagnostics()) == "problem\n";
                 return isRight ? process->wait().code : 2;
             }),
             0);
    // A file that is at the place of another stream.
    const Note note;
    QCOMPARE(inFork([&] {
                 close(STDOUT_FILENO);
                 const int file = open(note.path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
                 ProcessOptions options = shell("echo 7; echo x >&2");
                 options.output = {.kind = ProcessStream::Kind::Descriptor, .descriptor = file};
                 options.diagnostics = kNull;
                 auto process = Process::start(options);
                 return process && file == STDOUT_FILENO ? process->wait().code : 1;
             }),
             0);
    QCOMPARE(note.number(), 7);
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
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(inner), tests::kPatience);
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
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(dependent), tests::kPatience);
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
    QTRY_VERIFY_WITH_TIMEOUT(note.number() > 0, tests::kPatience);
    QVERIFY(isAlive(note.number()));
    QCOMPARE(getsid(note.number()), note.number());
    kill(note.number(), SIGKILL);
}

void TstProcess::inheritsNoDescriptors()
{
    const Descriptor open1(fcntl(STDERR_FILENO, F_DUPFD, 40));
    const Descriptor closed(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 50));
    const Descriptor passed(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 60));
    // As a shell sees it, whose own files have small numbers.
    ProcessOptions options = shell("for n in 40 50 60; do [ -e /proc/$$/fd/$n ] && echo $n; done; "
                                   "true");
    options.passed = passed.number();
    QCOMPARE(outputOf(options), std::string("40\n60\n"));
    options.closesOthers = true;
    QCOMPARE(outputOf(options), std::string("60\n"));
    // Nor does it get any that were needed to start it.
    options.passed = -1;
    options.words = {"sh", "-c", "echo /proc/$$/fd/[0-9]*"};
    const QByteArray all = QByteArray::fromStdString(outputOf(options)).trimmed();
    for (const QByteArray& path : all.split(' ')) {
        const int number = path.mid(path.lastIndexOf('/') + 1).toInt();
        QVERIFY2(number <= STDERR_FILENO + 1, all.constData()); // + 1: the folder
    }
}

void TstProcess::leavesNoDescriptors()
{
    const std::ptrdiff_t before = openDescriptors();
    {
        ProcessOptions options = shell("true");
        options.input = options.diagnostics = kPipe;
        const auto process = Process::start(options);
        QVERIFY(process);
        QCOMPARE(openDescriptors(), before + 3);
        options.program = "/nowhere";
        QVERIFY(!Process::start(options));
        QCOMPARE(openDescriptors(), before + 3);
    }
    QCOMPARE(openDescriptors(), before);
}

void TstProcess::signalsBeginAsTheyShould()
{
    const QByteArray text = QByteArray::number(0);
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
