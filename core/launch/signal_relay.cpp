// SPDX-License-Identifier: Apache-2.0
#include "core/launch/signal_relay.h"

#include <array>
#include <atomic>
#include <cerrno>

namespace cannery::launch {

namespace {

// Signal handlers have no arguments, so the state is global.
std::atomic<pid_t> s_target{0};
std::atomic<int> s_received{0};
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

void passOn(int signal)
{
    s_received.store(signal);
    if (const pid_t target = s_target.load(); target > 0) {
        const int interrupted = errno; // of the call that the signal interrupts, which reads it
        kill(target, signal);
        errno = interrupted;
    }
}

void install(void (*handler)(int))
{
    struct sigaction action
    {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    for (const int signal : kSignals) {
        struct sigaction before
        {};
        sigaction(signal, nullptr, &before);
        // nohup ignores this signal, and so does whoever is started by it.
        if (signal != SIGHUP || before.sa_handler != SIG_IGN) {
            sigaction(signal, &action, nullptr);
        }
    }
}

} // namespace

SignalRelay::SignalRelay()
{
    s_target.store(0);
    s_received.store(0);
    install(passOn);
}

SignalRelay::~SignalRelay()
{
    forget();
}

void SignalRelay::setTarget(pid_t process)
{
    s_target.store(process);
}

int SignalRelay::received() const
{
    return s_received.load();
}

void SignalRelay::forget()
{
    install(SIG_DFL);
}

SignalsHeld::SignalsHeld()
{
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : kSignals) {
        sigaddset(&held, signal);
    }
    sigprocmask(SIG_BLOCK, &held, &m_before);
}

SignalsHeld::~SignalsHeld()
{
    sigprocmask(SIG_SETMASK, &m_before, nullptr);
}

} // namespace cannery::launch
