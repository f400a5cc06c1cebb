// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cannery::data {

/// The rows of one shard: those of its files, numbered from 0 in the order of the table.
class FileShard
{
public:
    /// Rows of the table that follow each other.
    struct Segment
    {
        std::int64_t first = 0; ///< number of the first row in the table
        std::int64_t rows = 0;
    };

    explicit FileShard(const std::vector<Segment>& segments);

    std::int64_t rowCount() const { return m_ends.back(); }
    /// Turns numbers within the shard into numbers within the table. Allocates nothing.
    void locate(std::span<std::int64_t> rows) const;

private:
    std::vector<std::int64_t> m_firsts; ///< by segment
    std::vector<std::int64_t> m_ends;   ///< by segment, in numbers of the shard
};

using FileShards = std::vector<FileShard>;

/// Deals whole files to shards, the longest first, each to the shard with the fewest rows so far
/// (Graham's LPT rule), so that the shards are about equal: a function of the sizes alone.
/// `fileRows`: the rows of each file, in the order of the table; files without rows count for
/// nothing. Errors: "data.fewer_files_than_shards".
Result<FileShards> dealFiles(std::span<const std::int64_t> fileRows, std::int64_t shards);

} // namespace cannery::data
