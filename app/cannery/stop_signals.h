// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace cannery::app {

/// Catches SIGINT, SIGTERM and SIGHUP (but not one that is ignored, by `nohup`) while it lives: the
/// first one raises the flag, so that the training
/// ends after its step with a checkpoint; another one ends the process at once, unless it comes in
/// the same moment: who ends a session signals everybody in it, and a supervisor passes on what it
/// got. One at a time.
class StopSignals
{
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    const std::atomic<bool>& flag() const;
    /// Which one came first, or 0 when none came.
    int signal() const;
};

} // namespace cannery::app
