// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

#include <algorithm>

/// Sums over the rows of each column, in double. The rows are cut into chunks: a block has a chunk
/// of a few columns, its threads share the rows, each adds up its own in order, then halves are
/// added to halves. The sums of chunks are added in order.
namespace cannery::kernels::bodies {

/// A function of the shape alone, so that sums have the same bits on every device.
struct ColumnParts
{
    static constexpr int kThreads = 256;
    /// Floats of a line of memory that is read at once.
    static constexpr int kMostWidth = 32;
    /// Fewer would cost more than they save.
    static constexpr std::int64_t kLeastRowsOfThread = 32;
    static constexpr std::int64_t kMostChunks = 128;

    std::int64_t rows = 0;
    std::int64_t cols = 0;
    int width = 1; ///< columns of a block, a power of two
    std::int64_t chunks = 1;

    /// `sums`: of each column.
    static ColumnParts of(std::int64_t rows, std::int64_t cols, int sums)
    {
        ColumnParts parts{.rows = rows, .cols = cols};
        while (parts.width < kMostWidth && parts.width < cols) {
            parts.width *= 2;
        }
        const std::int64_t least = kLeastRowsOfThread * (kThreads / parts.width);
        const std::int64_t room = kMostPartialSums / std::max<std::int64_t>(sums * cols, 1);
        parts.chunks =
            std::clamp<std::int64_t>(std::min(blocksOf(rows, least), room), 1, kMostChunks);
        return parts;
    }
    std::int64_t blocks() const { return blocksOf(cols, width) * chunks; }

    CANNERY_HOST_DEVICE std::int64_t chunkOf(std::int64_t block) const { return block % chunks; }
    CANNERY_HOST_DEVICE std::int64_t colOf(int thread, std::int64_t block) const
    {
        return block / chunks * width + thread % width;
    }
};

/// The sums of a chunk. Terms has kSums, rows(), cols(), a type Item, load(row, col), which gives
/// one, add(item, row, col, sums) and finish(col, sums).
template <typename Terms>
struct ColumnChunkBody
{
    static constexpr int kThreads = ColumnParts::kThreads;
    static constexpr int kSums = Terms::kSums;
    struct Shared
    {
        double sums[kSums][kThreads];
    };

    Terms terms;
    ColumnParts parts;
    double* partial = nullptr; ///< [chunks, kSums, cols]

    CANNERY_HOST_DEVICE int treePhases() const { return halvings(kThreads / parts.width); }
    CANNERY_HOST_DEVICE int phases() const { return treePhases() + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        const std::int64_t col = parts.colOf(thread, block);
        if (phase == 0) {
            double sums[kSums] = {};
            if (col < parts.cols) {
                sum(parts.chunkOf(block), thread / parts.width, col, sums);
            }
            for (int i = 0; i < kSums; ++i) {
                shared.sums[i][thread] = sums[i];
            }
        } else if (phase <= treePhases()) {
            const int half = kThreads >> phase;
            for (int i = 0; thread < half && i < kSums; ++i) {
                shared.sums[i][thread] += shared.sums[i][thread + half];
            }
        } else if (thread < parts.width && col < parts.cols) {
            keep(parts.chunkOf(block), thread, col, shared);
        }
    }

private:
    /// Of every `lanes`th row of the chunk; several are read before one is used.
    CANNERY_HOST_DEVICE void sum(std::int64_t chunk, std::int64_t lane, std::int64_t col,
                                 double* sums) const
    {
        constexpr int kItems = 4;
        const std::int64_t lanes = kThreads / parts.width;
        const Part rows = partOf(parts.rows, chunk, parts.chunks);
        std::int64_t row = rows.begin + lane;
        for (; row + (kItems - 1) * lanes < rows.end; row += kItems * lanes) {
            typename Terms::Item items[kItems];
            for (int i = 0; i < kItems; ++i) {
                items[i] = terms.load(row + i * lanes, col);
            }
            for (int i = 0; i < kItems; ++i) {
                terms.add(items[i], row + i * lanes, col, sums);
            }
        }
        for (; row < rows.end; row += lanes) {
            terms.add(terms.load(row, col), row, col, sums);
        }
    }

    CANNERY_HOST_DEVICE void keep(std::int64_t chunk, int thread, std::int64_t col,
                                  const Shared& shared) const
    {
        double sums[kSums];
        for (int i = 0; i < kSums; ++i) {
            sums[i] = shared.sums[i][thread];
            if (parts.chunks > 1) {
                partial[(chunk * kSums + i) * parts.cols + col] = sums[i];
            }
        }
        if (parts.chunks == 1) {
            terms.finish(col, sums);
        }
    }
};

/// For each column: the sums of its chunks.
template <typename Terms>
struct ColumnTotalBody
{
    static constexpr int kSums = Terms::kSums;

    Terms terms;
    ColumnParts parts;
    const double* partial = nullptr;

    CANNERY_HOST_DEVICE void operator()(std::int64_t col) const
    {
        double sums[kSums] = {};
        for (std::int64_t chunk = 0; chunk < parts.chunks; ++chunk) {
            for (int i = 0; i < kSums; ++i) {
                sums[i] += partial[(chunk * kSums + i) * parts.cols + col];
            }
        }
        terms.finish(col, sums);
    }
};

/// Sums of columns and what is made of them.
template <typename Launcher, typename Terms>
void sumColumns(Launcher& launcher, const Terms& terms)
{
    const auto parts = ColumnParts::of(terms.rows(), terms.cols(), Terms::kSums);
    double* const partial = launcher.partialSums();
    launcher.forEachBlock(parts.blocks(), ColumnChunkBody<Terms>{terms, parts, partial});
    if (parts.chunks > 1) {
        launcher.forEach(parts.cols, ColumnTotalBody<Terms>{terms, parts, partial});
    }
}

struct SumRowsTerms
{
    static constexpr int kSums = 1;
    using Item = float;
    SumRows sum;

    CANNERY_HOST_DEVICE std::int64_t rows() const { return sum.dstGrad.rows; }
    CANNERY_HOST_DEVICE std::int64_t cols() const { return sum.dstGrad.cols; }
    CANNERY_HOST_DEVICE float load(std::int64_t row, std::int64_t col) const
    {
        return element(sum.dstGrad, {row, col});
    }
    CANNERY_HOST_DEVICE void add(float value, std::int64_t, std::int64_t, double* sums) const
    {
        sums[0] += value;
    }
    CANNERY_HOST_DEVICE void finish(std::int64_t col, const double* sums) const
    {
        const auto total = static_cast<float>(sums[0]);
        sum.biasGrad[col] = sum.accumulate ? sum.biasGrad[col] + total : total;
    }
};

template <typename Launcher>
void run(Launcher& launcher, const SumRows& sum)
{
    sumColumns(launcher, SumRowsTerms{sum});
}

} // namespace cannery::kernels::bodies
