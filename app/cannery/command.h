// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console.h"
#include "app/cannery/exit_code.h"
#include "app/cannery/options.h"

#include <memory>

namespace cannery::app {

/// One command of the command line. Created for each invocation, used on one thread.
class Command
{
public:
    virtual ~Command() = default;

    /// Binds the command's members to its options.
    virtual void declare(OptionSet& options) = 0;

    /// Does the work. Prints its result to stdout and its own problems to stderr.
    virtual ExitCode run(Console& console) = 0;
};

/// The exit code for an error of the libraries: 3 for bad data and bad experiments, 4 for a NaN
/// loss, 5 for a missing or unusable checkpoint, otherwise 1.
ExitCode exitCodeOf(const Error& error);

/// Prints the error (with --json also on stdout) and returns its exit code.
ExitCode reportFailure(const Console& console, const Error& error);

} // namespace cannery::app
