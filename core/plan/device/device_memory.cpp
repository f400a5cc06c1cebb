// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_memory.h"

#include "core/base/byte_text.h"
#include "kernels/accelerator/errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace cannery::plan {

namespace {

std::string text(std::int64_t bytes)
{
    return byteText(static_cast<double>(bytes));
}

} // namespace

std::byte* noAddress()
{
    alignas(kDeviceAlignment) static std::byte place{};
    return &place;
}

std::int64_t freeDeviceMemory(kernels::Accelerator& accelerator)
{
    return std::max<std::int64_t>(0, accelerator.facts().memoryBytes - accelerator.use().usedBytes);
}

std::int64_t largestBatch(const DeviceNeeds& needs, std::int64_t freeBytes)
{
    const std::int64_t left = freeBytes - needs.fixed;
    if (left <= 0 || needs.rows <= 0 || needs.ofBatch <= 0) {
        return 0;
    }
    const std::int64_t ofRow = (needs.ofBatch + needs.rows - 1) / needs.rows;
    return left / ofRow;
}

Error outOfDeviceMemory(const std::string& what, std::int64_t needed, std::int64_t freeBytes,
                        std::int64_t memoryBytes)
{
    return error(ErrorCode::ResourceExhausted, kernels::kGpuMemory, what, text(needed - freeBytes),
                 text(freeBytes), text(memoryBytes));
}

Result<void> checkDeviceMemory(const DeviceNeeds& needs, std::int64_t freeBytes,
                               std::int64_t memoryBytes)
{
    if (needs.total() <= freeBytes) {
        return {};
    }
    const std::int64_t most = largestBatch(needs, freeBytes);
    const std::string what =
        most > 0 ? fmt::format("Training in batches of {} rows (in batches of {} it would)",
                               needs.rows, most)
                 : std::string("Training this model");
    return tl::make_unexpected(outOfDeviceMemory(what, needs.total(), freeBytes, memoryBytes));
}

} // namespace cannery::plan
