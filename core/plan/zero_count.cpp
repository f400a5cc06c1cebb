// SPDX-License-Identifier: Apache-2.0
#include "core/plan/zero_count.h"

#include "kernels/device/flush_denormals.h"
#include "kernels/device/row_blocks.h"

#include <array>
#include <atomic>
#include <numeric>

namespace cannery::plan {

namespace {

/// In lanes, for vectorization.
std::int64_t zerosIn(std::span<const float> values)
{
    constexpr std::size_t kLanes = 16;
    std::array<std::int32_t, kLanes> zeros{};
    std::size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            zeros[lane] += values[i + lane] == 0.0F ? 1 : 0;
        }
    }
    for (; i < values.size(); ++i) {
        zeros[0] += values[i] == 0.0F ? 1 : 0;
    }
    return std::accumulate(zeros.begin(), zeros.end(), std::int64_t{0});
}

} // namespace

std::int64_t zerosIn(kernels::ThreadPool& pool, std::span<const float> values)
{
    const kernels::FlushDenormals flush;
    std::atomic<std::int64_t> zeros{0};
    kernels::forEachBlock(pool, static_cast<std::int64_t>(values.size()),
                          4 * kernels::kBlockElements, [&](kernels::BlockRange block, int) {
                              zeros += zerosIn(values.subspan(block.first, block.count));
                          });
    return zeros;
}

} // namespace cannery::plan
