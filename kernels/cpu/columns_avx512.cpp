// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64-v4 only: no inline functions may be shared with other files (gemm_kernels.h).
#include "kernels/cpu/columns_kernels.h"

#if defined(__AVX512F__)

#include <immintrin.h>

namespace cannery::kernels::cpu {

namespace {

constexpr int kLanes = 16;
/// Vectors of a row whose ids are looked up, kept in registers.
constexpr int kIdVectors = 8;
/// Of 32 registers: 12 for sums, 12 for those of a dense part, four for a row of its weights.
constexpr int kValueRows = 3;
constexpr int kValueVectors = 4;
/// Rows that stay in the L1 cache from pass to pass; a multiple of kValueRows.
constexpr std::int64_t kChunkRows = 24;
/// How many entries ahead a row of weights is prefetched.
constexpr std::int64_t kPrefetchDistance = 8;

/// Adjacent parts of one kind, and what happens to dst before the next ones.
struct Pass
{
    const ColumnsTilePart* begin = nullptr;
    const ColumnsTilePart* end = nullptr;
    bool addToDst = false;
    const float* bias = nullptr;
    bool relu = false;
};

__mmask16 laneMask(std::int64_t lanes)
{
    return static_cast<__mmask16>(lanes >= kLanes ? 0xFFFFU : (1U << lanes) - 1U);
}

/// `Vectors` vectors of a row from `source` on; the mask truncates the last one.
template <int Vectors>
[[gnu::always_inline]] inline __m512 load(const float* source, int vector, __mmask16 mask)
{
    source += vector * kLanes;
    return vector + 1 < Vectors ? _mm512_loadu_ps(source) : _mm512_maskz_loadu_ps(mask, source);
}

template <int Vectors>
[[gnu::always_inline]] inline void store(__m512 sum, const ColumnsTile& tile, const Pass& pass,
                                         std::int64_t row, std::int64_t col, int vector,
                                         __mmask16 mask)
{
    if (pass.bias != nullptr) {
        sum = _mm512_add_ps(sum, load<Vectors>(pass.bias + col, vector, mask));
    }
    if (pass.relu) {
        sum = _mm512_max_ps(_mm512_setzero_ps(), sum); // in this order NaN is preserved
    }
    float* dst = tile.dst + row * tile.dstStep + col + vector * kLanes;
    if (vector + 1 < Vectors) {
        _mm512_storeu_ps(dst, sum);
    } else {
        _mm512_mask_storeu_ps(dst, mask, sum);
    }
}

template <int Vectors>
[[gnu::always_inline]] inline void addWeights(const ColumnsTilePart& part, std::int64_t entry,
                                              std::int64_t col, __mmask16 mask,
                                              __m512 (&sums)[Vectors])
{
    const std::int32_t id = part.ids[entry];
    // Ids below 0 and beyond the table add nothing.
    if (id < 0 || id >= part.weightRows) {
        return;
    }
    const float* source = part.weights + id * part.weightStep + col;
    if (part.idWeights == nullptr) {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            sums[v] = _mm512_add_ps(sums[v], load<Vectors>(source, v, mask));
        }
        return;
    }
    const __m512 factor = _mm512_set1_ps(part.idWeights[entry]);
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
        sums[v] = _mm512_add_ps(sums[v], _mm512_mul_ps(factor, load<Vectors>(source, v, mask)));
    }
}

/// One row of parts with ids.
template <int Vectors>
void addIds(const ColumnsTile& tile, const Pass& pass, std::int64_t row, std::int64_t col)
{
    const __mmask16 mask = laneMask(tile.cols - col - (Vectors - 1) * kLanes);
    __m512 sums[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
        sums[v] = pass.addToDst ? load<Vectors>(tile.dst + row * tile.dstStep + col, v, mask)
                                : _mm512_setzero_ps();
    }
    for (const ColumnsTilePart* part = pass.begin; part != pass.end; ++part) {
        const std::int64_t begin = part->rowOffsets[row];
        const std::int64_t end = part->rowOffsets[row + 1];
        if (begin + kPrefetchDistance < part->idEnd) {
            // An address outside the weights is harmless.
            const std::int32_t ahead = part->ids[begin + kPrefetchDistance];
            const float* source = part->weights + ahead * part->weightStep + col;
            _mm_prefetch(reinterpret_cast<const char*>(source), _MM_HINT_T0);
        }
        for (std::int64_t entry = begin; entry < end; ++entry) {
            addWeights<Vectors>(*part, entry, col, mask, sums);
        }
    }
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
        store<Vectors>(sums[v], tile, pass, row, col, v, mask);
    }
}

/// A few rows of a part with values: its sums, starting at 0.
template <int Rows, int Vectors>
[[gnu::always_inline]] inline void addValues(const ColumnsTilePart& part, std::int64_t row,
                                             std::int64_t col, __mmask16 mask,
                                             __m512 (&sums)[Rows][Vectors])
{
    __m512 products[Rows][Vectors];
/// The sums of a dense part begin at 0 and are added as a whole, as a separate product would, so
/// the bits do not depend on what is fused.
#pragma GCC unroll 3
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            products[i][v] = _mm512_setzero_ps();
        }
    }
    const float* values = part.values + row * part.valueStep;
    const float* source = part.weights + col;
    for (std::int64_t k = 0; k < part.weightRows; ++k, source += part.weightStep) {
        __m512 weights[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            weights[v] = load<Vectors>(source, v, mask);
        }
#pragma GCC unroll 3
        for (int i = 0; i < Rows; ++i) {
            const __m512 value = _mm512_set1_ps(values[i * part.valueStep + k]);
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                products[i][v] = _mm512_fmadd_ps(value, weights[v], products[i][v]);
            }
        }
    }
#pragma GCC unroll 3
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            sums[i][v] = _mm512_add_ps(sums[i][v], products[i][v]);
        }
    }
}

/// A few rows of parts with values.
template <int Rows, int Vectors>
void multiplyValues(const ColumnsTile& tile, const Pass& pass, std::int64_t row, std::int64_t col)
{
    const __mmask16 mask = laneMask(tile.cols - col - (Vectors - 1) * kLanes);
    __m512 sums[Rows][Vectors];
#pragma GCC unroll 3
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            sums[i][v] = pass.addToDst
                             ? load<Vectors>(tile.dst + (row + i) * tile.dstStep + col, v, mask)
                             : _mm512_setzero_ps();
        }
    }
    for (const ColumnsTilePart* part = pass.begin; part != pass.end; ++part) {
        addValues<Rows, Vectors>(*part, row, col, mask, sums);
    }
#pragma GCC unroll 3
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            store<Vectors>(sums[i][v], tile, pass, row + i, col, v, mask);
        }
    }
}

using RowFunction = void (*)(const ColumnsTile&, const Pass&, std::int64_t, std::int64_t);

/// All columns of a row (or a few): as many vectors at once as there are functions.
template <int Most>
void forEachColumns(const RowFunction (&byVectors)[Most], const ColumnsTile& tile, const Pass& pass,
                    std::int64_t row)
{
    for (std::int64_t col = 0; col < tile.cols; col += Most * kLanes) {
        const std::int64_t vectors = (tile.cols - col + kLanes - 1) / kLanes;
        byVectors[vectors < Most ? vectors - 1 : Most - 1](tile, pass, row, col);
    }
}

template <int Rows>
constexpr RowFunction kValues[kValueVectors] = {multiplyValues<Rows, 1>, multiplyValues<Rows, 2>,
                                                multiplyValues<Rows, 3>, multiplyValues<Rows, 4>};
constexpr RowFunction kIds[kIdVectors] = {addIds<1>, addIds<2>, addIds<3>, addIds<4>,
                                          addIds<5>, addIds<6>, addIds<7>, addIds<8>};

void runPass(const ColumnsTile& tile, const Pass& pass, std::int64_t row, std::int64_t endRow)
{
    const bool hasValues = pass.begin->values != nullptr;
    // Three rows at a time share each load of weights.
    for (; hasValues && row + kValueRows <= endRow; row += kValueRows) {
        forEachColumns(kValues<kValueRows>, tile, pass, row);
    }
    for (; row < endRow; ++row) {
        if (hasValues) {
            forEachColumns(kValues<1>, tile, pass, row);
        } else {
            forEachColumns(kIds, tile, pass, row);
        }
    }
}

} // namespace

void multiplyColumnsAvx512(const ColumnsTile& tile)
{
    for (std::int64_t row = 0; row < tile.rows; row += kChunkRows) {
        const std::int64_t endRow = row + kChunkRows < tile.rows ? row + kChunkRows : tile.rows;
        const ColumnsTilePart* end = tile.parts + tile.partCount;
        Pass pass{.end = tile.parts, .addToDst = tile.addToDst};
        while (pass.end != end) {
            pass.begin = pass.end;
            while (pass.end != end &&
                   (pass.end->values == nullptr) == (pass.begin->values == nullptr)) {
                ++pass.end;
            }
            if (pass.end == end) {
                pass.bias = tile.bias;
                pass.relu = tile.relu;
            }
            runPass(tile, pass, row, endRow);
            pass.addToDst = true;
        }
    }
}

} // namespace cannery::kernels::cpu

#endif
