// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cannery::data {

/// The rows that a stream leaves out: all are counted, the first ones are kept. One thread.
class RefusedRows
{
public:
    /// Keeps at most `most` of them (ChunkRequest::maxRefused).
    explicit RefusedRows(std::size_t most) : m_most(most) {}

    void add(RefusedRow row);
    /// For ChunkStream::report(), of a stream that has made so many rows.
    ReadReport report(std::uint64_t rows) const;
    /// For ChunkStream::refused().
    std::vector<RefusedRow> from(std::size_t first) const;

private:
    std::size_t m_most;
    std::uint64_t m_count = 0;
    std::vector<RefusedRow> m_kept;
};

} // namespace cannery::data
