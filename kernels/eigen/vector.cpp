// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/matrix_vector.h"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

/// The products with a vector in Eigen's packets: eight lanes, in as many packets as they take.
namespace cannery::kernels::cpu {

namespace {

using Widest = Eigen::internal::packet_traits<float>::type;
using WidestTraits = Eigen::internal::unpacket_traits<Widest>;

constexpr int kLanes = 8;

using Packet = std::conditional_t<(WidestTraits::size > kLanes), WidestTraits::half, Widest>;

constexpr int kPacketLanes = Eigen::internal::unpacket_traits<Packet>::size;
constexpr int kPackets = kLanes / kPacketLanes;
static_assert(kPackets * kPacketLanes == kLanes);

using Lanes = std::array<float, kLanes>;

/// sums[l] += left[l] * right[l]
void addProducts(const float* left, const float* right, Lanes& sums)
{
    for (int p = 0; p < kPackets; ++p) {
        float* sum = sums.data() + p * kPacketLanes;
        Eigen::internal::pstoreu(
            sum, Eigen::internal::pmadd(Eigen::internal::ploadu<Packet>(left + p * kPacketLanes),
                                        Eigen::internal::ploadu<Packet>(right + p * kPacketLanes),
                                        Eigen::internal::ploadu<Packet>(sum)));
    }
}

void multiplyRows(ConstMatrixView src, std::int64_t row, std::int64_t count, const float* weights,
                  float* result)
{
    const std::int64_t whole = src.cols / kLanes * kLanes;
    const std::int64_t rest = src.cols - whole;
    // What is left of the columns is filled up with zeros.
    Lanes lastWeights{};
    std::copy_n(weights + whole, rest, lastWeights.begin());
    for (std::int64_t i = 0; i < count; ++i) {
        const float* values = src.at(row + i);
        Lanes sums{};
        for (std::int64_t k = 0; k < whole; k += kLanes) {
            addProducts(values + k, weights + k, sums);
        }
        if (rest > 0) {
            Lanes lastValues{};
            std::copy_n(values + whole, rest, lastValues.begin());
            addProducts(lastValues.data(), lastWeights.data(), sums);
        }
        // In this order, so that every processor has the same bits.
        result[i] = ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
                    ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
}

void sumColumns(ConstMatrixView src, ConstMatrixView dstGrad, BlockRange rows, BlockRange cols,
                float* result)
{
    for (std::int64_t c = 0; c < cols.count; c += kLanes) {
        const std::int64_t count = std::min<std::int64_t>(kLanes, cols.count - c);
        Lanes sums{};
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            // Lanes beyond the columns are 0, and are not stored.
            Lanes values{};
            std::copy_n(src.at(r) + cols.first + c, count, values.begin());
            Lanes grads;
            grads.fill(*dstGrad.at(r));
            addProducts(values.data(), grads.data(), sums);
        }
        std::copy_n(sums.begin(), count, result + c);
    }
}

} // namespace

const VectorKernels kVectorEigen = {multiplyRows, sumColumns};

} // namespace cannery::kernels::cpu
