// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/device_views.h"

#include <cstdint>
#include <type_traits>

/// What the members of a group of devices do together.
namespace cannery::kernels {

/// Which member of a group of devices this is (see Accelerator::join()). Operations that have one
/// meet those of the other members: all members queue the same ones in the same order, with the
/// same sizes. They move numbers and add nothing up, so that no bit depends on how they do it.
struct GroupRank
{
    std::int64_t rank = 0;
    std::int64_t size = 1;
};

/// The i-th of `count` values belongs to one of `size` parts, of which member r has the r-th (see
/// bodies::partOf). received[m] = what member m has in the part of this one: [size, its length].
struct ExchangeParts
{
    GroupRank group;
    const float* values = nullptr;
    std::int64_t count = 0;
    float* received = nullptr;
};

/// Every part becomes that of the member that it belongs to.
struct GatherParts
{
    GroupRank group;
    float* values = nullptr;
    std::int64_t count = 0;
};

/// all[m] = the gradient of member m. All of them have the same capacity.
struct GatherSparse
{
    GroupRank group;
    DeviceSparse own;
    std::int32_t* rows = nullptr;   ///< [size, capacity]
    float* values = nullptr;        ///< [size, capacity, cols]
    std::int64_t* counts = nullptr; ///< [size]
};

/// sum[i] = the sum of parts[p, i], as one binary tree whose left part is the largest power of two
/// below the number of its parts; `parts`: [partCount, count].
struct SumParts
{
    const float* parts = nullptr;
    std::int64_t partCount = 0;
    std::int64_t count = 0;
    float* sum = nullptr;
};

/// Whether operations of this kind meet those of other members of a group.
template <typename Work>
inline constexpr bool kMeetsOthers =
    std::is_same_v<Work, ExchangeParts> || std::is_same_v<Work, GatherParts> ||
    std::is_same_v<Work, GatherSparse>;

} // namespace cannery::kernels
