// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/exit_code.h"

#include <atomic>

namespace cannery::launch {

/// Catches SIGINT, SIGTERM and SIGHUP (unless ignored, as by `nohup`) while it lives. The first one
/// sets the flag, so that the training saves a checkpoint and ends after its step. Another one ends
/// the process at once, unless it follows immediately: the end of a session signals all of its
/// processes, and a supervisor forwards the signals it gets. One at a time.
class StopSignals
{
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    const std::atomic<bool>& flag() const;
    /// Can be read once the flag is set: for a poll() beside another descriptor.
    int descriptor() const;
    /// The first signal, or 0 if there was none.
    int signal() const;
    /// Of a program that it stopped.
    ExitCode exitCode() const;
};

} // namespace cannery::launch
