// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/coordinator/types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace cannery::coordinator {

/// What the coordinator sends to a member.

/// It belongs to the job now.
struct Welcome
{
    std::int64_t unixTimeMs = 0; ///< the coordinator's clock
};
/// It does not, or no longer; nothing follows.
struct Refused
{
    Error error;
};
struct Formed
{
    Generation generation;
};
struct Broken
{
    std::int64_t generation = 0;
};
/// The job has ended; nothing follows.
struct Ended
{
    JobEnd end;
};
/// The answer to a heart-beat.
struct Pulse
{};
/// The answer to a question for a value; nothing if the generation is broken.
struct Value
{
    std::uint64_t request = 0;
    std::optional<std::string> bytes;
};

using News = std::variant<Welcome, Refused, Formed, Broken, Ended, Pulse, Value>;

} // namespace cannery::coordinator
