// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

/// Sums of all elements, in double: each block adds up a part of fixed size, a last one those of
/// the blocks.
namespace cannery::kernels::bodies {

/// What one block adds: Term has value(index), 0 <= index < count. The sum of block b is stored by
/// store(b, sum).
template <typename Term>
struct TotalBody
{
    static constexpr int kThreads = 256;
    struct Shared
    {
        double sums[kThreads];
    };

    Term term;
    std::int64_t count = 0;
    std::int64_t perBlock = 0;

    CANNERY_HOST_DEVICE int phases() const { return halvings(kThreads) + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        if (phase == 0) {
            const std::int64_t end =
                (block + 1) * perBlock < count ? (block + 1) * perBlock : count;
            double sum = 0;
            for (std::int64_t i = block * perBlock + thread; i < end; i += kThreads) {
                sum += term.value(i);
            }
            shared.sums[thread] = sum;
        } else if (phase <= halvings(kThreads)) {
            const int half = kThreads >> phase;
            if (thread < half) {
                shared.sums[thread] += shared.sums[thread + half];
            }
        } else if (thread == 0) {
            term.store(block, shared.sums[0]);
        }
    }
};

/// Of the blocks' sums: *sum = (addTo ? *sum : 0) + scale * total.
struct PartialSums
{
    const double* partial = nullptr;
    double scale = 1.0;
    double* sum = nullptr;
    bool addTo = false;
    StepData meanOf; ///< see LossOf

    CANNERY_HOST_DEVICE double value(std::int64_t index) const { return partial[index]; }
    CANNERY_HOST_DEVICE void store(std::int64_t, double total) const
    {
        *sum = (addTo ? *sum : 0.0) + scale * total / divisorOf(meanOf);
    }
};

template <typename Launcher, typename Term>
void total(Launcher& launcher, const Term& term, std::int64_t count, PartialSums sums)
{
    constexpr std::int64_t kLeastPerBlock = 4096;
    constexpr std::int64_t kMostBlocks = 1024;
    static_assert(kMostBlocks <= kMostPartialSums);
    const std::int64_t share = blocksOf(count, kMostBlocks);
    const std::int64_t perBlock = share > kLeastPerBlock ? share : kLeastPerBlock;
    const std::int64_t blocks = count > 0 ? blocksOf(count, perBlock) : 0;
    launcher.forEachBlock(blocks, TotalBody<Term>{term, count, perBlock});
    launcher.forEachBlock(1, TotalBody<PartialSums>{sums, blocks, kMostBlocks});
}

struct LossTerm
{
    ConstMatrixView losses;
    ConstMatrixView weights;
    double* partial = nullptr;

    CANNERY_HOST_DEVICE double value(std::int64_t index) const
    {
        const Place place = placeOf(index, losses.cols);
        const double loss = element(losses, place);
        if (weights.data == nullptr) {
            return loss;
        }
        return loss * element(weights, {place.row, weights.cols == 1 ? 0 : place.col});
    }
    CANNERY_HOST_DEVICE void store(std::int64_t block, double sum) const { partial[block] = sum; }
};

template <typename Launcher>
void run(Launcher& launcher, const SumLosses& sum)
{
    double* const partial = launcher.partialSums();
    total(launcher, LossTerm{sum.losses, sum.weights, partial}, sum.losses.rows * sum.losses.cols,
          {partial, sum.scale, sum.sum, sum.addTo, sum.meanOf});
}

} // namespace cannery::kernels::bodies
