// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

/// Sums over the rows of each column, in double: a block has a few columns, and many threads share
/// the rows of each. Every thread adds up its rows in order, then halves are added to halves.
namespace cannery::kernels::bodies {

template <int kSums>
struct ColumnLanes
{
    static constexpr int kThreads = 1024;
    /// Floats of a line of memory that is read at once.
    static constexpr int kMostCols = 8;

    struct Shared
    {
        double sums[kSums][kThreads];
    };

    std::int64_t cols = 0;
    int width = 1; ///< columns of a block, a power of two

    static ColumnLanes of(std::int64_t cols)
    {
        ColumnLanes lanes{.cols = cols};
        while (lanes.width < kMostCols && lanes.width < cols) {
            lanes.width *= 2;
        }
        return lanes;
    }
    std::int64_t blocks() const { return blocksOf(cols, width); }

    CANNERY_HOST_DEVICE int treePhases() const { return halvings(kThreads / width); }
    CANNERY_HOST_DEVICE std::int64_t colOf(int thread, std::int64_t block) const
    {
        return block * width + thread % width;
    }
    /// Whether the thread has a column, and is the one that gets its sums.
    CANNERY_HOST_DEVICE bool finishes(int thread, std::int64_t block) const
    {
        return thread < width && colOf(thread, block) < cols;
    }

    /// The first phase. term(row, col, sums) adds to the sums.
    template <typename Term>
    CANNERY_HOST_DEVICE void sum(int thread, std::int64_t block, std::int64_t rows, Shared& shared,
                                 const Term& term) const
    {
        double sums[kSums] = {};
        const std::int64_t col = colOf(thread, block);
        if (col < cols) {
            for (std::int64_t r = thread / width; r < rows; r += kThreads / width) {
                term.add(r, col, sums);
            }
        }
        for (int i = 0; i < kSums; ++i) {
            shared.sums[i][thread] = sums[i];
        }
    }

    /// Phases 0 … treePhases() - 1 after that; then thread t < width has its column's sums.
    CANNERY_HOST_DEVICE void halve(int phase, int thread, Shared& shared) const
    {
        const int half = kThreads >> (phase + 1);
        if (thread < half) {
            for (int i = 0; i < kSums; ++i) {
                shared.sums[i][thread] += shared.sums[i][thread + half];
            }
        }
    }
};

/// Sums of columns and what is made of them: Terms has kSums, rows(), cols(), add(row, col, sums)
/// and finish(col, sums).
template <typename Terms>
struct ColumnSumBody
{
    using Lanes = ColumnLanes<Terms::kSums>;
    static constexpr int kThreads = Lanes::kThreads;
    using Shared = typename Lanes::Shared;

    Terms terms;
    Lanes lanes;

    CANNERY_HOST_DEVICE int phases() const { return lanes.treePhases() + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        if (phase == 0) {
            lanes.sum(thread, block, terms.rows(), shared, terms);
        } else if (phase <= lanes.treePhases()) {
            lanes.halve(phase - 1, thread, shared);
        } else if (lanes.finishes(thread, block)) {
            double sums[Terms::kSums];
            for (int i = 0; i < Terms::kSums; ++i) {
                sums[i] = shared.sums[i][thread];
            }
            terms.finish(lanes.colOf(thread, block), sums);
        }
    }
};

template <typename Launcher, typename Terms>
void sumColumns(Launcher& launcher, const Terms& terms)
{
    const auto lanes = ColumnLanes<Terms::kSums>::of(terms.cols());
    launcher.forEachBlock(lanes.blocks(), ColumnSumBody<Terms>{terms, lanes});
}

struct SumRowsTerms
{
    static constexpr int kSums = 1;
    SumRows sum;

    CANNERY_HOST_DEVICE std::int64_t rows() const { return sum.dstGrad.rows; }
    CANNERY_HOST_DEVICE std::int64_t cols() const { return sum.dstGrad.cols; }
    CANNERY_HOST_DEVICE void add(std::int64_t row, std::int64_t col, double* sums) const
    {
        sums[0] += element(sum.dstGrad, {row, col});
    }
    CANNERY_HOST_DEVICE void finish(std::int64_t col, const double* sums) const
    {
        sum.biasGrad[col] = static_cast<float>(sums[0]);
    }
};

template <typename Launcher>
void run(Launcher& launcher, const SumRows& sum)
{
    sumColumns(launcher, SumRowsTerms{sum});
}

} // namespace cannery::kernels::bodies
