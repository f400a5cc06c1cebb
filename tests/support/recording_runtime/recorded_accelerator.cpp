// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recording_runtime/recorded_accelerator.h"

#include "kernels/cuda/cuda_accelerator.h"

namespace cannery::tests {

Result<std::unique_ptr<kernels::Accelerator>> recordedAccelerator(RuntimeJournal& journal,
                                                                  const RecordingOptions& options)
{
    return kernels::cuda::CudaAccelerator::create(
        std::make_unique<RecordingRuntime>(journal, options), 0,
        {.memoryBytes = options.memoryBytes});
}

} // namespace cannery::tests
