// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace cannery::control {

/// What the limits of this process leave for a control socket. The library behind it ends the
/// process when it cannot have a thread or memory, so they are looked at first.
struct Room
{
    std::string objection;       ///< why there can be none, with the limit's name; empty: there can
    std::size_t callers = 0;     ///< so many may be in at once
    std::size_t descriptors = 0; ///< every descriptor's number is below
};

/// Looks at what is left of files and memory beside what a training needs itself, and tries out
/// whether threads can be started. `mostCallers`: more are not asked for.
Room measureRoom(std::size_t mostCallers);

} // namespace cannery::control
