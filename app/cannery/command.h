// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console.h"
#include "app/cannery/exit_code.h"
#include "app/cannery/options.h"

#include <memory>

namespace cannery::app {

/// One verb of the command line. Made anew for each invocation, used on one thread.
class Command
{
public:
    virtual ~Command() = default;

    /// Binds the command's members to its options.
    virtual void declare(OptionSet& options) = 0;

    /// Does the work. Prints its result to stdout and its own problems to stderr.
    virtual ExitCode run(Console& console) = 0;
};

/// The exit code that an error of the libraries stands for: bad data and bad experiments are 3, a
/// NaN loss 4, a checkpoint that is missing or unusable 5, everything else 1.
ExitCode exitCodeOf(const Error& error);

/// Prints the error, with --json on stdout too, and returns its exit code.
ExitCode reportFailure(const Console& console, const Error& error);

} // namespace cannery::app
