// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/operations.h"

#include <variant>

namespace cannery::kernels {

bool meetsOthers(const Operation& operation)
{
    return std::visit([]<typename Work>(const Work&) { return kMeetsOthers<Work>; }, operation);
}

std::int64_t lookupScratchBytes(std::int64_t capacity)
{
    // See bodies/lookup_gradient.h: eleven arrays of 32-bit numbers; the rest is for the sort.
    constexpr std::int64_t kBytesPerEntry = 80;
    constexpr std::int64_t kFixedBytes = 1 << 20;
    return kBytesPerEntry * (capacity + 1) + kFixedBytes;
}

std::int64_t centerScratchBytes(std::int64_t rows, std::int64_t centers)
{
    // See bodies/center_sums.h: three arrays of 32-bit numbers by row, one by center; the rest is
    // for the sort.
    constexpr std::int64_t kBytesPerRow = 48;
    constexpr std::int64_t kBytesPerCenter = 4;
    constexpr std::int64_t kFixedBytes = 1 << 20;
    return kBytesPerRow * rows + kBytesPerCenter * (centers + 1) + kFixedBytes;
}

} // namespace cannery::kernels
