// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/finite.h"

#include "kernels/device/row_blocks.h"

#include <atomic>
#include <bit>

namespace cannery::kernels::cpu {

namespace {

bool areFinite(std::span<const float> values)
{
    constexpr std::uint32_t kExponent = 0x7f800000U;
    // Without a branch, so that the loop is vectorized.
    std::uint32_t others = 0;
    for (const float value : values) {
        others |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1U : 0U;
    }
    return others == 0;
}

} // namespace

bool areFinite(ThreadPool& pool, ConstMatrixView values)
{
    std::atomic<bool> all = true;
    forEachRowBlock(pool, values.rows, values.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            if (!areFinite(values.row(r))) {
                all = false;
            }
        }
    });
    return all;
}

bool areFinite(ThreadPool& pool, std::span<const float> values)
{
    std::atomic<bool> all = true;
    forEachBlock(pool, static_cast<std::int64_t>(values.size()), kBlockElements,
                 [&](BlockRange block, int) {
                     if (!areFinite(values.subspan(block.first, block.count))) {
                         all = false;
                     }
                 });
    return all;
}

} // namespace cannery::kernels::cpu
