// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/nearest_centers.h"

#include "kernels/cpu/centers_kernels.h"
#include "kernels/device/instructions.h"

#if CANNERY_X86_64_V3

#include <immintrin.h>

#include <algorithm>
#include <array>

namespace cannery::kernels::cpu {

namespace {

constexpr std::int64_t kLanes = 8;
/// Rows of a group: two vectors, each lane a row.
constexpr std::int64_t kGroupRows = 16;
/// Of 16 registers: twelve for sums, two for the rows, one for a center's element.
constexpr int kTileCenters = 6;
/// Fused multiply-adds that make a block worth another thread, and the most rows of one.
constexpr std::int64_t kBlockProducts = 256 * 1024;
constexpr std::int64_t kWideBlockProducts = 1024 * 1024;
constexpr std::int64_t kMostBlockRows = 1024;

/// What a block's tiles share.
struct CentersCall
{
    CenterDistance kind = CenterDistance::SquaredEuclidean;
    ConstMatrixView centers;
    const float* squares = nullptr; ///< |c|^2 of each center
    const float* group = nullptr;   ///< [depth, kGroupRows]: a group's rows, transposed
};

/// Of the rows of a group.
struct Best
{
    __m256 key[2];
    __m256i index[2];
};

/// The columns of eight rows from `source` on, to eight rows of `target`.
void transpose8(const float* source, std::int64_t stride, float* target)
{
    __m256 row[8];
    for (int r = 0; r < 8; ++r) {
        row[r] = _mm256_loadu_ps(source + r * stride);
    }
    __m256 pair[8];
    for (int r = 0; r < 8; r += 2) {
        pair[r] = _mm256_unpacklo_ps(row[r], row[r + 1]);
        pair[r + 1] = _mm256_unpackhi_ps(row[r], row[r + 1]);
    }
    for (int r = 0; r < 8; r += 4) {
        row[r] = _mm256_shuffle_ps(pair[r], pair[r + 2], 0x44);
        row[r + 1] = _mm256_shuffle_ps(pair[r], pair[r + 2], 0xEE);
        row[r + 2] = _mm256_shuffle_ps(pair[r + 1], pair[r + 3], 0x44);
        row[r + 3] = _mm256_shuffle_ps(pair[r + 1], pair[r + 3], 0xEE);
    }
    for (int r = 0; r < 4; ++r) {
        _mm256_storeu_ps(target + r * kGroupRows, _mm256_permute2f128_ps(row[r], row[r + 4], 0x20));
        _mm256_storeu_ps(target + (r + 4) * kGroupRows,
                         _mm256_permute2f128_ps(row[r], row[r + 4], 0x31));
    }
}

/// Rows [first, first + count) as a group; absent rows are 0.
void readGroup(ConstMatrixView points, std::int64_t first, std::int64_t count, float* group)
{
    std::int64_t done = 0;
    // Whole vectors of a full group; the rest is read one by one.
    if (count == kGroupRows) {
        for (; done + kLanes <= points.cols; done += kLanes) {
            transpose8(points.at(first) + done, points.stride, group + done * kGroupRows);
            transpose8(points.at(first + kLanes) + done, points.stride,
                       group + done * kGroupRows + kLanes);
        }
    }
    for (std::int64_t d = done; d < points.cols; ++d) {
        for (std::int64_t r = 0; r < kGroupRows; ++r) {
            // Absent rows are computed like others, and dropped at the end.
            group[d * kGroupRows + r] = r < count ? points.at(first + r)[d] : 0.0F;
        }
    }
}

/// Distances of a group from `Count` centers, without what all centers share.
template <int Count>
[[gnu::always_inline]] inline void tileKeys(const CentersCall& call, std::int64_t firstCenter,
                                            __m256 (&keys)[Count][2])
{
    const std::int64_t depth = call.centers.cols;
    const float* center = call.centers.at(firstCenter);
    const std::int64_t stride = call.centers.stride;
#pragma GCC unroll 6
    for (int c = 0; c < Count; ++c) {
        // Each lane is a row, each pair of sums a center.
        keys[c][0] = _mm256_setzero_ps();
        keys[c][1] = _mm256_setzero_ps();
    }
    for (std::int64_t d = 0; d < depth; ++d) {
        const __m256 low = _mm256_loadu_ps(call.group + d * kGroupRows);
        const __m256 high = _mm256_loadu_ps(call.group + d * kGroupRows + kLanes);
#pragma GCC unroll 6
        for (int c = 0; c < Count; ++c) {
            const __m256 element = _mm256_broadcast_ss(center + c * stride + d);
            keys[c][0] = _mm256_fmadd_ps(low, element, keys[c][0]);
            keys[c][1] = _mm256_fmadd_ps(high, element, keys[c][1]);
        }
    }
#pragma GCC unroll 6
    for (int c = 0; c < Count; ++c) {
        for (__m256& key : keys[c]) {
            // |x - c|^2 without |x|^2, which does not matter for which center is nearest.
            key = call.kind == CenterDistance::Cosine
                      ? _mm256_sub_ps(_mm256_set1_ps(1.0F), key)
                      : _mm256_fmadd_ps(_mm256_set1_ps(-2.0F), key,
                                        _mm256_set1_ps(call.squares[firstCenter + c]));
        }
    }
}

template <int Count>
void nearestOfTile(const CentersCall& call, std::int64_t firstCenter, Best& best)
{
    __m256 keys[Count][2];
    tileKeys<Count>(call, firstCenter, keys);
#pragma GCC unroll 6
    for (int c = 0; c < Count; ++c) {
        const __m256i index = _mm256_set1_epi32(static_cast<int>(firstCenter) + c);
        for (int v = 0; v < 2; ++v) {
            // Only what is closer replaces: of equal centers the first stays.
            const __m256 closer = _mm256_cmp_ps(keys[c][v], best.key[v], _CMP_LT_OQ);
            best.key[v] = _mm256_blendv_ps(best.key[v], keys[c][v], closer);
            best.index[v] = _mm256_castps_si256(_mm256_blendv_ps(
                _mm256_castsi256_ps(best.index[v]), _mm256_castsi256_ps(index), closer));
        }
    }
}

template <int Count>
void storeTile(const CentersCall& call, std::int64_t firstCenter, const __m256 (&shared)[2],
               MatrixView dst)
{
    __m256 keys[Count][2];
    tileKeys<Count>(call, firstCenter, keys);
    alignas(32) std::array<float, kGroupRows> values;
    for (int c = 0; c < Count; ++c) {
        _mm256_store_ps(values.data(), _mm256_add_ps(keys[c][0], shared[0]));
        _mm256_store_ps(values.data() + kLanes, _mm256_add_ps(keys[c][1], shared[1]));
        // Absent rows of the last group are not stored.
        for (std::int64_t r = 0; r < dst.rows; ++r) {
            dst.at(r)[firstCenter + c] = values[static_cast<std::size_t>(r)];
        }
    }
}

/// Calls run.operator()<Count>(first) for tiles of all centers.
template <typename Run>
void forEachTile(std::int64_t centers, const Run& run)
{
    std::int64_t first = 0;
    for (; first + kTileCenters <= centers; first += kTileCenters) {
        run.template operator()<kTileCenters>(first);
    }
    switch (centers - first) {
    case 1:
        return run.template operator()<1>(first);
    case 2:
        return run.template operator()<2>(first);
    case 3:
        return run.template operator()<3>(first);
    case 4:
        return run.template operator()<4>(first);
    case 5:
        return run.template operator()<5>(first);
    default:
        return;
    }
}

/// |x|^2 of a group's rows, or 0.
void sharedByCenters(const CentersCall& call, __m256 (&shared)[2])
{
    shared[0] = _mm256_setzero_ps();
    shared[1] = _mm256_setzero_ps();
    // Cosine distances have no such part.
    for (std::int64_t d = 0; call.kind != CenterDistance::Cosine && d < call.centers.cols; ++d) {
        for (int v = 0; v < 2; ++v) {
            const __m256 value = _mm256_loadu_ps(call.group + d * kGroupRows + v * kLanes);
            shared[v] = _mm256_fmadd_ps(value, value, shared[v]);
        }
    }
}

/// Several centers at a time: a single one mostly waits for its own sum.
void squaresOf(ConstMatrixView centers, float* squares)
{
    for (std::int64_t first = 0; first < centers.rows; first += kLanes) {
        const std::int64_t count = std::min(kLanes, centers.rows - first);
        std::array<float, kLanes> sums{};
        for (std::int64_t d = 0; d < centers.cols; ++d) {
            for (std::int64_t c = 0; c < count; ++c) {
                const float value = centers.at(first + c)[d];
                // With a single rounding, as in the products.
                sums[static_cast<std::size_t>(c)] =
                    __builtin_fmaf(value, value, sums[static_cast<std::size_t>(c)]);
            }
        }
        std::copy_n(sums.begin(), count, squares + first);
    }
}

/// Rows of a block: whole groups.
std::int64_t blockRows(ConstMatrixView centers, std::int64_t groupRows, std::int64_t products)
{
    const std::int64_t perRow = std::max<std::int64_t>(1, centers.rows * centers.cols);
    // At least one group, and at most so many that all threads have some.
    return std::clamp(products / perRow / groupRows * groupRows, groupRows, kMostBlockRows);
}

/// Calls function(call, first row, rows) for every group.
template <typename Function>
void forEachGroup(ThreadPool& pool, CenterDistance kind, ConstMatrixView points,
                  ConstMatrixView centers, const Function& function)
{
    const std::int64_t rows = blockRows(centers, kGroupRows, kBlockProducts);
    forEachBlock(pool, points.rows, rows, [&](BlockRange block, int worker) {
        const std::span<float> scratch = pool.scratch(worker);
        float* squares = scratch.data() + kGroupRows * centers.cols;
        // Each block computes them for itself: threads need not wait for each other.
        squaresOf(centers, squares);
        const CentersCall call{
            .kind = kind, .centers = centers, .squares = squares, .group = scratch.data()};
        for (std::int64_t done = 0; done < block.count; done += kGroupRows) {
            const std::int64_t count = std::min(kGroupRows, block.count - done);
            readGroup(points, block.first + done, count, scratch.data());
            function(call, block.first + done, count);
        }
    });
}

void distances(ThreadPool& pool, CenterDistance kind, ConstMatrixView points,
               ConstMatrixView centers, MatrixView dst)
{
    forEachGroup(pool, kind, points, centers,
                 [&](const CentersCall& call, std::int64_t first, std::int64_t count) {
                     __m256 shared[2];
                     sharedByCenters(call, shared);
                     forEachTile(centers.rows, [&]<int Count>(std::int64_t center) {
                         storeTile<Count>(call, center, shared, dst.slice(first, count));
                     });
                 });
}

void nearest(ThreadPool& pool, CenterDistance kind, ConstMatrixView points, ConstMatrixView centers,
             std::span<std::int32_t> index, std::span<float> distance)
{
    forEachGroup(
        pool, kind, points, centers,
        [&](const CentersCall& call, std::int64_t first, std::int64_t count) {
            // Begun with the first center, as a NaN would be nearer to nothing.
            Best best;
            __m256 keys[1][2];
            tileKeys<1>(call, 0, keys);
            for (int v = 0; v < 2; ++v) {
                best.key[v] = keys[0][v];
                best.index[v] = _mm256_setzero_si256();
            }
            forEachTile(centers.rows, [&]<int Count>(std::int64_t center) {
                nearestOfTile<Count>(call, center, best);
            });
            __m256 shared[2];
            sharedByCenters(call, shared);
            // To memory first: the last group may have fewer rows.
            alignas(32) std::array<float, kGroupRows> keysOut;
            alignas(32) std::array<std::int32_t, kGroupRows> indexOut;
            for (int v = 0; v < 2; ++v) {
                _mm256_store_ps(keysOut.data() + v * kLanes, _mm256_add_ps(best.key[v], shared[v]));
                _mm256_store_si256(reinterpret_cast<__m256i*>(indexOut.data() + v * kLanes),
                                   best.index[v]);
            }
            std::copy_n(keysOut.begin(), count, distance.begin() + first);
            std::copy_n(indexOut.begin(), count, index.begin() + first);
        });
}

/// Calls function(group, first row) for every group of the AVX-512 kernel.
template <typename Function>
void forEachWideGroup(ThreadPool& pool, CenterDistance kind, ConstMatrixView points,
                      ConstMatrixView centers, const Function& function)
{
    const std::int64_t rows = blockRows(centers, kWideGroupRows, kWideBlockProducts);
    forEachBlock(pool, points.rows, rows, [&](BlockRange block, int worker) {
        const std::span<float> scratch = pool.scratch(worker);
        float* squares = scratch.data() + kWideGroupRows * centers.cols;
        squaresOf(centers, squares);
        for (std::int64_t done = 0; done < block.count; done += kWideGroupRows) {
            function(CentersGroup{.rows = points.at(block.first + done),
                                  .rowStep = points.stride,
                                  .rowCount = std::min(kWideGroupRows, block.count - done),
                                  .depth = centers.cols,
                                  .centers = centers.data,
                                  .centerStep = centers.stride,
                                  .centerCount = centers.rows,
                                  .squares = squares,
                                  .isCosine = kind == CenterDistance::Cosine,
                                  .transposed = scratch.data()},
                     block.first + done);
        }
    });
}

void wideDistances(ThreadPool& pool, CenterDistance kind, ConstMatrixView points,
                   ConstMatrixView centers, MatrixView dst)
{
    forEachWideGroup(pool, kind, points, centers,
                     [&](const CentersGroup& group, std::int64_t first) {
                         distancesOfGroupAvx512(group, dst.at(first), dst.stride);
                     });
}

void wideNearest(ThreadPool& pool, CenterDistance kind, ConstMatrixView points,
                 ConstMatrixView centers, std::span<std::int32_t> index, std::span<float> distance)
{
    forEachWideGroup(pool, kind, points, centers,
                     [&](const CentersGroup& group, std::int64_t first) {
                         nearestOfGroupAvx512(group, index.data() + first, distance.data() + first);
                     });
}

} // namespace

const NearestCentersKernels kNearestCenters = {distances, nearest};
const NearestCentersKernels kNearestCentersAvx512 = {wideDistances, wideNearest};

} // namespace cannery::kernels::cpu

#endif
