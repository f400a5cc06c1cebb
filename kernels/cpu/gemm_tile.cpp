#include "kernels/cpu/gemm_tile.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace cannery::kernels::cpu {

namespace {

constexpr int kPanelRows = 6;
constexpr int kPanelCols = 16;
constexpr int kLanes = 8;

/// What happens to the sums of a chunk when they leave the registers.
struct Finish
{
    __m256i mask;            ///< lanes of the last vector that lie within the matrix
    bool wholeLanes = false; ///< all of them do
    const float* bias = nullptr;
    bool addToDst = false;
    bool relu = false;
};

struct MicroTile
{
    const float* left = nullptr;
    std::int64_t leftStep = 0; ///< between rows, or (packed, transposed) between depths
    const float* right = nullptr;
    std::int64_t rightStep = 0; ///< between depths
    float* dst = nullptr;
    std::int64_t dstStride = 0;
    std::int64_t depth = 0;
};

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
__m256 finished(__m256 sum, const float* dst, int vector, const Finish& finish)
{
    if (finish.addToDst) {
        sum = _mm256_add_ps(load<Whole>(dst, finish.mask), sum);
    }
    if (finish.bias != nullptr) {
        sum = _mm256_add_ps(sum, load<Whole>(finish.bias + vector * kLanes, finish.mask));
    }
    // In this order a NaN stays one.
    return finish.relu ? _mm256_max_ps(_mm256_setzero_ps(), sum) : sum;
}

/// The inner kernel: Rows x (Vectors * 8) sums. With DepthMajor the rows of one depth lie side by
/// side, else the depths of one row do.
template <int Rows, int Vectors, bool DepthMajor>
void multiplyMicro(const MicroTile& tile, const Finish& finish)
{
    __m256 sums[Rows][Vectors];
#pragma GCC unroll 6
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            sums[i][v] = _mm256_setzero_ps();
        }
    }
    for (int i = 0; i < Rows; ++i) {
        _mm_prefetch(reinterpret_cast<const char*>(tile.dst + i * tile.dstStride), _MM_HINT_T0);
    }
    const float* left = tile.left;
    const float* right = tile.right;
    for (std::int64_t k = tile.depth; k > 0; --k) {
        __m256 factors[Vectors];
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            factors[v] = _mm256_loadu_ps(right + v * kLanes);
        }
#pragma GCC unroll 6
        for (int i = 0; i < Rows; ++i) {
            const __m256 value =
                _mm256_broadcast_ss(DepthMajor ? left + i : left + i * tile.leftStep);
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                sums[i][v] = _mm256_fmadd_ps(value, factors[v], sums[i][v]);
            }
        }
        left += DepthMajor ? tile.leftStep : 1;
        right += tile.rightStep;
    }
#pragma GCC unroll 6
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) {
            float* dst = tile.dst + i * tile.dstStride + v * kLanes;
            if (v + 1 < Vectors || finish.wholeLanes) {
                _mm256_storeu_ps(dst, finished<true>(sums[i][v], dst, v, finish));
            } else {
                _mm256_maskstore_ps(dst, finish.mask, finished<false>(sums[i][v], dst, v, finish));
            }
        }
    }
}

using MicroKernel = void (*)(const MicroTile&, const Finish&);

template <int Vectors, bool DepthMajor>
constexpr std::array<MicroKernel, kPanelRows> kByRows = {
    multiplyMicro<1, Vectors, DepthMajor>, multiplyMicro<2, Vectors, DepthMajor>,
    multiplyMicro<3, Vectors, DepthMajor>, multiplyMicro<4, Vectors, DepthMajor>,
    multiplyMicro<5, Vectors, DepthMajor>, multiplyMicro<6, Vectors, DepthMajor>};

MicroKernel microKernel(std::int64_t rows, std::int64_t cols, bool depthMajor)
{
    const auto index = static_cast<std::size_t>(rows - 1);
    if (cols <= kLanes) {
        return depthMajor ? kByRows<1, true>[index] : kByRows<1, false>[index];
    }
    return depthMajor ? kByRows<2, true>[index] : kByRows<2, false>[index];
}

/// Writes eight columns of eight depths: packed[k * 16 + j] = source[j * step + k].
void packTransposed8x8(const float* source, std::int64_t step, float* packed)
{
    __m256 row[8];
    for (int j = 0; j < 8; ++j) {
        row[j] = _mm256_loadu_ps(source + j * step);
    }
    __m256 pair[8];
    for (int j = 0; j < 8; j += 2) {
        pair[j] = _mm256_unpacklo_ps(row[j], row[j + 1]);
        pair[j + 1] = _mm256_unpackhi_ps(row[j], row[j + 1]);
    }
    __m256 quad[8];
    for (int j = 0; j < 8; j += 4) {
        quad[j] = _mm256_shuffle_ps(pair[j], pair[j + 2], 0x44);
        quad[j + 1] = _mm256_shuffle_ps(pair[j], pair[j + 2], 0xEE);
        quad[j + 2] = _mm256_shuffle_ps(pair[j + 1], pair[j + 3], 0x44);
        quad[j + 3] = _mm256_shuffle_ps(pair[j + 1], pair[j + 3], 0xEE);
    }
    for (int k = 0; k < 4; ++k) {
        const __m256 low = _mm256_permute2f128_ps(quad[k], quad[k + 4], 0x20);
        const __m256 high = _mm256_permute2f128_ps(quad[k], quad[k + 4], 0x31);
        _mm256_storeu_ps(packed + k * kPanelCols, low);
        _mm256_storeu_ps(packed + (k + 4) * kPanelCols, high);
    }
}

template <bool Whole>
void packRows(const GemmFactor& right, std::int64_t cols, std::int64_t depth, float* packed)
{
    const __m256i first = laneMask(cols);
    const __m256i second = laneMask(cols - kLanes);
    for (std::int64_t k = 0; k < depth; ++k) {
        const float* source = right.data + k * right.depthStep;
        float* target = packed + k * kPanelCols;
        _mm256_storeu_ps(target, load<Whole>(source, first));
        if (cols > kLanes) {
            _mm256_storeu_ps(target + kLanes, load<Whole>(source + kLanes, second));
        }
    }
}

/// packed[k * 16 + j] = right(j, k); columns beyond `cols` become 0.
void packRight(const GemmFactor& right, std::int64_t cols, std::int64_t depth, float* packed)
{
    if (right.outerStep == 1) {
        return cols == kPanelCols ? packRows<true>(right, cols, depth, packed)
                                  : packRows<false>(right, cols, depth, packed);
    }
    if (cols < kPanelCols) {
        std::memset(packed, 0, static_cast<std::size_t>(depth * kPanelCols) * sizeof(float));
    }
    for (std::int64_t j = 0; j < cols; j += kLanes) {
        const std::int64_t wide = std::min<std::int64_t>(kLanes, cols - j);
        std::int64_t k = 0;
        for (; wide == kLanes && k + kLanes <= depth; k += kLanes) {
            packTransposed8x8(right.data + j * right.outerStep + k, right.outerStep,
                              packed + k * kPanelCols + j);
        }
        for (std::int64_t col = j; col < j + wide; ++col) {
            for (std::int64_t rest = k; rest < depth; ++rest) {
                packed[rest * kPanelCols + col] = right.data[col * right.outerStep + rest];
            }
        }
    }
}

/// Floats from one packed panel of 6 rows to the next; the last store of a panel runs over its end.
std::int64_t leftPanelStep(std::int64_t depth)
{
    return depth * kPanelRows + kLanes;
}

/// Panels of 6 rows of a factor whose rows lie side by side: packed[panel][k][row].
void packLeft(const GemmFactor& left, std::int64_t rows, std::int64_t depth, float* packed)
{
    for (std::int64_t k = 0; k < depth; ++k) {
        const float* source = left.data + k * left.depthStep;
        float* target = packed + k * kPanelRows;
        std::int64_t i = 0;
        for (; i + kLanes <= rows; i += kPanelRows) {
            _mm256_storeu_ps(target, _mm256_loadu_ps(source + i));
            target += leftPanelStep(depth);
        }
        for (; i < rows; i += kPanelRows) {
            const std::int64_t count = std::min<std::int64_t>(kPanelRows, rows - i);
            std::copy_n(source + i, count, target);
            target += leftPanelStep(depth);
        }
    }
}

/// One chunk of depths, of all rows and columns of a tile.
void multiplyChunk(const GemmTile& tile, bool first, bool last, std::span<float> scratch)
{
    const bool depthMajor = tile.left.outerStep == 1;
    float* packedRight = scratch.data();
    float* packedLeft = packedRight + kDepthChunk * kPanelCols;
    // A transposed factor is read once per 16 columns, down a column each time.
    const bool packsLeft = depthMajor && tile.depth > 64 && tile.cols > 2 * kPanelCols;
    if (packsLeft) {
        packLeft(tile.left, tile.rows, tile.depth, packedLeft);
    }
    for (std::int64_t j = 0; j < tile.cols; j += kPanelCols) {
        const std::int64_t cols = std::min<std::int64_t>(kPanelCols, tile.cols - j);
        const GemmFactor right = tile.right.from(j);
        const bool direct =
            right.outerStep == 1 && cols == kPanelCols && tile.rows <= 2 * kPanelRows;
        if (!direct) {
            packRight(right, cols, tile.depth, packedRight);
        }
        const Finish finish = {
            .mask = laneMask(cols <= kLanes ? cols : cols - kLanes),
            .wholeLanes = cols % kLanes == 0,
            .bias = last && tile.bias != nullptr ? tile.bias + j : nullptr,
            .addToDst = tile.accumulate || !first,
            .relu = last && tile.relu,
        };
        const std::int64_t panels = (tile.rows + kPanelRows - 1) / kPanelRows;
        for (std::int64_t panel = 0, i = 0, rows = 0; panel < panels; ++panel, i += rows) {
            // Of 32 rows, five or six at a time are faster than six and then two.
            rows = packsLeft ? std::min<std::int64_t>(kPanelRows, tile.rows - i)
                             : (tile.rows - i) / (panels - panel);
            const MicroTile micro = {
                .left = packsLeft ? packedLeft + panel * leftPanelStep(tile.depth)
                                  : tile.left.from(i).data,
                .leftStep = packsLeft    ? kPanelRows
                            : depthMajor ? tile.left.depthStep
                                         : tile.left.outerStep,
                .right = direct ? right.data : packedRight,
                .rightStep = direct ? right.depthStep : kPanelCols,
                .dst = tile.dst + i * tile.dstStride + j,
                .dstStride = tile.dstStride,
                .depth = tile.depth,
            };
            microKernel(rows, cols, depthMajor)(micro, finish);
        }
    }
}

} // namespace

void multiplyTile(const GemmTile& tile, std::span<float> scratch)
{
    GemmTile chunk = tile;
    std::int64_t done = 0;
    do {
        chunk.depth = std::min(kDepthChunk, tile.depth - done);
        chunk.left.data = tile.left.data + done * tile.left.depthStep;
        chunk.right.data = tile.right.data + done * tile.right.depthStep;
        multiplyChunk(chunk, done == 0, done + chunk.depth == tile.depth, scratch);
        done += chunk.depth;
    } while (done < tile.depth);
}

} // namespace cannery::kernels::cpu
