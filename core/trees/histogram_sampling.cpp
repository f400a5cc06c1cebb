// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_sampling.h"

#include "kernels/device/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace cannery::trees {

namespace {

/// Rows of a block: each of its threads' work, and of one random number four.
constexpr std::int64_t kBlockRows = 16 * 1024;
constexpr std::int64_t kLanes = 4;

/// Tells draws of rows and of columns apart.
enum class Drawn : std::uint32_t
{
    Rows = 1,
    Columns = 2,
};

std::array<std::uint32_t, 4> bitsOf(const TreeDraw& draw, Drawn drawn, std::int64_t index)
{
    const auto position = static_cast<std::uint64_t>(index);
    // Counter-based: whether a row is drawn depends on (seed, tree, row) alone, not on threads.
    return kernels::philox(
        {static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(position >> 32U),
         static_cast<std::uint32_t>(draw.tree),
         static_cast<std::uint32_t>(draw.tree >> 32U) ^ (static_cast<std::uint32_t>(drawn) << 30U)},
        {static_cast<std::uint32_t>(draw.seed), static_cast<std::uint32_t>(draw.seed >> 32U)});
}

} // namespace

std::vector<std::uint32_t> drawRows(kernels::ThreadPool& pool, const TreeDraw& draw,
                                    std::int64_t rows, double fraction)
{
    std::vector<std::uint32_t> drawn(static_cast<std::size_t>(rows));
    if (fraction >= 1.0) {
        std::iota(drawn.begin(), drawn.end(), 0U);
        return drawn;
    }
    // fraction * 2^32, compared with 32 random bits.
    const auto limit = static_cast<std::uint64_t>(std::ldexp(fraction, 32));
    // Each block writes to the place of its own rows; the gaps are closed afterwards in order.
    std::vector<std::int64_t> counts(
        static_cast<std::size_t>((rows + kBlockRows - 1) / kBlockRows));
    kernels::forEachBlock(pool, rows, kBlockRows, [&](kernels::BlockRange range, int) {
        std::int64_t count = 0;
        for (std::int64_t row = range.first; row < range.first + range.count; row += kLanes) {
            const auto bits = bitsOf(draw, Drawn::Rows, row / kLanes);
            for (std::int64_t lane = 0; lane < std::min(kLanes, range.first + range.count - row);
                 ++lane) {
                if (bits[lane] < limit) {
                    drawn[range.first + count++] = static_cast<std::uint32_t>(row + lane);
                }
            }
        }
        counts[range.first / kBlockRows] = count;
    });
    auto end = drawn.begin();
    for (std::size_t block = 0; block < counts.size(); ++block) {
        const auto first = drawn.begin() + static_cast<std::ptrdiff_t>(block) * kBlockRows;
        end = std::copy(first, first + counts[block], end);
    }
    drawn.erase(end, drawn.end());
    return drawn;
}

std::vector<std::size_t> drawColumns(const TreeDraw& draw, std::size_t columns, double fraction)
{
    std::vector<std::size_t> order(columns);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto count = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(columns)));
    if (count >= columns) {
        return order;
    }
    // Columns with the smallest keys: an exact number of them, unlike rows.
    const auto keyOf = [&](std::size_t column) {
        return bitsOf(draw, Drawn::Columns, static_cast<std::int64_t>(column)).front();
    };
    std::vector<std::uint32_t> keys(columns);
    std::transform(order.begin(), order.end(), keys.begin(), keyOf);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    order.resize(count);
    // In the order of the table, as equal gains go to the first column.
    std::sort(order.begin(), order.end());
    return order;
}

} // namespace cannery::trees
