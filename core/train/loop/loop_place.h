// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/pipeline/sharded_input.h"

#include <cstdint>

namespace cannery::train {

/// Where a training is.
struct LoopPlace
{
    data::ShardedInput input;
    std::int64_t globalStep = 0;
};

} // namespace cannery::train
