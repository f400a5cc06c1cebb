// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_builder.h"

#include <algorithm>

namespace cannery::trees {

namespace {

/// Large enough that starting a block costs little, small enough to balance the threads.
/// Rows of a group that one thread takes at once.
constexpr std::int64_t kSummedRows = 8 * kernels::kHistogramBlockRows;

} // namespace

HistogramBuilder::HistogramBuilder(const HistogramTable& table, kernels::ThreadPool& pool,
                                   LeafDevice* device)
    : m_table(table), m_pool(pool), m_device(device)
{
    for (int worker = 0; worker < pool.threadCount(); ++worker) {
        auto part = std::make_unique<Part>(table.binCount());
        part->scratch.resize(
            static_cast<std::size_t>(kernels::kHistogramGroup * kernels::kHistogramBins));
        m_parts.push_back(std::move(part));
    }
}

void HistogramBuilder::select(std::span<const std::size_t> columns)
{
    for (const std::unique_ptr<Part>& part : m_parts) {
        // finish() subtracts histograms of all columns, so those not selected must be 0.
        part->histogram = LeafHistogram(m_table.binCount()); // left by columns outside of the last
    }
    m_groups.clear();
    for (const std::size_t column : columns) {
        const std::size_t group = column / static_cast<std::size_t>(kernels::kHistogramGroup);
        if (m_groups.empty() || m_groups.back() != group) {
            m_groups.push_back(group);
        }
    }
}

void HistogramBuilder::add(std::span<const std::uint32_t> rows,
                           std::span<const std::uint64_t> gradients)
{
    m_isOnDevice = m_device != nullptr && m_device->takes(static_cast<std::int64_t>(rows.size()));
    if (m_isOnDevice) {
        m_device->add(rows);
    } else {
        addHere(rows, gradients);
    }
}

Result<void> HistogramBuilder::wait()
{
    if (m_isOnDevice) {
        CANNERY_TRY_ASSIGN(m_sumsOfDevice, m_device->finish());
    }
    return {};
}

void HistogramBuilder::addHere(std::span<const std::uint32_t> rows,
                               std::span<const std::uint64_t> gradients)
{
    // Parts of threads that got no block keep zeros, and finish() skips them.
    for (const std::unique_ptr<Part>& part : m_parts) {
        part->isUsed = false;
    }
    const auto count = static_cast<std::int64_t>(rows.size());
    const std::int64_t chunks = (count + kSummedRows - 1) / kSummedRows;
    const auto groups = static_cast<std::int64_t>(m_groups.size());
    // Any thread may take any block: the sums are of integers, hence the same in every order.
    m_pool.parallelFor(chunks * groups, [&](std::int64_t block, int worker) {
        const std::int64_t first = block / groups * kSummedRows;
        const std::size_t group = m_groups[block % groups];
        // A part for each thread instead of one shared histogram, which would need atomic
        // additions.
        Part& part = *m_parts[worker];
        part.isUsed = true;
        const kernels::BinnedGroup bins = m_table.group(group);
        kernels::gradientHistogramKernels({bins.width})
            .add(bins, rows.subspan(first, std::min(kSummedRows, count - first)), gradients,
                 m_table.rangesOf(group), part.histogram.sums(), part.scratch);
    });
}

void HistogramBuilder::finish(std::size_t column, LeafHistogram& histogram)
{
    const kernels::HistogramRange range = m_table.ranges()[column];
    const kernels::HistogramSums to = histogram.sums(range);
    if (m_isOnDevice) {
        const std::int64_t* from = m_sumsOfDevice.data() + range.first;
        for (std::int64_t* const sums : {to.gradients, to.hessians, to.rows}) {
            std::copy_n(from, range.bins, sums);
            from += m_table.binCount();
        }
        return;
    }
    const auto move = [&range](std::int64_t* part, std::int64_t* whole) {
        for (std::int64_t b = 0; b < range.bins; ++b) {
            whole[b] += part[b];
            // Cleared while it is in the cache, for the next leaf.
            part[b] = 0;
        }
    };
    std::fill_n(to.gradients, range.bins, 0);
    std::fill_n(to.hessians, range.bins, 0);
    std::fill_n(to.rows, range.bins, 0);
    for (const std::unique_ptr<Part>& part : m_parts) {
        if (part->isUsed) {
            const kernels::HistogramSums from = part->histogram.sums(range);
            move(from.gradients, to.gradients);
            move(from.hessians, to.hessians);
            move(from.rows, to.rows);
        }
    }
}

} // namespace cannery::trees
