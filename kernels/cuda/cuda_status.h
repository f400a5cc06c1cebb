// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/runtime.h"

#include <cuda_runtime_api.h>

namespace cannery::kernels::cuda {

/// What CUDA's answer means for us. Forgets the thread's last error, so that no later call tells it
/// again. Any thread.
CallStatus statusOf(cudaError_t answer);

} // namespace cannery::kernels::cuda
