// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/gemm_kernels.h"
#include "kernels/device/instructions.h"

#if CANNERY_X86_64_V3

#include <immintrin.h>

namespace cannery::kernels::cpu {

namespace {

/// 6 x 2 vectors of sums, two of factors and one value fill 15 of the 16 registers.
constexpr int kPanelRows = 6;
constexpr int kPanelCols = 16;
constexpr int kLanes = 8;
constexpr std::int64_t kPrefetchDepths = 8;
constexpr int kUnroll = 4;

__m256i laneMask(std::int64_t lanes)
{
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(lanes)), index);
}

template <bool Whole>
__m256 load(const float* source, __m256i mask)
{
    return Whole ? _mm256_loadu_ps(source) : _mm256_maskload_ps(source, mask);
}

template <bool Whole>
__m256 finished(__m256 sum, const GemmMicroTile& tile, const float* dst, int vector, __m256i mask)
{
    if (tile.addToDst) {
        sum = _mm256_add_ps(load<Whole>(dst, mask), sum);
    }
    if (tile.bias != nullptr) {
        sum = _mm256_add_ps(sum, load<Whole>(tile.bias + vector * kLanes, mask));
    }
    // In this order NaN is preserved.
    return tile.relu ? _mm256_max_ps(_mm256_setzero_ps(), sum) : sum;
}

/// Memory layout of a micro tile's factors.
enum class Layout
{
    Packed,     ///< both packed: every address is the pointer plus a constant
    DepthMajor, ///< the rows of one depth are contiguous
    RowMajor,   ///< the depths of one row are contiguous
};

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
#pragma GCC unroll 2
        for (int i = 0; i < kPointers; ++i) {
            lefts[i] += depths * step;
        }
        right += depths * (Kind == Layout::Packed ? kPanelCols : rightStep);
    }
};

template <int Rows, int Vectors, Layout Kind>
[[gnu::always_inline]] inline void addDepth(const Walk<Rows, Kind>& walk, int depth,
                                            __m256i lastMask, __m256 (&sums)[Rows][Vectors])
{
    const float* right = walk.rightAt(depth);
    __m256 factors[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
        // The last vector is masked unless the columns are a multiple of eight.
        factors[v] = Kind == Layout::Packed || v + 1 < Vectors
                         ? _mm256_loadu_ps(right + v * kLanes)
                         : _mm256_maskload_ps(right + v * kLanes, lastMask);
    }
    // A packed factor is read in order, which the processor foresees by itself.
    if (Kind != Layout::Packed) {
        _mm_prefetch(reinterpret_cast<const char*>(right + kPrefetchDepths * walk.rightStep),
                     _MM_HINT_T0);
    }
#pragma GCC unroll 6
    for (int i = 0; i < Rows; ++i) {
        // Each value of the left factor is used for all columns of the tile.
        const __m256 value = _mm256_broadcast_ss(walk.left(i, depth));
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            sums[i][v] = _mm256_fmadd_ps(value, factors[v], sums[i][v]);
        }
    }
}

/// Rows x (Vectors * 8) sums.
template <int Rows, int Vectors, Layout Kind>
void multiplyMicro(const GemmMicroTile& tile)
{
    __m256 sums[Rows][Vectors];
#pragma GCC unroll 6
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            sums[i][v] = _mm256_setzero_ps();
        }
    }
    // The old sums are on their way while the products are computed.
    if (tile.addToDst) {
        for (int i = 0; i < Rows; ++i) {
            _mm_prefetch(reinterpret_cast<const char*>(tile.dst + i * tile.dstStride), _MM_HINT_T0);
        }
    }
    Walk<Rows, Kind> walk{{}, tile.right, tile.leftRowStep, tile.leftDepthStep, tile.rightStep};
#pragma GCC unroll 2
    for (int i = 0; i < Walk<Rows, Kind>::kPointers; ++i) {
        // One pointer for three rows.
        walk.lefts[i] = tile.left + 3 * i * tile.leftRowStep;
    }
    // Columns of the last vector that exist.
    const __m256i mask = laneMask(tile.cols - (Vectors - 1) * kLanes);
    std::int64_t k = tile.depth;
    for (; k >= kUnroll; k -= kUnroll) {
#pragma GCC unroll 4
        for (int depth = 0; depth < kUnroll; ++depth) {
            addDepth<Rows, Vectors, Kind>(walk, depth, mask, sums);
        }
        walk.advance(kUnroll);
    }
    // Depths that are left over.
    for (; k > 0; --k) {
        addDepth<Rows, Vectors, Kind>(walk, 0, mask, sums);
        walk.advance(1);
    }
    const bool wholeLanes = tile.cols == Vectors * kLanes;
#pragma GCC unroll 6
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            float* dst = tile.dst + i * tile.dstStride + v * kLanes;
            // Whole vectors are stored without a mask, which is faster.
            if (v + 1 < Vectors || wholeLanes) {
                _mm256_storeu_ps(dst, finished<true>(sums[i][v], tile, dst, v, mask));
            } else {
                _mm256_maskstore_ps(dst, mask, finished<false>(sums[i][v], tile, dst, v, mask));
            }
        }
    }
}

using MicroKernel = void (*)(const GemmMicroTile&);

template <int Vectors, Layout Kind>
constexpr MicroKernel kByRows[kPanelRows] = {
    multiplyMicro<1, Vectors, Kind>, multiplyMicro<2, Vectors, Kind>,
    multiplyMicro<3, Vectors, Kind>, multiplyMicro<4, Vectors, Kind>,
    multiplyMicro<5, Vectors, Kind>, multiplyMicro<6, Vectors, Kind>};

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
    // Up to eight columns need one vector.
    (tile.cols <= kLanes ? microKernel<1>(tile) : microKernel<2>(tile))(tile);
}

template <bool Whole>
void packRowsWith(const float* source, std::int64_t step, std::int64_t cols, std::int64_t depth,
                  float* packed)
{
    const __m256i first = laneMask(cols);
    const __m256i second = laneMask(cols - kLanes);
    for (std::int64_t k = 0; k < depth; ++k) {
        const float* from = source + k * step;
        float* to = packed + k * kPanelCols;
        _mm_prefetch(reinterpret_cast<const char*>(from + kPrefetchDepths * step), _MM_HINT_T0);
        _mm256_storeu_ps(to, load<Whole>(from, first));
        // With eight columns or fewer, the other half is not read by the kernel.
        if (cols > kLanes) {
            _mm256_storeu_ps(to + kLanes, load<Whole>(from + kLanes, second));
        }
    }
}

void packRows(const float* source, std::int64_t step, std::int64_t cols, std::int64_t depth,
              float* packed)
{
    if (cols == kPanelCols) {
        packRowsWith<true>(source, step, cols, depth, packed);
    } else {
        packRowsWith<false>(source, step, cols, depth, packed);
    }
}

/// Four depths of rows i and i + 4, one in each half.
__m256 loadHalves(const float* const* rows, std::int64_t k)
{
    const __m256 low = _mm256_castps128_ps256(_mm_loadu_ps(rows[0] + k));
    return _mm256_insertf128_ps(low, _mm_loadu_ps(rows[4] + k), 1);
}

/// Transposes four depths of eight rows, of which `count` are needed.
void transposeFour(const float* const* rows, std::int64_t k, std::int64_t count, __m256i mask,
                   float* packed, std::int64_t packedStep)
{
    const __m256 a = loadHalves(rows, k);
    const __m256 b = loadHalves(rows + 1, k);
    const __m256 c = loadHalves(rows + 2, k);
    const __m256 d = loadHalves(rows + 3, k);
    const __m256 abLow = _mm256_unpacklo_ps(a, b);
    const __m256 abHigh = _mm256_unpackhi_ps(a, b);
    const __m256 cdLow = _mm256_unpacklo_ps(c, d);
    const __m256 cdHigh = _mm256_unpackhi_ps(c, d);
    const __m256 columns[4] = {
        _mm256_shuffle_ps(abLow, cdLow, 0x44), _mm256_shuffle_ps(abLow, cdLow, 0xEE),
        _mm256_shuffle_ps(abHigh, cdHigh, 0x44), _mm256_shuffle_ps(abHigh, cdHigh, 0xEE)};
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        if (count == kLanes) {
            _mm256_storeu_ps(packed + (k + i) * packedStep, columns[i]);
        } else {
            _mm256_maskstore_ps(packed + (k + i) * packedStep, mask, columns[i]);
        }
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
    const __m256i mask = laneMask(count);
    std::int64_t k = 0;
    for (; k + 16 <= depth; k += 16) {
        // Rows a power of two apart evict each other from the L1 cache, so each line is prefetched
        // as a whole.
        for (std::int64_t i = 0; i < count; ++i) {
            _mm_prefetch(reinterpret_cast<const char*>(rows[i] + k + 32), _MM_HINT_T0);
        }
        for (std::int64_t group = k; group < k + 16; group += 4) {
            transposeFour(rows, group, count, mask, packed, packedStep);
        }
    }
    // Groups of four, and then single depths.
    for (; k + 4 <= depth; k += 4) {
        transposeFour(rows, k, count, mask, packed, packedStep);
    }
    for (; k < depth; ++k) {
        for (std::int64_t i = 0; i < count; ++i) {
            packed[k * packedStep + i] = rows[i][k];
        }
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
    const std::int64_t rows = panels.first[panels.count];
    for (std::int64_t k = 0; k < depth; ++k) {
        const float* from = source + k * step;
        for (std::int64_t panel = 0; panel < panels.count; ++panel) {
            const std::int64_t first = panels.first[panel];
            const std::int64_t height = panels.first[panel + 1] - first;
            float* to = packed + panels.packedFirst[panel] + k * height;
            // Reading a whole vector is allowed as long as it stays within the row.
            if (first + kLanes <= rows) {
                _mm256_storeu_ps(to, _mm256_loadu_ps(from + first));
            } else {
                _mm256_storeu_ps(to, _mm256_maskload_ps(from + first, laneMask(height)));
            }
        }
    }
}

} // namespace

const GemmKernels kGemmAvx2 = {
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
