// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Distances of some rows from all centers. Data and declarations only (gemm_kernels.h).
namespace cannery::kernels::cpu {

struct CentersGroup
{
    const float* rows = nullptr; ///< row r at r * rowStep
    std::int64_t rowStep = 0;
    std::int64_t rowCount = 0; ///< 1 .. kWideGroupRows
    std::int64_t depth = 0;
    const float* centers = nullptr;
    std::int64_t centerStep = 0;
    std::int64_t centerCount = 0;
    const float* squares = nullptr; ///< |c|^2 of each center
    bool isCosine = false;          ///< see CenterDistance
    float* transposed = nullptr;    ///< working memory: depth * kWideGroupRows
};

/// Two vectors of AVX-512.
inline constexpr std::int64_t kWideGroupRows = 32;

/// To row r of `dst`, at r * dstStep.
void distancesOfGroupAvx512(const CentersGroup& group, float* dst, std::int64_t dstStep);
/// The nearest center of each row.
void nearestOfGroupAvx512(const CentersGroup& group, std::int32_t* index, float* distance);

} // namespace cannery::kernels::cpu
