// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/shape.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage::detail {

/// One dimension of a slice; length -1 is the whole dimension.
struct SliceExtent
{
    std::int64_t start = 0;
    std::int64_t length = -1;
};

/// The index key of one slice of a partitioned variable, in Google's ordered code: 00, name, rank,
/// then start and length of each dimension.
std::string sliceKey(std::string_view name, const std::vector<SliceExtent>& extents);

/// The extents with whole dimensions resolved. False if they are outside the shape.
bool resolveExtents(const Shape& shape, std::vector<SliceExtent>& extents);

/// Whether two resolved slices of one tensor share an element.
bool overlap(const std::vector<SliceExtent>& first, const std::vector<SliceExtent>& second);

/// Calls `copyRun(sliceIndex, tensorIndex, count)` for each contiguous run of elements of a
/// resolved slice; indices count elements, row-major.
template <typename CopyRun>
void forEachRun(const Shape& shape, const std::vector<SliceExtent>& extents, CopyRun copyRun)
{
    const std::size_t rank = extents.size();
    const std::int64_t run = rank == 0 ? 1 : extents[rank - 1].length;
    std::int64_t runs = 1;
    for (std::size_t i = 0; i + 1 < rank; ++i) {
        runs *= extents[i].length;
    }
    for (std::int64_t r = 0; r < runs && run > 0; ++r) {
        std::int64_t rest = r;
        std::int64_t place = rank == 0 ? 0 : extents[rank - 1].start;
        std::int64_t stride = rank == 0 ? 1 : shape.dims[rank - 1];
        for (std::size_t i = rank < 2 ? 0 : rank - 1; i-- > 0;) {
            place += (extents[i].start + rest % extents[i].length) * stride;
            rest /= extents[i].length;
            stride *= shape.dims[i];
        }
        copyRun(r * run, place, run);
    }
}

} // namespace cannery::storage::detail
