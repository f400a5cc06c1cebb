// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/columns_kernels.h"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstdint>

/// The product of columns in Eigen's packets. Where products are fused (AVX2, NEON), it has the
/// bits of the kernels in intrinsics.
namespace cannery::kernels::cpu {

namespace {

using Packet = Eigen::internal::packet_traits<float>::type;

constexpr std::int64_t kLanes = Eigen::internal::unpacket_traits<Packet>::size;
/// Columns whose sums lie side by side: a few packets.
constexpr std::int64_t kGroup = 32;
static_assert(kGroup % kLanes == 0);

using Group = std::array<float, kGroup>;

/// `count` floats followed by zeros.
Group paddedGroup(const float* source, std::int64_t count)
{
    Group group{};
    std::copy_n(source, count, group.begin());
    return group;
}

/// Combines each packet of `sums` with that of `values`, and stores it in `sums`.
template <typename Operation>
[[gnu::always_inline]] inline void combine(Group& sums, const float* values,
                                           const Operation& operation)
{
    for (std::int64_t lane = 0; lane < kGroup; lane += kLanes) {
        const Packet sum = Eigen::internal::ploadu<Packet>(sums.data() + lane);
        const Packet value = Eigen::internal::ploadu<Packet>(values + lane);
        Eigen::internal::pstoreu(sums.data() + lane, operation(sum, value));
    }
}

/// The same with values of which only `count` may be read.
template <typename Operation>
void combineSome(Group& sums, const float* values, std::int64_t count, const Operation& operation)
{
    if (count == kGroup) {
        combine(sums, values, operation);
    } else {
        combine(sums, paddedGroup(values, count).data(), operation);
    }
}

Packet add(const Packet& sum, const Packet& value)
{
    return Eigen::internal::padd(sum, value);
}

void addIdsOfRow(const ColumnsTilePart& part, std::int64_t row, std::int64_t col,
                 std::int64_t count, Group& sums)
{
    for (std::int64_t entry = part.rowOffsets[row]; entry < part.rowOffsets[row + 1]; ++entry) {
        const std::int32_t id = part.ids[entry];
        // Unknown ids have no weights.
        if (id < 0 || id >= part.weightRows) {
            continue;
        }
        const float* weights = part.weights + id * part.weightStep + col;
        if (part.idWeights == nullptr) {
            combineSome(sums, weights, count, add);
            continue;
        }
        const auto factor = Eigen::internal::pset1<Packet>(part.idWeights[entry]);
        combineSome(sums, weights, count, [&](const Packet& sum, const Packet& value) {
            return add(sum, Eigen::internal::pmul(factor, value));
        });
    }
}

void addValuesOfRow(const ColumnsTilePart& part, std::int64_t row, std::int64_t col,
                    std::int64_t count, Group& sums)
{
    // Products of their own, so that the order of additions is that of the other kernels.
    Group products{};
    const float* values = part.values + row * part.valueStep;
    for (std::int64_t k = 0; k < part.weightRows; ++k) {
        const auto value = Eigen::internal::pset1<Packet>(values[k]);
        combineSome(products, part.weights + k * part.weightStep + col, count,
                    [&](const Packet& sum, const Packet& weight) {
                        return Eigen::internal::pmadd(value, weight, sum);
                    });
    }
    combine(sums, products.data(), add);
}

} // namespace

void multiplyColumnsEigen(const ColumnsTile& tile)
{
    for (std::int64_t row = 0; row < tile.rows; ++row) {
        for (std::int64_t col = 0; col < tile.cols; col += kGroup) {
            const std::int64_t count = std::min(kGroup, tile.cols - col);
            float* dst = tile.dst + row * tile.dstStep + col;
            // Absent columns are 0, and are not stored.
            Group sums = tile.addToDst ? paddedGroup(dst, count) : Group{};
            for (std::int64_t index = 0; index < tile.partCount; ++index) {
                const ColumnsTilePart& part = tile.parts[index];
                if (part.values != nullptr) {
                    addValuesOfRow(part, row, col, count, sums);
                } else {
                    addIdsOfRow(part, row, col, count, sums);
                }
            }
            if (tile.bias != nullptr) {
                combineSome(sums, tile.bias + col, count, add);
            }
            for (float& sum : sums) {
                sum = tile.relu && sum < 0.0F ? 0.0F : sum; // NaN is preserved
            }
            std::copy_n(sums.begin(), count, dst);
        }
    }
}

} // namespace cannery::kernels::cpu
