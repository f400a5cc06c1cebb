// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_launcher.h"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>

namespace cannery::kernels::cuda {

namespace {

/// The low bits that order the keys: kNoRow has them all, no row's number has.
int keyBits(std::int64_t tableRows)
{
    return std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(tableRows))));
}

/// Queues the sort, or without `scratch` only finds out its size. It is stable.
cudaError_t sortPairs(void* scratch, std::size_t& bytes, const bodies::SortPairs& pairs,
                      cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(
        scratch, bytes, reinterpret_cast<const std::uint32_t*>(pairs.keys),
        reinterpret_cast<std::uint32_t*>(pairs.sortedKeys), pairs.entries, pairs.sortedEntries,
        static_cast<std::int32_t>(pairs.count), 0, keyBits(pairs.tableRows), stream);
}

} // namespace

void CudaLauncher::sort(const bodies::SortPairs& pairs)
{
    if (pairs.count > 0 && m_error == cudaSuccess) {
        auto bytes = static_cast<std::size_t>(pairs.scratchBytes);
        keep(sortPairs(pairs.scratch, bytes, pairs, m_stream));
    }
}

std::int64_t sortBytes(std::int64_t count, std::int64_t tableRows)
{
    std::size_t bytes = 0;
    const bodies::SortPairs pairs{.count = count, .tableRows = tableRows};
    const cudaError_t error = sortPairs(nullptr, bytes, pairs, nullptr);
    return error == cudaSuccess ? static_cast<std::int64_t>(bytes) : 0;
}

} // namespace cannery::kernels::cuda
