// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/operations.h"

#include <cstdint>
#include <vector>

namespace cannery::kernels {

/// Memory on the device that an operation uses: rows of `rowBytes`, `strideBytes` apart, in `bytes`
/// from the first row to the end of the last one.
struct UsedMemory
{
    const std::byte* begin = nullptr;
    std::int64_t bytes = 0;
    std::int64_t rowBytes = 0;
    std::int64_t strideBytes = 0;
    bool written = false; ///< then perhaps read, too
};

/// Which block of StepData is meant.
enum class StepBlock : std::uint8_t
{
    First,
    OfCursor, ///< which is read: the device's memory must be accessible here
};

/// All that an operation may read or write, but for its kernel's working memory. The emulated
/// device can watch that it is all (see EmulatedOptions::watches).
std::vector<UsedMemory> usedMemory(const Operation& operation, StepBlock block = StepBlock::First);

/// Whether the order of two operations matters: both use some memory, and one writes it. Columns of
/// one matrix are apart.
bool conflict(const std::vector<UsedMemory>& some, const std::vector<UsedMemory>& others);

} // namespace cannery::kernels
