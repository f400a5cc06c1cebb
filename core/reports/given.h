// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace cannery::reports {

/// A field that may be absent: `given(report.has_max_steps(), report.max_steps())`.
template <typename Value>
std::optional<Value> given(bool isGiven, Value value)
{
    return isGiven ? std::optional(value) : std::nullopt;
}

} // namespace cannery::reports
