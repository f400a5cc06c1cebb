// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/coordinator/types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::coordinator {

/// Why a process may not belong to the job of this chief; nothing if it may. One with another token
/// learns nothing else about the job.
std::optional<Error> objectionTo(const MemberIdentity& candidate, const MemberIdentity& chief,
                                 const std::vector<std::string>& tasks);

/// Takes as long for a wrong token as for the right one of the same length.
bool areEqualTokens(std::string_view a, std::string_view b);

/// The first line in which two texts differ, as the end of a sentence: `line 3 is "a" there and "b"
/// at the chief`.
std::string firstDifference(std::string_view there, std::string_view atTheChief);

/// The hours between two clocks, rounded, if they differ by more than an hour: files are then
/// stamped with misleading times.
std::optional<double> clockHours(std::int64_t unixTimeMs, std::int64_t reference);

} // namespace cannery::coordinator
