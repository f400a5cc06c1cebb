// SPDX-License-Identifier: Apache-2.0
#include "core/launch/stop_signals.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <sys/eventfd.h>
#include <unistd.h>

namespace cannery::launch {

namespace {

// Signal handlers have no arguments, so the state is global.
std::atomic<bool> s_stop{false};
std::atomic<int> s_signal{0};
std::atomic<int> s_descriptor{-1}; ///< an eventfd
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

std::atomic<std::int64_t> s_milliseconds{0}; ///< time of the first one
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

constexpr int kSignalExitBase = 128;
constexpr std::int64_t kMomentMilliseconds = 500;

std::int64_t milliseconds()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1'000'000;
}

void handle(int number)
{
    if (!s_stop.exchange(true)) {
        s_milliseconds.store(milliseconds());
        s_signal.store(number);
        // Signal handlers may not change errno.
        const int before = errno;
        (void)eventfd_write(s_descriptor.load(), 1);
        errno = before;
    } else if (milliseconds() > s_milliseconds.load() + kMomentMilliseconds) {
        _exit(kSignalExitBase + number);
    }
}

bool isIgnored(int number)
{
    struct sigaction action
    {};
    return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void install(void (*handler)(int))
{
    struct sigaction action
    {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    if (!isIgnored(SIGHUP)) {
        sigaction(SIGHUP, &action, nullptr);
    }
}

} // namespace

StopSignals::StopSignals()
{
    s_stop.store(false);
    s_signal.store(0);
    s_descriptor.store(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    install(handle);
}

StopSignals::~StopSignals()
{
    install(SIG_DFL);
    close(s_descriptor.exchange(-1));
}

const std::atomic<bool>& StopSignals::flag() const
{
    return s_stop;
}

int StopSignals::descriptor() const
{
    return s_descriptor.load();
}

int StopSignals::signal() const
{
    return s_signal.load();
}

ExitCode StopSignals::exitCode() const
{
    return signal() == SIGINT   ? ExitCode::Interrupted
           : signal() == SIGHUP ? ExitCode::HungUp
                                : ExitCode::Terminated;
}

} // namespace cannery::launch
