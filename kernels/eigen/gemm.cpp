// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/gemm_kernels.h"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstdint>

/// The micro kernel of the matrix product in Eigen's packets: whatever vectors the processor has.
/// Where its products are fused (AVX2, NEON), it has the bits of the kernels in intrinsics.
namespace cannery::kernels::cpu {

namespace {

using Eigen::internal::padd;
using Eigen::internal::pcmp_lt;
using Eigen::internal::ploadu;
using Eigen::internal::pmadd;
using Eigen::internal::pselect;
using Eigen::internal::pset1;
using Eigen::internal::pstoreu;
using Packet = Eigen::internal::packet_traits<float>::type;

constexpr int kLanes = Eigen::internal::unpacket_traits<Packet>::size;
constexpr int kPanelRows = 6;
constexpr int kPanelCols = 2 * kLanes;

/// `count` floats followed by zeros.
template <int Vectors>
using PaddedRow = std::array<float, static_cast<std::size_t>(Vectors) * kLanes>;

template <int Vectors>
PaddedRow<Vectors> padded(const float* source, std::int64_t count)
{
    PaddedRow<Vectors> row{};
    std::copy_n(source, count, row.begin());
    return row;
}

/// Adds one depth's products. `right` has whole vectors.
template <int Rows, int Vectors>
[[gnu::always_inline]] inline void addDepth(const float* left, std::int64_t rowStep,
                                            const float* right, Packet (&sums)[Rows][Vectors])
{
    Packet factors[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
        // Whole vectors, as the caller has padded the rest.
        factors[v] = ploadu<Packet>(right + v * kLanes);
    }
#pragma GCC unroll 6
    for (int i = 0; i < Rows; ++i) {
        const Packet value = pset1<Packet>(left[i * rowStep]);
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            sums[i][v] = pmadd(value, factors[v], sums[i][v]);
        }
    }
}

/// One row of sums, then what is added to it.
template <int Vectors>
void finishRow(const GemmMicroTile& tile, const Packet (&sums)[Vectors], float* dst)
{
    const PaddedRow<Vectors> before =
        tile.addToDst ? padded<Vectors>(dst, tile.cols) : PaddedRow<Vectors>{};
    const PaddedRow<Vectors> bias =
        tile.bias != nullptr ? padded<Vectors>(tile.bias, tile.cols) : PaddedRow<Vectors>{};
    PaddedRow<Vectors> row;
    for (int v = 0; v < Vectors; ++v) {
        Packet sum = sums[v];
        // In this order, as in the other kernels.
        if (tile.addToDst) {
            sum = padd(ploadu<Packet>(before.data() + v * kLanes), sum);
        }
        if (tile.bias != nullptr) {
            sum = padd(sum, ploadu<Packet>(bias.data() + v * kLanes));
        }
        if (tile.relu) {
            const Packet zero = pset1<Packet>(0.0F);
            sum = pselect(pcmp_lt(sum, zero), zero, sum); // NaN is preserved
        }
        pstoreu(row.data() + v * kLanes, sum);
    }
    std::copy_n(row.begin(), tile.cols, dst);
}

/// IsWhole: the tile has as many columns as the packets have lanes.
template <int Rows, int Vectors, bool IsWhole>
void multiplyMicro(const GemmMicroTile& tile)
{
    Packet sums[Rows][Vectors];
#pragma GCC unroll 6
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            sums[i][v] = pset1<Packet>(0.0F);
        }
    }
    const float* left = tile.left;
    const float* right = tile.right;
    for (std::int64_t k = 0; k < tile.depth; ++k) {
        // Whole tiles need no copy of the right factor.
        if constexpr (IsWhole) {
            addDepth<Rows, Vectors>(left, tile.leftRowStep, right, sums);
        } else {
            addDepth<Rows, Vectors>(left, tile.leftRowStep,
                                    padded<Vectors>(right, tile.cols).data(), sums);
        }
        left += tile.leftDepthStep;
        right += tile.rightStep;
    }
#pragma GCC unroll 6
    for (int i = 0; i < Rows; ++i) {
        finishRow<Vectors>(tile, sums[i], tile.dst + i * tile.dstStride);
    }
}

using MicroKernel = void (*)(const GemmMicroTile&);

template <int Vectors, bool IsWhole>
constexpr MicroKernel kByRows[kPanelRows] = {
    multiplyMicro<1, Vectors, IsWhole>, multiplyMicro<2, Vectors, IsWhole>,
    multiplyMicro<3, Vectors, IsWhole>, multiplyMicro<4, Vectors, IsWhole>,
    multiplyMicro<5, Vectors, IsWhole>, multiplyMicro<6, Vectors, IsWhole>};

template <int Vectors>
void multiplyVectors(const GemmMicroTile& tile)
{
    const bool isWhole = tile.cols == Vectors * kLanes;
    const std::int64_t index = tile.rows - 1;
    (isWhole ? kByRows<Vectors, true>[index] : kByRows<Vectors, false>[index])(tile);
}

void multiply(const GemmMicroTile& tile)
{
    if (tile.cols <= kLanes) {
        multiplyVectors<1>(tile);
    } else {
        multiplyVectors<2>(tile);
    }
}

void packRows(const float* source, std::int64_t step, std::int64_t cols, std::int64_t depth,
              float* packed)
{
    const std::int64_t whole = (cols + kLanes - 1) / kLanes * kLanes;
    for (std::int64_t k = 0; k < depth; ++k) {
        float* to = packed + k * kPanelCols;
        std::copy_n(source + k * step, cols, to);
        // Lanes behind the columns are multiplied as well, and must be 0.
        std::fill_n(to + cols, whole - cols, 0.0F);
    }
}

void packTransposed(const float* source, std::int64_t step, std::int64_t count, std::int64_t depth,
                    float* packed, std::int64_t packedStep)
{
    for (std::int64_t k = 0; k < depth; ++k) {
        for (std::int64_t i = 0; i < count; ++i) {
            packed[k * packedStep + i] = source[i * step + k];
        }
    }
}

void packSideBySide(const float* source, std::int64_t step, const GemmPanels& panels,
                    std::int64_t depth, float* packed)
{
    for (std::int64_t panel = 0; panel < panels.count; ++panel) {
        const std::int64_t height = panels.first[panel + 1] - panels.first[panel];
        for (std::int64_t k = 0; k < depth; ++k) {
            std::copy_n(source + k * step + panels.first[panel], height,
                        packed + panels.packedFirst[panel] + k * height);
        }
    }
}

} // namespace

const GemmKernels kGemmEigen = {
    .lanes = kLanes,
    .panelRows = kPanelRows,
    .panelCols = kPanelCols,
    .multiply = multiply,
    .packRows = packRows,
    .packTransposed = packTransposed,
    .packSideBySide = packSideBySide,
};

} // namespace cannery::kernels::cpu
