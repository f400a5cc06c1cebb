// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/process.h"

#include <QTemporaryDir>

#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

namespace cannery::tests {

inline constexpr ProcessStream kPipe{.kind = ProcessStream::Kind::Pipe};
inline constexpr ProcessStream kNull{.kind = ProcessStream::Kind::Null};

inline ProcessOptions shell(const std::string& script)
{
    return {.program = "sh", .words = {"sh", "-c", script}, .input = kNull, .output = kPipe};
}

inline std::string readToEnd(int descriptor)
{
    std::string all;
    while (readSome(descriptor, std::chrono::seconds(10),
                    [&](std::string_view bytes) { all.append(bytes); }) == ReadResult::Bytes) {
    }
    return all;
}

/// What a program writes; its end must be good.
inline std::string outputOf(const ProcessOptions& options)
{
    auto process = Process::start(options);
    if (!process) {
        return "not started: " + process.error().message();
    }
    const std::string output = readToEnd(process->output());
    const ExitStatus end = process->wait();
    return end.exitedWith(ExitCode::Done) ? output : output + end.text();
}

/// Runs in a fork of this program, which `act` may ruin; returns its exit code.
inline int inFork(const std::function<int()>& act)
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

} // namespace cannery::tests
