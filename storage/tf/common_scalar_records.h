// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/scalar_event_scanner.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Only for the sources of storage/tf.
namespace cannery::storage::detail {

/// What takeCommonRecords() is to do.
struct CommonRecords
{
    std::string_view bytes; ///< of the file; begins with a record
    std::size_t limit = 0;  ///< stops when so many points are there
    std::uint64_t maxBytes = 0;
};

/// Takes whole records from the front of the bytes as long as each is what nearly all are: a
/// summary of `simple_value`s under tags that are known, in the order in which protobuf writes the
/// fields, with good checksums. Appends their points and gives the number of bytes taken; what
/// stands there then, damage among it, is for the whole decoder. `previous` is the tag before, and
/// becomes the last one's.
std::size_t takeCommonRecords(const CommonRecords& records, ScalarTags& tags,
                              std::uint32_t& previous, std::vector<ScalarPoint>& points);

} // namespace cannery::storage::detail
