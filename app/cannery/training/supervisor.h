// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "app/cannery/training/training_report.h"
#include "core/base/exit_code.h"

#include <chrono>
#include <cstdint>
#include <deque>

namespace cannery::app {

/// Limits how often an engine is restarted within any hour.
class RestartBudget
{
public:
    using Time = std::chrono::steady_clock::time_point;

    explicit RestartBudget(std::int64_t perHour) : m_perHour(perHour) {}

    /// Takes one restart if there is one left.
    bool take(Time now);
    std::int64_t perHour() const { return m_perHour; }
    std::size_t taken() const { return m_times.size(); }

private:
    std::int64_t m_perHour;
    std::deque<Time> m_times; ///< in the last hour
};

struct SupervisorOptions
{
    std::int64_t restarts = 0; ///< per hour, at most
    bool isNice = false;       ///< at low CPU priority
    /// In the background: the engine's announcements are forwarded to this pipe. Negative in the
    /// foreground, where the engine prints its progress and report as without a supervisor.
    int pipe = -1;
    TrainingReportOptions report; ///< in the foreground
};

/// Runs a training in a child process and restarts it from its last checkpoint if a signal ended it
/// (a crash, a kill, out of memory) or its GPU was lost, but not after a bug that it reported or a
/// request to stop. Stop signals are forwarded. Returns what the engine returned, in the child too,
/// whose caller must continue as if it had trained itself. Call before any thread is started.
ExitCode superviseTraining(Console& console, const SupervisorOptions& options,
                           const StartTraining& start);

} // namespace cannery::app
