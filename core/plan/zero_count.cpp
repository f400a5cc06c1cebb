// SPDX-License-Identifier: Apache-2.0
#include "core/plan/zero_count.h"

#include "kernels/device/flush_denormals.h"
#include "kernels/device/row_blocks.h"

#include <array>
#include <atomic>
#include <numeric>
#include <span>

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

std::int64_t zerosInRows(kernels::ConstMatrixView values)
{
    std::int64_t zeros = 0;
    for (std::int64_t row = 0; row < values.rows; ++row) {
        for (std::int64_t col = 0; col < values.cols; ++col) {
            zeros += values.at(row)[col] == 0.0F ? 1 : 0;
        }
    }
    return zeros;
}

} // namespace

std::int64_t zerosIn(kernels::ThreadPool& pool, kernels::ConstMatrixView values)
{
    const kernels::FlushDenormals flush;
    std::atomic<std::int64_t> zeros{0};
    if (!values.contiguous()) {
        kernels::forEachBlock(pool, values.rows, 4 * kernels::kBlockElements,
                              [&](kernels::BlockRange block, int) {
                                  zeros += zerosInRows(values.slice(block.first, block.count));
                              });
        return zeros;
    }
    const std::span<const float> flat = values.flat();
    kernels::forEachBlock(pool, static_cast<std::int64_t>(flat.size()), 4 * kernels::kBlockElements,
                          [&](kernels::BlockRange block, int) {
                              zeros += zerosIn(flat.subspan(block.first, block.count));
                          });
    return zeros;
}

} // namespace cannery::plan
