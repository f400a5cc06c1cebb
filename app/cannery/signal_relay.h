// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <sys/types.h>

namespace cannery::app {

/// Passes SIGINT, SIGTERM and SIGHUP (but not one that is ignored, by `nohup`) on to another
/// process while it lives. One at a time.
class SignalRelay
{
public:
    SignalRelay();
    ~SignalRelay();
    SignalRelay(const SignalRelay&) = delete;
    SignalRelay& operator=(const SignalRelay&) = delete;

    /// To whom; 0: nobody, signals are only remembered.
    void setTarget(pid_t process);
    /// The last signal that came, or 0.
    int received() const;

    /// In a process that was forked: signals do there what they do by default.
    static void forget();
};

/// Holds these signals back while it lives, so that none falls between a fork and its note.
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

} // namespace cannery::app
