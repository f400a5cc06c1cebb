// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/events/scalar_event_scanner.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Only for the sources of storage/tf.
namespace cannery::storage::detail {

/// Input of takeCommonRecords().
struct CommonRecords
{
    std::string_view bytes; ///< of the file; begins with a record
    std::size_t limit = 0;  ///< stops at this many points
    std::uint64_t maxBytes = 0;
};

/// Takes whole records from the front of the bytes while they have the most common form: a summary
/// of `simple_value`s with known tags, in protobuf's field order, with valid checksums. Appends
/// their points and returns the number of bytes taken; whatever follows, including damage, is for
/// the full decoder. `previous` is the previous tag, and becomes the last one's.
std::size_t takeCommonRecords(const CommonRecords& records, ScalarTags& tags,
                              std::uint32_t& previous, std::vector<ScalarPoint>& points);

} // namespace cannery::storage::detail
