// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/gradient_histogram.h"

#include <algorithm>

namespace cannery::kernels::cpu {

namespace {

/// Rows whose bins are fetched ahead.
constexpr std::size_t kAhead = 16;

/// One 64-bit addition per row and column, into cells that stay in the nearest cache.
template <std::int64_t Width>
void sumBlock(const std::uint8_t* bins, std::span<const std::uint32_t> rows,
              const std::uint64_t* gradients, std::uint64_t* cells)
{
    const std::size_t count = rows.size();
    for (std::size_t i = 0; i < count; ++i) {
        // The rows of a node are anywhere in the table, so the processor cannot foresee them.
        const std::uint32_t ahead = rows[i + kAhead < count ? i + kAhead : i];
        __builtin_prefetch(bins + static_cast<std::int64_t>(ahead) * Width);
        __builtin_prefetch(gradients + ahead);
        const std::uint8_t* row = bins + static_cast<std::int64_t>(rows[i]) * Width;
        // Gradient, curvature and count in one number: a single addition adds all three.
        const std::uint64_t gradient = gradients[rows[i]];
#pragma GCC unroll 16
        for (std::int64_t c = 0; c < Width; ++c) {
            cells[c * kHistogramBins + row[c]] += gradient;
        }
    }
}

void sumBlock(BinnedGroup group, std::span<const std::uint32_t> rows,
              const std::uint64_t* gradients, std::uint64_t* cells)
{
    switch (group.width) {
    case 4:
        return sumBlock<4>(group.bins, rows, gradients, cells);
    case 8:
        return sumBlock<8>(group.bins, rows, gradients, cells);
    case 12:
        return sumBlock<12>(group.bins, rows, gradients, cells);
    default:
        return sumBlock<16>(group.bins, rows, gradients, cells);
    }
}

void unpack(const std::uint64_t* cells, const HistogramRange& column, HistogramSums sums)
{
    std::int64_t* gradients = sums.gradients + column.first;
    std::int64_t* hessians = sums.hessians + column.first;
    std::int64_t* rows = sums.rows + column.first;
    for (std::int64_t b = 0; b < column.bins; ++b) {
        const std::uint64_t count = cells[b] & 0xFFFU;
        // The parts of a cell are 12, 25 and 27 bits wide.
        rows[b] += static_cast<std::int64_t>(count);
        hessians[b] += static_cast<std::int64_t>((cells[b] >> 12U) & 0x1FFFFFFU);
        // Gradients were made positive by an offset, which is taken off again for each row.
        gradients[b] += static_cast<std::int64_t>((cells[b] >> 37U) - (count << 15U));
    }
}

void add(BinnedGroup group, std::span<const std::uint32_t> rows,
         std::span<const std::uint64_t> gradients, std::span<const HistogramRange> columns,
         HistogramSums sums, std::span<std::uint64_t> scratch)
{
    const auto cells = scratch.first(static_cast<std::size_t>(group.width * kHistogramBins));
    while (!rows.empty()) {
        // No more rows at once than the bits of a cell can count.
        const std::size_t count =
            std::min(rows.size(), static_cast<std::size_t>(kHistogramBlockRows));
        std::fill(cells.begin(), cells.end(), 0);
        sumBlock(group, rows.first(count), gradients.data(), cells.data());
        for (std::size_t c = 0; c < columns.size(); ++c) {
            unpack(cells.data() + c * kHistogramBins, columns[c], sums);
        }
        rows = rows.subspan(count);
    }
}

} // namespace

const GradientHistogramKernels kGradientHistogram = {add};

} // namespace cannery::kernels::cpu
