// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/file_shards.h"

#include "core/base/check.h"

#include <algorithm>
#include <numeric>

namespace cannery::data {

namespace {

constexpr ErrorKind kFewFiles{"data.fewer_files_than_shards",
                              "With shard: file, each of the {0} batches of a step has files of "
                              "its own, but {1} with rows to "
                              "train on: cut the data into more files, or set shard: row."};

std::string haveWords(std::int64_t files)
{
    return files == 1 ? "there is one file" : fmt::format("there are {} files", files);
}

} // namespace

FileShard::FileShard(const std::vector<Segment>& segments)
{
    CANNERY_CHECK(!segments.empty());
    std::int64_t end = 0;
    // Rows of all files in one line, as a shard is shuffled as one table.
    for (const Segment& segment : segments) {
        end += segment.rows;
        m_firsts.push_back(segment.first);
        m_ends.push_back(end);
    }
}

void FileShard::locate(std::span<std::int64_t> rows) const
{
    for (std::int64_t& row : rows) {
        // The segment that the row falls into.
        const auto segment = static_cast<std::size_t>(
            std::upper_bound(m_ends.begin(), m_ends.end(), row) - m_ends.begin());
        const std::int64_t begin = segment == 0 ? 0 : m_ends[segment - 1];
        row += m_firsts[segment] - begin;
    }
}

Result<FileShards> dealFiles(std::span<const std::int64_t> fileRows, std::int64_t shards)
{
    std::vector<FileShard::Segment> files;
    std::int64_t first = 0;
    for (const std::int64_t rows : fileRows) {
        // Files without rows to train on take part in nothing.
        if (rows > 0) {
            files.push_back({.first = first, .rows = rows});
        }
        first += rows;
    }
    if (std::ssize(files) < shards) {
        return fail(ErrorCode::InvalidArgument, kFewFiles, shards, haveWords(std::ssize(files)));
    }
    std::vector<FileShard::Segment> longestFirst = files;
    // The longest first, each to the shard with the fewest rows: shards become about equally long.
    std::ranges::stable_sort(longestFirst, std::greater(), &FileShard::Segment::rows);
    std::vector<std::vector<FileShard::Segment>> dealt(static_cast<std::size_t>(shards));
    std::vector<std::int64_t> sums(static_cast<std::size_t>(shards), 0);
    for (const FileShard::Segment& file : longestFirst) {
        const auto least = std::ranges::min_element(sums);
        *least += file.rows;
        dealt[static_cast<std::size_t>(least - sums.begin())].push_back(file);
    }
    FileShards result;
    for (std::vector<FileShard::Segment>& own : dealt) {
        // In the order of the table, which does not depend on the dealing.
        std::ranges::sort(own, std::less(), &FileShard::Segment::first);
        result.emplace_back(own);
    }
    return result;
}

} // namespace cannery::data
