// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/lookup.h"

#include <limits>
#include <type_traits>

/// Memory and order of the entries of a lookup's gradient.
namespace cannery::kernels::bodies {

/// Sorts after all rows: an entry that does not count.
inline constexpr std::int32_t kNoRow = std::numeric_limits<std::int32_t>::max();

/// The keys ascending, entries with equal ones in their order. Keys are rows of the table, or
/// kNoRow.
struct SortPairs
{
    const std::int32_t* keys = nullptr;
    std::int32_t* sortedKeys = nullptr;
    const std::int32_t* entries = nullptr;
    std::int32_t* sortedEntries = nullptr;
    std::int64_t count = 0;
    std::int64_t tableRows = 0;
    std::byte* scratch = nullptr;
    std::int64_t scratchBytes = 0;
};

/// Memory of a lookup's gradient, in the operation's scratch memory.
struct LookupScratch
{
    std::int64_t count = 0; ///< entries, and one for row 0
    std::int32_t* keys = nullptr;
    std::int32_t* sortedKeys = nullptr;
    std::int32_t* entries = nullptr;
    std::int32_t* sortedEntries = nullptr;
    std::int32_t* batchRows = nullptr; ///< of each entry, -1 if there is none
    float* factors = nullptr;          ///< of each entry
    std::int32_t* segments = nullptr;  ///< of each sorted entry
    std::int32_t* starts = nullptr;    ///< of each segment and its end, in sorted entries
    std::int32_t* rows = nullptr;      ///< of each segment, unless the gradient holds them
    std::int64_t* blockHeads = nullptr;
    std::int64_t* segmentCount = nullptr;
    std::byte* sort = nullptr;
    std::int64_t sortBytes = 0;

    /// For ids with this capacity; memory has lookupScratchBytes() of it.
    static LookupScratch in(std::byte* memory, std::int64_t capacity)
    {
        LookupScratch scratch;
        scratch.count = capacity + 1;
        const std::int64_t array = blocksOf((capacity + 2) * 4, kAlignment) * kAlignment;
        std::byte* next = memory;
        const auto take = [&next](auto*& target, std::int64_t bytes) {
            target = reinterpret_cast<std::remove_reference_t<decltype(target)>>(next);
            next += bytes;
        };
        for (std::int32_t** part :
             {&scratch.keys, &scratch.sortedKeys, &scratch.entries, &scratch.sortedEntries,
              &scratch.batchRows, &scratch.segments, &scratch.starts, &scratch.rows}) {
            take(*part, array);
        }
        take(scratch.factors, array);
        take(scratch.blockHeads, 2 * array);
        take(scratch.segmentCount, kAlignment);
        scratch.sort = next;
        scratch.sortBytes = lookupScratchBytes(capacity) - (next - memory);
        return scratch;
    }

    static constexpr std::int64_t kAlignment = 256;
};

} // namespace cannery::kernels::bodies
