#include "app/cannery/stop_signals.h"

#include <csignal>
#include <unistd.h>

namespace cannery::app {

namespace {

// A signal handler reaches nothing but globals.
std::atomic<bool> s_stop{false};
std::atomic<int> s_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

constexpr int kSignalExitBase = 128;

void handle(int number)
{
    if (s_stop.exchange(true)) {
        _exit(kSignalExitBase + number);
    }
    s_signal.store(number);
}

void install(void (*handler)(int))
{
    struct sigaction action
    {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

} // namespace

StopSignals::StopSignals()
{
    s_stop.store(false);
    s_signal.store(0);
    install(handle);
}

StopSignals::~StopSignals()
{
    install(SIG_DFL);
}

const std::atomic<bool>& StopSignals::flag() const
{
    return s_stop;
}

int StopSignals::signal() const
{
    return s_signal.load();
}

} // namespace cannery::app
