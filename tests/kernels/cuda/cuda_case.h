// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/cuda_accelerator.h"
#include "tests/support/recording_runtime/recording_runtime.h"

#include <memory>
#include <utility>
#include <vector>

namespace cannery::tests {

inline constexpr const char* kTestGpu = "Recording GPU";

/// A CudaAccelerator over a recording runtime, as GPU:2.
inline Result<std::unique_ptr<kernels::Accelerator>> openRecording(RuntimeJournal& journal,
                                                                   const RecordingOptions& options)
{
    return kernels::cuda::CudaAccelerator::create(
        std::make_unique<RecordingRuntime>(journal, options), 2,
        {.name = kTestGpu, .memoryBytes = options.memoryBytes});
}

inline float* floatsOf(const kernels::AcceleratorMemory& memory)
{
    return reinterpret_cast<float*>(memory.data());
}

/// All of a block of memory, as a row.
inline kernels::MatrixView rowOf(const kernels::AcceleratorMemory& memory)
{
    const auto count = memory.bytes() / static_cast<std::int64_t>(sizeof(float));
    return {floatsOf(memory), 1, count, count};
}

inline constexpr RunOrder kRunOrders[] = {RunOrder::AsQueued, RunOrder::FirstStream,
                                          RunOrder::LastStream};

} // namespace cannery::tests
