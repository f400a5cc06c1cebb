// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/thread_pool.h"
#include "kernels/ops/gradient_histogram.h"

#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::trees {

/// Some rows of a partition.
struct RowRange
{
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// The rows of a tree, those of each leaf side by side, in ascending order.
class RowPartition
{
public:
    explicit RowPartition(kernels::ThreadPool& pool) : m_pool(pool) {}

    void begin(std::vector<std::uint32_t> rows);
    RowRange all() const { return {0, static_cast<std::int64_t>(m_rows.size())}; }
    std::span<const std::uint32_t> rows(const RowRange& range) const;

    /// Moves the rows whose bin is among `leftBins` to the beginning of the range; returns their
    /// number. `bins` is a column of the whole table.
    std::int64_t split(const RowRange& range, std::span<const std::uint8_t> bins,
                       const std::bitset<kernels::kHistogramBins>& leftBins);

private:
    kernels::ThreadPool& m_pool;
    std::vector<std::uint32_t> m_rows;
    std::vector<std::uint32_t> m_left;  ///< of each block, where the block is
    std::vector<std::uint32_t> m_right; ///< the same
    std::vector<std::int64_t> m_counts; ///< rows to the left, by block
};

} // namespace cannery::trees
