// SPDX-License-Identifier: Apache-2.0
#include "tests/core/base/process_programs.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fcntl.h>

#include <filesystem>
#include <sstream>
#include <thread>

using namespace cannery;
using namespace cannery::tests;

namespace {

std::ptrdiff_t openDescriptors()
{
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
}

} // namespace

/// The streams of a process, and which descriptors it gets.
class TstProcessStreams : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void manyBytesPassBothWays();
    void aClosedInputIsSeenWhileOthersRun();
    void streamsLeadWhereTheyShould();
    void streamsWorkWithoutStandardOnes();
    void inheritsNoDescriptors();
    void leavesNoDescriptors();
};

/// More than the pipes hold.
void TstProcessStreams::manyBytesPassBothWays()
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
void TstProcessStreams::aClosedInputIsSeenWhileOthersRun()
{
    const ProcessOptions options{.program = "cat", .words = {"cat"}, .input = kPipe};
    auto first = Process::start(options);
    auto second = Process::start(options);
    QVERIFY(first && second);
    first->closeInput();
    QTRY_VERIFY_WITH_TIMEOUT(first->end(), kPatience);
    QCOMPARE(first->end()->code, 0);
    QVERIFY(!second->end());
}

void TstProcessStreams::streamsLeadWhereTheyShould()
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
void TstProcessStreams::streamsWorkWithoutStandardOnes()
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

void TstProcessStreams::inheritsNoDescriptors()
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

void TstProcessStreams::leavesNoDescriptors()
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

CANNERY_TEST(TstProcessStreams)
#include "tst_process_streams.moc"
