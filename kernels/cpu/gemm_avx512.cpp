// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64-v4 only: no inline functions may be shared with other files (gemm_kernels.h).
#include "kernels/cpu/gemm_kernels.h"

#if defined(__AVX512F__)

#include <immintrin.h>

namespace cannery::kernels::cpu {

namespace {

// 28 of the 32 registers hold sums; two vectors of the right-hand factor and one value of the left
// take the rest. Two products per cycle need 16 loads in 14 cycles, half the available throughput.
constexpr int kPanelRows = 14;
constexpr int kPanelCols = 32;
constexpr int kLanes = 16;
constexpr std::int64_t kPrefetchDepths = 8;
constexpr int kUnroll = 4;
/// Every how many rows a value is read by its products: balances instructions and loads, for a
/// processor that shares both with a hyperthread.
constexpr int kReadByProductEvery = 3;

__mmask16 laneMask(std::int64_t lanes)
{
    return static_cast<__mmask16>(lanes >= kLanes ? 0xFFFFU : (1U << lanes) - 1U);
}

__m512 finished(__m512 sum, const GemmMicroTile& tile, const float* dst, int vector, __mmask16 mask)
{
    if (tile.addToDst) {
        sum = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, dst), sum);
    }
    if (tile.bias != nullptr) {
        sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, tile.bias + vector * kLanes));
    }
    // In this order NaN is preserved.
    return tile.relu ? _mm512_max_ps(_mm512_setzero_ps(), sum) : sum;
}

/// Memory layout of a micro tile's factors.
enum class Layout
{
    Packed,     ///< both packed: every address is the pointer plus a constant
    DepthMajor, ///< the rows of one depth are contiguous
    RowMajor,   ///< the depths of one row are contiguous
};

/// sum += *value * factor, with the value as a memory operand: one instruction less than with the
/// value in a register, but one more load for the second vector.
__m512 multiplyRead(const float* value, __m512 factor, __m512 sum)
{
    asm("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(factor), "m"(*value));
    return sum;
}

/// The pointers that advance along the depth. Addressing three rows from one pointer keeps the
/// addresses of a row-major factor in registers.
template <int Rows, Layout Kind>
struct Walk
{
    static constexpr int kPointers = Kind == Layout::RowMajor ? (Rows + 2) / 3 : 1;

    const float* lefts[kPointers];
    const float* right;
    std::int64_t rowStep;
    std::int64_t leftStep;
    std::int64_t rightStep;

    [[gnu::always_inline]] const float* left(int row, int depth) const
    {
        if constexpr (Kind == Layout::Packed) {
            return lefts[0] + depth * Rows + row;
        } else if constexpr (Kind == Layout::DepthMajor) {
            return lefts[0] + depth * leftStep + row;
        } else {
            return lefts[row / 3] + (row % 3) * rowStep + depth;
        }
    }
    [[gnu::always_inline]] const float* rightAt(int depth) const
    {
        return right + depth * (Kind == Layout::Packed ? kPanelCols : rightStep);
    }
    [[gnu::always_inline]] void advance(int depths)
    {
        const std::int64_t step = Kind == Layout::Packed       ? Rows
                                  : Kind == Layout::DepthMajor ? leftStep
                                                               : 1;
#pragma GCC unroll 5
        for (int i = 0; i < kPointers; ++i) {
            lefts[i] += depths * step;
        }
        right += depths * (Kind == Layout::Packed ? kPanelCols : rightStep);
    }
};

template <int Rows, int Vectors, Layout Kind>
[[gnu::always_inline]] inline void addDepth(const Walk<Rows, Kind>& walk, int depth,
                                            __mmask16 lastMask, __m512 (&sums)[Rows][Vectors])
{
    const float* right = walk.rightAt(depth);
    __m512 factors[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
        // Packed columns are filled up with zeros, so that no mask is needed.
        factors[v] = Kind == Layout::Packed || v + 1 < Vectors
                         ? _mm512_loadu_ps(right + v * kLanes)
                         : _mm512_maskz_loadu_ps(lastMask, right + v * kLanes);
        if (Kind != Layout::Packed) {
            _mm_prefetch(reinterpret_cast<const char*>(right + kPrefetchDepths * walk.rightStep +
                                                       v * kLanes),
                         _MM_HINT_T0);
        }
    }
#pragma GCC unroll 14
    for (int i = 0; i < Rows; ++i) {
        if (Vectors == 2 && i % kReadByProductEvery == 0) {
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                sums[i][v] = multiplyRead(walk.left(i, depth), factors[v], sums[i][v]);
            }
        } else {
            const __m512 value = _mm512_set1_ps(*walk.left(i, depth));
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                sums[i][v] = _mm512_fmadd_ps(value, factors[v], sums[i][v]);
            }
        }
    }
}

/// Rows x (Vectors * 16) sums.
template <int Rows, int Vectors, Layout Kind>
void multiplyMicro(const GemmMicroTile& tile)
{
    __m512 sums[Rows][Vectors];
#pragma GCC unroll 14
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            sums[i][v] = _mm512_setzero_ps();
        }
    }
    if (tile.addToDst) {
#pragma GCC unroll 14
        for (int i = 0; i < Rows; ++i) {
            const float* dst = tile.dst + i * tile.dstStride;
            // Both vectors of a row are on their way while the products are computed.
            _mm_prefetch(reinterpret_cast<const char*>(dst), _MM_HINT_T0);
            _mm_prefetch(reinterpret_cast<const char*>(dst + kLanes), _MM_HINT_T0);
        }
    }
    Walk<Rows, Kind> walk{{}, tile.right, tile.leftRowStep, tile.leftDepthStep, tile.rightStep};
#pragma GCC unroll 5
    for (int i = 0; i < Walk<Rows, Kind>::kPointers; ++i) {
        walk.lefts[i] = tile.left + 3 * i * tile.leftRowStep;
    }
    const __mmask16 lastMask = laneMask(tile.cols - (Vectors - 1) * kLanes);
    std::int64_t k = tile.depth;
    for (; k >= kUnroll; k -= kUnroll) {
#pragma GCC unroll 4
        for (int depth = 0; depth < kUnroll; ++depth) {
            addDepth<Rows, Vectors, Kind>(walk, depth, lastMask, sums);
        }
        walk.advance(kUnroll);
    }
    // Depths that are left over.
    for (; k > 0; --k) {
        addDepth<Rows, Vectors, Kind>(walk, 0, lastMask, sums);
        walk.advance(1);
    }
#pragma GCC unroll 14
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            float* dst = tile.dst + i * tile.dstStride + v * kLanes;
            // A mask costs nothing here, so that all vectors are stored alike.
            const __mmask16 mask = v + 1 < Vectors ? laneMask(kLanes) : lastMask;
            _mm512_mask_storeu_ps(dst, mask, finished(sums[i][v], tile, dst, v, mask));
        }
    }
}

using MicroKernel = void (*)(const GemmMicroTile&);

template <int Vectors, Layout Kind>
constexpr MicroKernel kByRows[kPanelRows] = {
    multiplyMicro<1, Vectors, Kind>,  multiplyMicro<2, Vectors, Kind>,
    multiplyMicro<3, Vectors, Kind>,  multiplyMicro<4, Vectors, Kind>,
    multiplyMicro<5, Vectors, Kind>,  multiplyMicro<6, Vectors, Kind>,
    multiplyMicro<7, Vectors, Kind>,  multiplyMicro<8, Vectors, Kind>,
    multiplyMicro<9, Vectors, Kind>,  multiplyMicro<10, Vectors, Kind>,
    multiplyMicro<11, Vectors, Kind>, multiplyMicro<12, Vectors, Kind>,
    multiplyMicro<13, Vectors, Kind>, multiplyMicro<14, Vectors, Kind>};

template <int Vectors>
MicroKernel microKernel(const GemmMicroTile& tile)
{
    const std::int64_t index = tile.rows - 1;
    // The layout is chosen by the steps, and with it the addresses of the inner loop.
    if (tile.leftRowStep != 1) {
        return kByRows<Vectors, Layout::RowMajor>[index];
    }
    return tile.leftDepthStep == tile.rows && tile.rightStep == kPanelCols
               ? kByRows<Vectors, Layout::Packed>[index]
               : kByRows<Vectors, Layout::DepthMajor>[index];
}

void multiply(const GemmMicroTile& tile)
{
    (tile.cols <= kLanes ? microKernel<1>(tile) : microKernel<2>(tile))(tile);
}

void packRows(const float* source, std::int64_t step, std::int64_t cols, std::int64_t depth,
              float* packed)
{
    if (cols <= kLanes) {
        // One vector holds all columns.
        const __mmask16 mask = laneMask(cols);
        for (std::int64_t k = 0; k < depth; ++k) {
            _mm512_storeu_ps(packed + k * kPanelCols,
                             _mm512_maskz_loadu_ps(mask, source + k * step));
        }
        return;
    }
    // The second vector may be short; the first is whole.
    const __mmask16 mask = laneMask(cols - kLanes);
    for (std::int64_t k = 0; k < depth; ++k) {
        const float* from = source + k * step;
        const float* ahead = from + kPrefetchDepths * step;
        _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T0);
        _mm_prefetch(reinterpret_cast<const char*>(ahead + kLanes), _MM_HINT_T0);
        _mm512_storeu_ps(packed + k * kPanelCols, _mm512_loadu_ps(from));
        _mm512_storeu_ps(packed + k * kPanelCols + kLanes,
                         _mm512_maskz_loadu_ps(mask, from + kLanes));
    }
}

/// Four depths (fewer at the end, by the mask) of rows i, i + 4, i + 8 and i + 12, one in each
/// quarter.
template <bool Whole>
__m512 loadQuarters(const float* const* rows, std::int64_t k, __mmask8 mask)
{
    const auto quarter = [=](int row) {
        return Whole ? _mm_loadu_ps(rows[row] + k) : _mm_maskz_loadu_ps(mask, rows[row] + k);
    };
    // One quarter after the other, from rows that are four apart.
    __m512 values = _mm512_castps128_ps512(quarter(0));
    values = _mm512_mask_broadcast_f32x4(values, 0x00F0, quarter(4));
    values = _mm512_mask_broadcast_f32x4(values, 0x0F00, quarter(8));
    return _mm512_mask_broadcast_f32x4(values, 0xF000, quarter(12));
}

/// Transposes the quarters of four rows each, and stores the first `depths` of four depths.
[[gnu::always_inline]] inline void storeTransposed(__m512 a, __m512 b, __m512 c, __m512 d,
                                                   int depths, __mmask16 mask, float* packed,
                                                   std::int64_t packedStep)
{
    const __m512d abLow = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
    const __m512d abHigh = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
    const __m512d cdLow = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
    const __m512d cdHigh = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
    const __m512 columns[4] = {_mm512_castpd_ps(_mm512_unpacklo_pd(abLow, cdLow)),
                               _mm512_castpd_ps(_mm512_unpackhi_pd(abLow, cdLow)),
                               _mm512_castpd_ps(_mm512_unpacklo_pd(abHigh, cdHigh)),
                               _mm512_castpd_ps(_mm512_unpackhi_pd(abHigh, cdHigh))};
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        if (i < depths) {
            _mm512_mask_storeu_ps(packed + i * packedStep, mask, columns[i]);
        }
    }
}

/// Sixteen depths of sixteen rows. A whole cache line of a row is read before the next row's: rows
/// a power of two apart would evict each other from the L1 cache.
void transposeSixteen(const float* const* rows, std::int64_t k, __mmask16 mask, float* packed,
                      std::int64_t packedStep)
{
    __m512 quarters[4][4];
#pragma GCC unroll 4
    for (int row = 0; row < 4; ++row) {
#pragma GCC unroll 4
        for (int group = 0; group < 4; ++group) {
            quarters[group][row] = loadQuarters<true>(rows + row, k + 4 * group, 0);
        }
    }
#pragma GCC unroll 4
    for (int group = 0; group < 4; ++group) {
        const __m512* four = quarters[group];
        storeTransposed(four[0], four[1], four[2], four[3], 4, mask,
                        packed + 4 * group * packedStep, packedStep);
    }
}

void transposeRows(const float* source, std::int64_t step, std::int64_t count, std::int64_t depth,
                   float* packed, std::int64_t packedStep)
{
    const float* rows[kLanes];
    for (std::int64_t i = 0; i < kLanes; ++i) {
        // Rows that do not exist read the first one, whose values are masked.
        rows[i] = source + (i < count ? i : 0) * step;
    }
    const __mmask16 mask = laneMask(count);
    std::int64_t k = 0;
    for (; k + 16 <= depth; k += 16) {
        transposeSixteen(rows, k, mask, packed + k * packedStep, packedStep);
    }
    for (; k < depth; k += 4) {
        // The last group may have fewer than four depths.
        const int depths = static_cast<int>(depth - k < 4 ? depth - k : 4);
        const auto lanes = static_cast<__mmask8>((1U << depths) - 1U);
        storeTransposed(
            loadQuarters<false>(rows, k, lanes), loadQuarters<false>(rows + 1, k, lanes),
            loadQuarters<false>(rows + 2, k, lanes), loadQuarters<false>(rows + 3, k, lanes),
            depths, mask, packed + k * packedStep, packedStep);
    }
}

void packTransposed(const float* source, std::int64_t step, std::int64_t count, std::int64_t depth,
                    float* packed, std::int64_t packedStep)
{
    for (std::int64_t i = 0; i < count; i += kLanes) {
        transposeRows(source + i * step, step, count - i < kLanes ? count - i : kLanes, depth,
                      packed + i, packedStep);
    }
}

void packSideBySide(const float* source, std::int64_t step, const GemmPanels& panels,
                    std::int64_t depth, float* packed)
{
    for (std::int64_t k = 0; k < depth; ++k) {
        const float* from = source + k * step;
        for (std::int64_t panel = 0; panel < panels.count; ++panel) {
            const std::int64_t first = panels.first[panel];
            const std::int64_t height = panels.first[panel + 1] - first;
            _mm512_storeu_ps(packed + panels.packedFirst[panel] + k * height,
                             _mm512_maskz_loadu_ps(laneMask(height), from + first));
        }
    }
}

} // namespace

const GemmKernels kGemmAvx512 = {
    .lanes = kLanes,
    .panelRows = kPanelRows,
    .panelCols = kPanelCols,
    .multiply = multiply,
    .packRows = packRows,
    .packTransposed = packTransposed,
    .packSideBySide = packSideBySide,
};

} // namespace cannery::kernels::cpu

#endif
