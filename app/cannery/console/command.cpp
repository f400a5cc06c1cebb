// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/console/command.h"

namespace cannery::app {

ExitCode reportFailure(const Console& console, const Error& error)
{
    console.failure(error);
    return exitCodeOf(error);
}

} // namespace cannery::app
