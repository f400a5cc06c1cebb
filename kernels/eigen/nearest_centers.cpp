// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/nearest_centers.h"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

/// Distances in Eigen's packets, each lane a row.
namespace cannery::kernels::eigen {

namespace {

using Packet = Eigen::internal::packet_traits<float>::type;

constexpr std::int64_t kLanes = Eigen::internal::unpacket_traits<Packet>::size;
constexpr std::int64_t kGroupRows = 16;
constexpr std::int64_t kPackets = kGroupRows / kLanes;
static_assert(kPackets * kLanes == kGroupRows);
/// Fused multiply-adds that make a block worth another thread, and the most rows of one.
constexpr std::int64_t kProductsOfBlock = 256 * 1024;
constexpr std::int64_t kMostRows = 1024;

using Distances = std::array<float, kGroupRows>;

/// sums[lane] += rows[lane] * factors[lane]
void addProducts(const float* rows, const float* factors, Distances& sums)
{
    for (std::int64_t lane = 0; lane < kGroupRows; lane += kLanes) {
        Eigen::internal::pstoreu(
            sums.data() + lane,
            Eigen::internal::pmadd(Eigen::internal::ploadu<Packet>(rows + lane),
                                   Eigen::internal::ploadu<Packet>(factors + lane),
                                   Eigen::internal::ploadu<Packet>(sums.data() + lane)));
    }
}

/// Some rows, [depth, kGroupRows]: transposed, and absent ones are 0.
struct Group
{
    Group(ConstMatrixView points, std::int64_t first, std::int64_t count, float* memory)
        : values(memory), depth(points.cols)
    {
        for (std::int64_t d = 0; d < depth; ++d) {
            for (std::int64_t r = 0; r < kGroupRows; ++r) {
                // Absent rows are computed like others, and dropped.
                memory[d * kGroupRows + r] = r < count ? points.at(first + r)[d] : 0.0F;
            }
        }
    }
    const float* at(std::int64_t d) const { return values + d * kGroupRows; }

    const float* values;
    std::int64_t depth;
};

/// |x|^2 of each row, or 0: what all centers share.
Distances sharedOf(CenterDistance kind, const Group& group)
{
    Distances shared{};
    // Cosine distances have no such part.
    for (std::int64_t d = 0; kind != CenterDistance::Cosine && d < group.depth; ++d) {
        addProducts(group.at(d), group.at(d), shared);
    }
    return shared;
}

/// Distances from a center without what all centers share.
Distances keysOf(CenterDistance kind, const Group& group, const float* center, float square)
{
    Distances products{};
    for (std::int64_t d = 0; d < group.depth; ++d) {
        Distances element;
        element.fill(center[d]);
        addProducts(group.at(d), element.data(), products);
    }
    Distances keys;
    if (kind == CenterDistance::Cosine) {
        std::ranges::transform(products, keys.begin(), [](float x) { return 1.0F - x; });
        return keys;
    }
    // |c|^2 - 2 x c, which decides what is nearest.
    keys.fill(square);
    Distances factor;
    factor.fill(-2.0F);
    addProducts(products.data(), factor.data(), keys);
    return keys;
}

void squaresOfCenters(ConstMatrixView centers, float* squares)
{
    for (std::int64_t c = 0; c < centers.rows; ++c) {
        float sum = 0;
        for (const float value : centers.row(c)) {
            sum = std::fma(value, value, sum);
        }
        squares[c] = sum;
    }
}

/// Calls function(group, squares of the centers, first row, rows) for every group.
template <typename Function>
void forEachGroupOf(ThreadPool& pool, ConstMatrixView points, ConstMatrixView centers,
                    const Function& function)
{
    const std::int64_t perRow = std::max<std::int64_t>(1, centers.rows * centers.cols);
    // Whole groups.
    const std::int64_t rows =
        std::clamp(kProductsOfBlock / perRow / kGroupRows * kGroupRows, kGroupRows, kMostRows);
    forEachBlock(pool, points.rows, rows, [&](BlockRange block, int worker) {
        const std::span<float> scratch = pool.scratch(worker);
        float* squares = scratch.data() + kGroupRows * centers.cols;
        squaresOfCenters(centers, squares);
        for (std::int64_t done = 0; done < block.count; done += kGroupRows) {
            const std::int64_t count = std::min(kGroupRows, block.count - done);
            const Group group(points, block.first + done, count, scratch.data());
            function(group, squares, block.first + done, count);
        }
    });
}

void distances(ThreadPool& pool, CenterDistance kind, ConstMatrixView points,
               ConstMatrixView centers, MatrixView dst)
{
    forEachGroupOf(
        pool, points, centers,
        [&](const Group& group, const float* squares, std::int64_t first, std::int64_t count) {
            const Distances shared = sharedOf(kind, group);
            for (std::int64_t c = 0; c < centers.rows; ++c) {
                const Distances keys = keysOf(kind, group, centers.at(c), squares[c]);
                for (std::int64_t r = 0; r < count; ++r) {
                    const auto lane = static_cast<std::size_t>(r);
                    dst.at(first + r)[c] = keys[lane] + shared[lane];
                }
            }
        });
}

void nearest(ThreadPool& pool, CenterDistance kind, ConstMatrixView points, ConstMatrixView centers,
             std::span<std::int32_t> index, std::span<float> distance)
{
    forEachGroupOf(
        pool, points, centers,
        [&](const Group& group, const float* squares, std::int64_t first, std::int64_t count) {
            Distances best = keysOf(kind, group, centers.at(0), squares[0]);
            std::array<std::int32_t, kGroupRows> bestIndex{};
            for (std::int64_t c = 1; c < centers.rows; ++c) {
                const Distances keys = keysOf(kind, group, centers.at(c), squares[c]);
                for (std::size_t r = 0; r < keys.size(); ++r) {
                    // Only what is closer replaces: of equal centers the first stays.
                    const bool closer = keys[r] < best[r];
                    best[r] = closer ? keys[r] : best[r];
                    bestIndex[r] = closer ? static_cast<std::int32_t>(c) : bestIndex[r];
                }
            }
            const Distances shared = sharedOf(kind, group);
            for (std::int64_t r = 0; r < count; ++r) {
                const auto lane = static_cast<std::size_t>(r);
                const auto place = static_cast<std::size_t>(first + r);
                distance[place] = best[lane] + shared[lane];
                index[place] = bestIndex[lane];
            }
        });
}

} // namespace

const NearestCentersKernels kNearestCenters = {distances, nearest};

#if defined(EIGEN_VECTORIZE_FMA) || defined(__ARM_FEATURE_FMA)
const bool kFusesProducts = true;
#else
const bool kFusesProducts = false;
#endif

} // namespace cannery::kernels::eigen
