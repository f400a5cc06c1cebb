// SPDX-License-Identifier: Apache-2.0
#include "core/plan/step_trace.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace cannery::plan {

std::string_view nameOf(TracePhase phase)
{
    switch (phase) {
    case TracePhase::Input:
        return "input";
    case TracePhase::Forward:
        return "forward";
    case TracePhase::Loss:
        return "loss";
    case TracePhase::Backward:
        return "backward";
    case TracePhase::Exchange:
        return "exchange";
    case TracePhase::Optimizer:
        return "optimizer";
    case TracePhase::Step:
        return "step";
    }
    return "";
}

void StepTrace::add(TracePhase phase, std::string_view layer, std::string_view operation,
                    std::int64_t begin, std::int64_t length)
{
    TraceEvent event{.phase = phase,
                     .layer = std::string(layer),
                     .operation = std::string(operation),
                     .thread = gettid(),
                     .begin = begin,
                     .length = length};
    const std::lock_guard lock(m_mutex);
    m_events.push_back(std::move(event));
}

std::vector<TraceEvent> StepTrace::take()
{
    std::vector<TraceEvent> events;
    const std::lock_guard lock(m_mutex);
    std::swap(events, m_events);
    std::ranges::stable_sort(events, {}, &TraceEvent::begin);
    return events;
}

std::int64_t StepTrace::now()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace cannery::plan
