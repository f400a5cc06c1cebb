// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// One instruction set's functions for columns_product.cpp. Data and declarations only, for the
/// reason given in gemm_kernels.h.
namespace cannery::kernels::cpu {

/// A ColumnsPart starting at the first row of a tile.
struct ColumnsTilePart
{
    const float* values =
        nullptr; ///< element (r, k) at r * valueStep + k; null if the part has ids
    std::int64_t valueStep = 0;
    const std::int64_t* rowOffsets = nullptr;
    const std::int32_t* ids = nullptr;
    const float* idWeights = nullptr; ///< all 1 if null
    std::int64_t idEnd = 0;           ///< total number of entries
    const float* weights = nullptr;   ///< one row per id, or per k
    std::int64_t weightStep = 0;
    std::int64_t weightRows = 0;
};

/// dst[rows x cols] = (addToDst ? dst : 0) + the parts (+ bias) (then max(0, .)).
struct ColumnsTile
{
    const ColumnsTilePart* parts = nullptr;
    std::int64_t partCount = 0;
    float* dst = nullptr;
    std::int64_t dstStep = 0;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    const float* bias = nullptr;
    bool addToDst = false;
    bool relu = false;
};

void multiplyColumnsAvx2(const ColumnsTile& tile);
void multiplyColumnsAvx512(const ColumnsTile& tile);
void multiplyColumnsEigen(const ColumnsTile& tile);

} // namespace cannery::kernels::cpu
