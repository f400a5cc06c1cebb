// SPDX-License-Identifier: Apache-2.0
#include "core/launch/child_process.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>

namespace cannery::launch {

namespace {

/// Arguments: the program and the system's reason.
constexpr ErrorKind kNotStarted{"process.not_started", "The program {} could not be started: {}."};
constexpr ErrorKind kEndedBySignal{"process.ended_by_signal", "Signal {} ended the engine."};
constexpr ErrorKind kEndedByCode{"process.ended_by_code", "The engine ended with exit code {}."};

constexpr std::size_t kMostOutput = std::size_t{1} << 20U;
constexpr std::chrono::milliseconds kLookForStopEvery{200};

ProcessOptions selfWith(const std::vector<std::string>& arguments)
{
    ProcessOptions self{.program = kThisProgram, .words = {"cannery"}};
    self.words.insert(self.words.end(), arguments.begin(), arguments.end());
    return self;
}

/// Reads until the other end is closed; passes on a stop once.
std::string readOutput(const Process& child, const std::atomic<bool>& stop)
{
    std::string output;
    // The rest is read, too: a child whose pipe is full waits.
    const auto take = [&](std::string_view bytes) {
        output.append(bytes.substr(0, kMostOutput - output.size()));
    };
    bool hasPassedOn = false;
    do {
        // Passed on once.
        if (stop.load() && !hasPassedOn) {
            hasPassedOn = true;
            child.signal(SIGTERM);
        }
    } while (readSome(child.output(), kLookForStopEvery, take) != ReadResult::End);
    return output;
}

} // namespace

Error notStarted(const std::string& program, std::error_code reason)
{
    // Too little of something passes; a program that is missing does not.
    const bool isForLack = reason.value() == EAGAIN || reason.value() == ENOMEM ||
                           reason.value() == EMFILE || reason.value() == ENFILE;
    return error(isForLack ? ErrorCode::ResourceExhausted : ErrorCode::Internal, kNotStarted,
                 program, reason.message());
}

Result<ChildOutcome> runSelf(const std::vector<std::string>& arguments,
                             const std::atomic<bool>& stop)
{
    ProcessOptions self = selfWith(arguments);
    self.output.kind = ProcessStream::Kind::Pipe;
    // A signal from the terminal goes to this process alone, which passes it on.
    self.hasOwnGroup = true;
    tl::expected<Process, std::error_code> child = Process::start(self);
    if (!child) {
        return tl::make_unexpected(notStarted(kThisProgram, child.error()));
    }
    // The output first: whoever waits for a child that cannot write waits forever.
    std::string output = readOutput(*child, stop);
    return ChildOutcome{.status = child->wait(), .output = std::move(output)};
}

Error failureOf(const ChildOutcome& outcome)
{
    const ExitStatus& status = outcome.status;
    Error failure = status.signal != 0 ? error(ErrorCode::Aborted, kEndedBySignal, status.signal)
                                       : error(ErrorCode::Unknown, kEndedByCode, status.code);
    const auto json = nlohmann::json::parse(outcome.output, nullptr, false);
    // The engine's own error says more than its exit code.
    if (json.is_object() && json.contains("error") && json["error"].is_object()) {
        failure.id = json["error"].value("id", failure.id);
        failure.sentence = json["error"].value("sentence", failure.sentence);
    }
    return failure;
}

Result<void> startSelfDetached(const std::vector<std::string>& arguments)
{
    ProcessOptions self = selfWith(arguments);
    self.input.kind = self.output.kind = self.diagnostics.kind = ProcessStream::Kind::Null;
    // It may outlive the window or the shell that we share files with.
    self.closesOthers = true;
    if (const auto started = Process::startDetached(self); !started) {
        return tl::make_unexpected(notStarted(kThisProgram, started.error()));
    }
    return {};
}

} // namespace cannery::launch
