// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/program_run.h"

#include "core/base/check.h"
#include "core/base/process.h"

#include <cerrno>
#include <csignal>
#include <thread>

namespace cannery::train {
namespace {

constexpr ErrorKind kNotStarted{"train.program_not_started",
                                "The program {} could not be started in {}: {}."};

constexpr std::size_t kMostOutput = std::size_t{64} << 10U;
constexpr std::chrono::milliseconds kLookEvery{100};

/// What a program writes, cut.
class Output
{
public:
    explicit Output(int pipe) : m_pipe(pipe) {}

    bool isOver() const { return m_isOver; }
    const std::string& text() const { return m_text; }

    /// Waits a moment for some. False if there was none.
    bool read(std::chrono::milliseconds patience)
    {
        const ReadResult result = readSome(m_pipe, patience, [&](std::string_view bytes) {
            // Bytes beyond the limit are read, so that the program does not block, and dropped.
            m_text.append(bytes.substr(0, kMostOutput - m_text.size()));
        });
        m_isOver = m_isOver || result == ReadResult::End;
        return result == ReadResult::Bytes;
    }

    /// What is there without waiting. No more than is kept: what the program has left running may
    /// write forever.
    void drain()
    {
        while (m_text.size() < kMostOutput && read(std::chrono::milliseconds(0))) {
        }
    }

private:
    int m_pipe;
    std::string m_text;
    bool m_isOver = false;
};

/// Until the program has ended, or has been killed.
void await(Process& program, const ProgramRun& run, ProgramOutcome& outcome)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto elapsed = [&] { return std::chrono::steady_clock::now() - begin; };
    Output output(program.output());
    while (true) {
        // While the pipe is open, waiting for output and for the end is one.
        if (!output.isOver()) {
            output.read(kLookEvery);
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(1)); // it mostly ends at once
        }
        // The program may have closed its output long before.
        if (const std::optional<ExitStatus> end = program.end()) {
            const bool isSignalled = end->signal != 0;
            outcome.ending = isSignalled ? ProgramEnding::Signalled : ProgramEnding::Exited;
            outcome.code = isSignalled ? end->signal : end->code;
            break;
        }
        const bool isLate = elapsed() >= run.timeout;
        if (isLate || (run.mustEnd && run.mustEnd())) {
            outcome.ending = isLate ? ProgramEnding::TimedOut : ProgramEnding::Abandoned;
            // The whole group: a program may have started others.
            program.signalGroup(SIGKILL);
            // It is dead now, and must not stay behind as a zombie.
            program.wait();
            break;
        }
    }
    output.drain();
    outcome.output = output.text();
    outcome.seconds = std::chrono::duration<double>(elapsed()).count();
}

} // namespace

Result<ProgramOutcome> runProgram(const ProgramRun& run)
{
    CANNERY_CHECK(!run.words.empty());
    auto program = Process::start({.program = run.words.front(),
                                   .words = run.words,
                                   .folder = run.folder,
                                   .input = {.kind = ProcessStream::Kind::Null},
                                   .output = {.kind = ProcessStream::Kind::Pipe},
                                   // Both in the order in which they were written.
                                   .diagnostics = {.kind = ProcessStream::Kind::SameAsOutput},
                                   .hasOwnGroup = true,
                                   .hasDefaultSignals = true});
    if (!program) {
        return fail(ErrorCode::FailedPrecondition, kNotStarted, run.words.front(), run.folder,
                    program.error().message());
    }
    ProgramOutcome outcome;
    await(*program, run, outcome);
    return outcome;
}

} // namespace cannery::train
