// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/data/sources/data_source.h"
#include "storage/tabular/table_chunk.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace cannery::data {

/// Finds the evaluation rows that equal a training row, in bounded memory: a fingerprint of each
/// distinct row is kept. If there are more than `capacity`, those whose last bit is set are
/// dropped, then those whose last two bits are not zero, and so on, which leaves a sample of the
/// distinct rows with every copy of each. The result is the same for any chunking and any number of
/// threads. One thread.
class DuplicateRows
{
public:
    explicit DuplicateRows(std::size_t capacity = std::size_t{1} << 18U);

    /// Rows are equal if these columns (indices into the chunk's) are.
    void add(DataPart part, const storage::TableChunk& chunk, std::span<const std::size_t> columns,
             const LentThreads& threads = {});

    struct Found
    {
        std::uint64_t rows = 0;      ///< examined
        std::uint64_t different = 0; ///< distinct ones among them
        std::uint64_t evalRows = 0;
        std::uint64_t duplicates = 0; ///< evaluation rows that equal a training row
        std::uint64_t oneOf = 1;      ///< one of this many distinct rows was examined; 1: all

        bool operator==(const Found&) const = default;
    };
    Found found() const;

private:
    struct Seen
    {
        std::uint64_t trainRows = 0;
        std::uint64_t evalRows = 0;
    };

    void insert(DataPart part, std::uint64_t print);
    bool isKept(std::uint64_t print) const { return (print & (m_oneOf - 1)) == 0; }

    std::size_t m_capacity;
    std::uint64_t m_oneOf = 1;
    std::unordered_map<std::uint64_t, Seen> m_seen;
    std::vector<std::uint64_t> m_prints; ///< of one chunk
};

} // namespace cannery::data
