// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/operations.h"

#include <vector>

namespace cannery::tests {

/// Memory on the device that an operation uses.
struct UsedMemory
{
    const std::byte* begin = nullptr;
    std::int64_t bytes = 0;
    bool written = false;
};

/// All that an operation may read or write, as far as its arguments say. Only `blocks` of step
/// data: the first one.
std::vector<UsedMemory> usedMemory(const kernels::Operation& operation);

} // namespace cannery::tests
