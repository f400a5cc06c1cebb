// SPDX-License-Identifier: Apache-2.0
#include "core/trees/row_partition.h"

#include <algorithm>
#include <array>

namespace cannery::trees {

namespace {

constexpr std::int64_t kSplitRows = 16 * 1024;
/// Rows whose bins are fetched ahead.
constexpr std::size_t kFetchedAhead = 16;

} // namespace

void RowPartition::begin(std::vector<std::uint32_t> rows)
{
    m_rows = std::move(rows);
    m_left.resize(m_rows.size());
    m_right.resize(m_rows.size());
    m_counts.resize(m_rows.size() / kSplitRows + 1);
}

std::span<const std::uint32_t> RowPartition::rows(const RowRange& range) const
{
    return std::span(m_rows).subspan(static_cast<std::size_t>(range.first),
                                     static_cast<std::size_t>(range.count));
}

std::int64_t RowPartition::split(const RowRange& range, std::span<const std::uint8_t> bins,
                                 const std::bitset<kernels::kHistogramBins>& leftBins)
{
    // A table of bytes: testing the bit of a bitset takes two more operations a row.
    std::array<std::uint8_t, kernels::kHistogramBins> isLeft;
    for (std::size_t b = 0; b < isLeft.size(); ++b) {
        isLeft[b] = leftBins.test(b) ? 1 : 0;
    }
    // Blocks divide their rows on their own, then are copied to where the counts before them say:
    // the order within each side stays.
    kernels::forEachBlock(m_pool, range.count, kSplitRows, [&](kernels::BlockRange block, int) {
        const std::span<const std::uint32_t> rows =
            this->rows({range.first + block.first, block.count});
        std::uint32_t* left = m_left.data() + block.first;
        std::uint32_t* right = m_right.data() + block.first;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            __builtin_prefetch(bins.data() + rows[std::min(i + kFetchedAhead, rows.size() - 1)]);
            const std::uint32_t row = rows[i];
            // Written to both sides; only one of the pointers moves on, without a branch to
            // mispredict.
            const std::uint8_t goesLeft = isLeft[bins[row]];
            *left = row;
            *right = row;
            left += goesLeft;
            right += 1 - goesLeft;
        }
        m_counts[block.first / kSplitRows] = left - (m_left.data() + block.first);
    });
    const std::int64_t blocks = (range.count + kSplitRows - 1) / kSplitRows;
    std::vector<std::int64_t> leftBefore(static_cast<std::size_t>(blocks) + 1, 0);
    for (std::int64_t block = 0; block < blocks; ++block) {
        leftBefore[block + 1] = leftBefore[block] + m_counts[block];
    }
    kernels::forEachBlock(m_pool, range.count, kSplitRows, [&](kernels::BlockRange block, int) {
        const std::int64_t index = block.first / kSplitRows;
        const std::int64_t leftCount = m_counts[index];
        std::copy_n(m_left.data() + block.first, leftCount,
                    m_rows.data() + range.first + leftBefore[index]);
        std::copy_n(m_right.data() + block.first, block.count - leftCount,
                    m_rows.data() + range.first + leftBefore[blocks] + block.first -
                        leftBefore[index]);
    });
    return leftBefore[blocks];
}

} // namespace cannery::trees
