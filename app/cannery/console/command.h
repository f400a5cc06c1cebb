// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "app/cannery/console/options.h"
#include "core/base/exit_code.h"

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

using launch::reportFailure;

} // namespace cannery::app
