// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

/// Sums of what the members of a group have.
namespace cannery::kernels::bodies {

/// Sums that a tree keeps meanwhile: one per bit of the number of its leaves.
inline constexpr int kMostSums = 32;

/// A tree whose left part is the largest power of two below the number of its leaves is a binary
/// counter: after leaf i, as many pairs of sums are added as i ends in ones, and at the end what is
/// left, from the right. The order is that of plan::leftPart(). Parts has a type Sum, part(leaf,
/// index), which gives one, and add(Sum& left, const Sum& right).
template <typename Parts>
CANNERY_HOST_DEVICE typename Parts::Sum sumOfTree(const Parts& parts, std::int64_t leaves,
                                                  std::int64_t index)
{
    typename Parts::Sum sums[kMostSums];
    int kept = 0;
    for (std::int64_t leaf = 0; leaf < leaves; ++leaf) {
        sums[kept++] = parts.part(leaf, index);
        for (std::int64_t ones = leaf; (ones & 1) != 0; ones >>= 1) {
            --kept;
            parts.add(sums[kept - 1], sums[kept]);
        }
    }
    for (; kept > 1; --kept) {
        parts.add(sums[kept - 2], sums[kept - 1]);
    }
    return sums[0];
}

/// For each value.
struct SumPartsBody
{
    using Sum = float;
    SumParts sum;

    CANNERY_HOST_DEVICE float part(std::int64_t leaf, std::int64_t index) const
    {
        return sum.parts[leaf * sum.count + index];
    }
    CANNERY_HOST_DEVICE void add(float& left, float right) const { left += right; }
    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        sum.sum[index] = sumOfTree(*this, sum.partCount, index);
    }
};

template <typename Launcher>
void run(Launcher& launcher, const SumParts& sum)
{
    launcher.forEach(sum.count, SumPartsBody{sum});
}

} // namespace cannery::kernels::bodies
