// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string_view>

#include <QString>

namespace cannery::tests {

/// The content read, as a checksum computed without allocating. A load returns one, or its error.
using Digest = std::uint32_t;
using Load = std::function<Result<Digest>()>;

Digest add(Digest digest, std::string_view text);

/// Whether lost blocks count as errors.
enum class LostBlocks
{
    None, ///< no block may be lost
    /// Copies of protobuf messages on the heap lose elements when memory runs out in the middle.
    OfProtobuf,
};

/// Makes every allocation of a load fail, once alone and once with all that follow (for long loads
/// two thousand of them, evenly spread). Empty if the load then reports that there is no memory, or
/// reads the usual content, and frees every block and file; otherwise the problem.
QString faultOf(const Load& load, LostBlocks lost = LostBlocks::None);

} // namespace cannery::tests
