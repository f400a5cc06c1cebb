// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/step_trace.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cannery::train {

/// Events of one step as a JSON object in Chrome's trace format, which chrome://tracing and
/// Perfetto open, with TensorFlow's fields: an event is named after its operation, and `args.name`
/// is its layer. Microseconds from the first event on.
std::string chromeTrace(const std::vector<plan::TraceEvent>& events);

/// Where the time of some steps went, in sentences.
class StepProfile
{
public:
    void add(const std::vector<plan::TraceEvent>& events);
    std::int64_t steps() const { return m_steps; }

    /// "3 profiled steps took 1.20 ms each: forward 40 %, backward 35 %, …": of the time that
    /// threads were seen busy.
    std::string phases() const;
    /// "Time of a step by layer: dnn/hiddenlayer_0 (dense) 0.45 ms, …", the slowest ones.
    std::string layers() const;

    /// Milliseconds of a step.
    struct Part
    {
        std::string layer;
        std::string operation;
        double forward = 0;
        double backward = 0;
        double other = 0;

        double all() const { return forward + backward + other; }
    };
    /// The slowest first.
    std::vector<Part> parts() const;

private:
    std::int64_t m_steps = 0;
    std::int64_t m_length = 0; ///< nanoseconds from the first beginning to the last end
    std::map<plan::TracePhase, std::int64_t> m_phases;
    using Times = std::map<plan::TracePhase, std::int64_t>;
    std::map<std::pair<std::string, std::string>, Times> m_layers; ///< by layer and operation
};

} // namespace cannery::train
