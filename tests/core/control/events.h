// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/reports/engine_status.pb.h"

#include <cstdint>
#include <string>

namespace cannery::tests {

/// Of an engine that has reached a step.
inline reports::EngineStatus statusAt(std::int64_t step, const std::string& state = "Running")
{
    reports::EngineStatus status;
    status.set_state(state);
    status.set_global_step(step);
    return status;
}

inline reports::LogLine logLine(const std::string& sentence)
{
    reports::LogLine line;
    line.set_sentence(sentence);
    return line;
}

} // namespace cannery::tests
