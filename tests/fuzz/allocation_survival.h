// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string_view>

#include <QString>

namespace cannery::tests {

/// What was read, as a checksum that is made without allocating. A load gives one, or its error.
using Digest = std::uint32_t;
using Load = std::function<Result<Digest>()>;

Digest add(Digest digest, std::string_view text);

/// Whether blocks that are lost count.
enum class LostBlocks
{
    None, ///< not one is lost
    /// Copies of protobuf messages on the heap lose elements when memory runs out in the middle.
    OfProtobuf,
};

/// Lets every allocation of a load fail, once alone and once with all that follow (of long loads
/// two thousand of them, evenly spread). Empty when it then says that there is no memory, or reads
/// what it reads otherwise, and gives back every block and file; else what is wrong.
QString faultOf(const Load& load, LostBlocks lost = LostBlocks::None);

} // namespace cannery::tests
