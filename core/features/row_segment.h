// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cannery::features {

/// Consecutive rows. Rows of equal length need no offsets.
struct Segment
{
    std::vector<std::uint32_t> words;
    std::vector<std::uint64_t> offsets; ///< in words, rows + 1; empty if rows have equal length
    std::size_t rowWords = 0;           ///< of rows of equal length; see the offsets if 0
    bool isShort = false;               ///< rows are in RowRecord's short form

    /// For a segment in the spill file: its position there, offsets first, and its mapping in the
    /// address space, if any.
    std::uint64_t fileOffset = 0;
    std::size_t offsetBytes = 0;
    const std::byte* mapped = nullptr;

    std::size_t byteCount() const
    {
        return words.size() * sizeof(std::uint32_t) + offsets.size() * sizeof(std::uint64_t);
    }
    /// Of a row; not of a segment that is in the file alone.
    const std::uint32_t* record(std::size_t row) const
    {
        const auto* const all = mapped != nullptr
                                    ? reinterpret_cast<const std::uint32_t*>(mapped + offsetBytes)
                                    : words.data();
        return all + (rowWords > 0 ? row * rowWords : allOffsets()[row]);
    }
    /// The same; of rows that differ in length. Null: they are in the file.
    const std::uint64_t* allOffsets() const
    {
        return mapped != nullptr ? reinterpret_cast<const std::uint64_t*>(mapped) : offsets.data();
    }
};

inline void prefetchOffset(const Segment& segment, std::size_t row)
{
    if (segment.rowWords > 0) {
        return;
    }
    if (const std::uint64_t* const offsets = segment.allOffsets()) {
        __builtin_prefetch(offsets + row);
    }
}

/// How much of a record is prefetched.
inline constexpr std::size_t kWordsOfLine = 16;
inline constexpr std::size_t kWordsPrefetched = 256;

inline void prefetchRecord(const std::uint32_t* record, std::size_t words)
{
    for (std::size_t word = 0; word < std::min(words + kWordsOfLine, kWordsPrefetched);
         word += kWordsOfLine) {
        __builtin_prefetch(record + word);
    }
}

} // namespace cannery::features
