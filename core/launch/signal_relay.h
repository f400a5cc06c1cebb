// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <sys/types.h>

namespace cannery::launch {

/// Forwards SIGINT, SIGTERM and SIGHUP (unless ignored, as by `nohup`) to another process while it
/// lives. One at a time.
class SignalRelay
{
public:
    SignalRelay();
    ~SignalRelay();
    SignalRelay(const SignalRelay&) = delete;
    SignalRelay& operator=(const SignalRelay&) = delete;

    /// The receiver; 0 if there is none, and signals are only remembered.
    void setTarget(pid_t process);
    /// The last signal received, or 0.
    int received() const;

    /// In a forked process: restores the default handlers.
    static void forget();
};

/// Blocks these signals while it lives, so that none arrives between a fork and its note.
class SignalsHeld
{
public:
    SignalsHeld();
    ~SignalsHeld();
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

private:
    sigset_t m_before{};
};

} // namespace cannery::launch
