// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/collectives/message_exchange.h"

#include <span>
#include <vector>

namespace cannery::collectives {

/// Both replace the values by their sums over all ranks, the same bits in each. `scratch` is
/// working memory, which keeps its size from call to call.

/// In the order of Communicator::allReduce.
void sumAsTree(MessageExchange& group, std::span<float> values, std::vector<float>& scratch);
/// Each rank adds up one part, which comes round to it: the fewest bytes for any number of ranks.
/// The order depends on that number, and on the length of the vector.
void sumAroundRing(MessageExchange& group, std::span<float> values, std::vector<float>& scratch);

} // namespace cannery::collectives
