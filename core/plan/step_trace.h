// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::plan {

enum class TracePhase
{
    Input, ///< waiting for rows
    Forward,
    Loss, ///< of the head, and its gradient
    Backward,
    Exchange, ///< with other shards and processes
    Optimizer,
    Step, ///< of a model that learns in steps of its own
};

/// "forward".
std::string_view nameOf(TracePhase phase);

/// Some time of a step that one thread spent on one thing.
struct TraceEvent
{
    TracePhase phase = TracePhase::Step;
    std::string layer;     ///< TensorFlow's scope: "dnn/hiddenlayer_0"; or of an optimizer
    std::string operation; ///< "dense"
    std::int64_t thread = 0;
    std::int64_t begin = 0;  ///< nanoseconds of the monotonic clock
    std::int64_t length = 0; ///< nanoseconds
};

/// Collects where the time of a step goes, from any thread. What is traced takes a little longer;
/// it computes the same.
class StepTrace
{
public:
    void add(TracePhase phase, std::string_view layer, std::string_view operation,
             std::int64_t begin, std::int64_t length);
    /// In order of their beginnings; forgets them.
    std::vector<TraceEvent> take();

    static std::int64_t now();

private:
    std::mutex m_mutex;
    std::vector<TraceEvent> m_events;
};

/// Adds an event from its construction to its destruction; nothing if there is no trace. The texts
/// must outlive it.
class TraceSpan
{
public:
    TraceSpan(StepTrace* trace, TracePhase phase, std::string_view layer,
              std::string_view operation)
        : m_trace(trace), m_phase(phase), m_layer(layer), m_operation(operation),
          m_begin(trace == nullptr ? 0 : StepTrace::now())
    {}
    TraceSpan(const TraceSpan&) = delete;
    TraceSpan& operator=(const TraceSpan&) = delete;
    ~TraceSpan()
    {
        if (m_trace != nullptr) {
            m_trace->add(m_phase, m_layer, m_operation, m_begin, StepTrace::now() - m_begin);
        }
    }

private:
    StepTrace* m_trace;
    TracePhase m_phase;
    std::string_view m_layer;
    std::string_view m_operation;
    std::int64_t m_begin;
};

} // namespace cannery::plan
