// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console.h"
#include "app/cannery/exit_code.h"
#include "app/cannery/training_report.h"

#include <chrono>
#include <cstdint>
#include <deque>

namespace cannery::app {

/// How often an engine may be started again: so many times within any hour.
class RestartBudget
{
public:
    using Time = std::chrono::steady_clock::time_point;

    explicit RestartBudget(std::int64_t perHour) : m_perHour(perHour) {}

    /// Takes one, when there is one left.
    bool take(Time now);
    std::int64_t perHour() const { return m_perHour; }
    std::size_t taken() const { return m_times.size(); }

private:
    std::int64_t m_perHour;
    std::deque<Time> m_times; ///< of the last hour
};

struct SupervisorOptions
{
    std::int64_t restarts = 0; ///< an hour, at most
    bool isNice = false;       ///< behind everything else that wants the processor
    /// In the background: what the engine announces goes on into this pipe; below 0 in the
    /// foreground, where the engine prints its progress and report as without a supervisor.
    int pipe = -1;
    TrainingReportOptions report; ///< in the foreground
};

/// Runs a training in a child process and starts it again from its last checkpoint when a signal
/// ended it (a crash, a kill, no memory). One that ended with last words, or was told to end, stays
/// down. Signals to end are passed on. Returns what the engine returned; in the child too, whose
/// caller must go on as if it had trained itself. Must be called before any thread is started.
ExitCode superviseTraining(Console& console, const SupervisorOptions& options,
                           const StartTraining& start);

} // namespace cannery::app
