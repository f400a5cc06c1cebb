// SPDX-License-Identifier: Apache-2.0
#include "core/launch/launch_output.h"

namespace cannery::launch {

void LaunchOutput::failure(const Error& error) const
{
    errorResult(error);
    problem(error);
}

ExitCode reportFailure(const LaunchOutput& output, const Error& error)
{
    output.failure(error);
    return exitCodeOf(error);
}

} // namespace cannery::launch
