// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

/// Sums of what the members of a group have.
namespace cannery::kernels::bodies {

/// For each value. A tree whose left part is the largest power of two below the number of its
/// leaves is a binary counter: after leaf i, as many pairs of sums are added as i ends in ones, and
/// at the end what is left, from the right. The order is that of plan::leftPart().
struct SumPartsBody
{
    /// Sums that are kept meanwhile: one per bit of the number of leaves.
    static constexpr int kMostSums = 32;

    SumParts add;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        float sums[kMostSums];
        int kept = 0;
        for (std::int64_t leaf = 0; leaf < add.partCount; ++leaf) {
            sums[kept++] = add.parts[leaf * add.count + index];
            for (std::int64_t ones = leaf; (ones & 1) != 0; ones >>= 1) {
                addLast(sums, kept);
            }
        }
        while (kept > 1) {
            addLast(sums, kept);
        }
        add.sum[index] = sums[0];
    }

private:
    CANNERY_HOST_DEVICE static void addLast(float* sums, int& kept)
    {
        --kept;
        sums[kept - 1] += sums[kept];
    }
};

template <typename Launcher>
void run(Launcher& launcher, const SumParts& add)
{
    launcher.forEach(add.count, SumPartsBody{add});
}

} // namespace cannery::kernels::bodies
