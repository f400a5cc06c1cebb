// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "kernels/accelerator/accelerator.h"
#include "kernels/accelerator/errors.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace cannery::plan {

/// Of whatever has a place of its own in an accelerator's memory, in bytes.
inline constexpr std::int64_t kDeviceAlignment = 256;

constexpr std::int64_t deviceAligned(std::int64_t bytes)
{
    return (bytes + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment;
}

/// Stands for an accelerator's memory in plans that are made before there is any. Never read.
std::byte* noAddress();

/// Bytes that nobody uses there.
std::int64_t freeDeviceMemory(kernels::Accelerator& accelerator);

/// Bytes that training takes on an accelerator.
struct DeviceNeeds
{
    std::int64_t fixed = 0;   ///< weights, slots and gradients
    std::int64_t ofBatch = 0; ///< values, the batch itself and working memory
    std::int64_t rows = 0;    ///< of that batch

    std::int64_t total() const { return fixed + ofBatch; }
};

/// How many rows a batch may have in this memory: what a batch takes grows with its rows. 0: not
/// even one fits.
std::int64_t largestBatch(const DeviceNeeds& needs, std::int64_t freeBytes);

/// Whether what is missing is the accelerator's memory.
template <typename T>
bool isShort(const Result<T>& result)
{
    return !result && result.error().id == kernels::kGpuMemory.id;
}

/// "gpu.out_of_memory" of something that needs more bytes than are free.
Error outOfDeviceMemory(const std::string& what, std::int64_t needed, std::int64_t freeBytes,
                        std::int64_t memoryBytes);

/// "gpu.out_of_memory", with the largest batch that would fit, unless it does.
Result<void> checkDeviceMemory(const DeviceNeeds& needs, std::int64_t freeBytes,
                               std::int64_t memoryBytes);

} // namespace cannery::plan
