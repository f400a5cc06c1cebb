// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/histogram_split.h"
#include "core/trees/histogram_table.h"
#include "core/trees/leaf_device.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cannery::trees {

/// Sums by bin of a leaf's rows, for all columns of a table: the gradients of all bins, then the
/// second derivatives, then the rows.
class LeafHistogram
{
public:
    explicit LeafHistogram(std::int64_t bins) : m_bins(bins), m_sums(3 * bins, 0) {}

    kernels::HistogramSums sums()
    {
        return {m_sums.data(), m_sums.data() + m_bins, m_sums.data() + 2 * m_bins};
    }
    /// The sums of one column: from its bin 0 on.
    kernels::HistogramSums sums(const kernels::HistogramRange& column)
    {
        const kernels::HistogramSums all = sums();
        return {all.gradients + column.first, all.hessians + column.first, all.rows + column.first};
    }

    /// Takes the sums of one column of some of the rows away.
    void subtract(LeafHistogram& other, const kernels::HistogramRange& column)
    {
        const kernels::HistogramSums from = sums(column);
        const kernels::HistogramSums part = other.sums(column);
        for (std::int64_t b = 0; b < column.bins; ++b) {
            from.gradients[b] -= part.gradients[b];
            from.hessians[b] -= part.hessians[b];
            from.rows[b] -= part.rows[b];
        }
    }

private:
    std::int64_t m_bins;
    std::vector<std::int64_t> m_sums;
};

/// Sums the gradients of a leaf's rows with all threads: each adds up what it comes across, and
/// finish() adds up the threads, column by column. What a device sums sooner is left to that. One
/// caller at a time.
class HistogramBuilder
{
public:
    /// `device`: null: there is none.
    HistogramBuilder(const HistogramTable& table, kernels::ThreadPool& pool, LeafDevice* device);

    /// Groups without one of these columns are left out from now on.
    void select(std::span<const std::size_t> columns);
    /// `gradients` are those of all rows of the table, which a device has itself.
    void add(std::span<const std::uint32_t> rows, std::span<const std::uint64_t> gradients);
    /// Once after each add(): a device may still be at it. Errors: of the device.
    Result<void> wait();
    /// Moves the sums of a column since the last finish() to `histogram`. Different columns at
    /// once; after wait(), once for each column of the selection.
    void finish(std::size_t column, LeafHistogram& histogram);

private:
    struct Part
    {
        explicit Part(std::int64_t bins) : histogram(bins) {}
        LeafHistogram histogram;
        std::vector<std::uint64_t> scratch;
        bool isUsed = false; ///< by the last add()
    };

    void addHere(std::span<const std::uint32_t> rows, std::span<const std::uint64_t> gradients);

    const HistogramTable& m_table;
    kernels::ThreadPool& m_pool;
    LeafDevice* m_device;
    bool m_isOnDevice = false;                    ///< what add() has begun
    std::span<const std::int64_t> m_sumsOfDevice; ///< then, after wait()
    std::vector<std::size_t> m_groups;
    std::vector<std::unique_ptr<Part>> m_parts; ///< by worker; all 0 where not in use
};

} // namespace cannery::trees
