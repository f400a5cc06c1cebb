// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/base/exit_code.h"

#include <string_view>

namespace cannery::launch {

/// Where a launcher shows what its processes print and what happens to them. One thread.
class LaunchOutput
{
public:
    /// Precedes a progress line, and removes one.
    static constexpr std::string_view kClearLine = "\r\033[K";
    /// The variable by which a process knows that its stderr is shown on a terminal, by a launcher
    /// that reads it.
    static constexpr const char* kOnTerminalVariable = "CANNERY_ON_TERMINAL";

    virtual ~LaunchOutput() = default;

    /// Text of the result, as it is.
    virtual void content(std::string_view text) const = 0;
    /// A line on stderr, always.
    virtual void diagnostic(std::string_view line) const = 0;
    /// "error: sentence", on stderr, always.
    virtual void problem(const Error& error) const = 0;
    /// With --json, the error as one JSON object on stdout.
    virtual void errorResult(const Error& error) const = 0;
    /// Both: ends a command.
    void failure(const Error& error) const;
    /// A progress line that the next one replaces; only on a terminal, and not when quiet.
    virtual void progress(std::string_view line) = 0;
    /// Removes the progress line, so that other output begins on a clean line.
    virtual void clearProgress() = 0;
};

/// Reports the failure and returns its exit code.
ExitCode reportFailure(const LaunchOutput& output, const Error& error);

} // namespace cannery::launch
