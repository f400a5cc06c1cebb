// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "kernels/accelerator/accelerator.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// One GPU of this machine.
struct GpuFinding
{
    std::string device; ///< as an experiment names it: "GPU:0"
    kernels::AcceleratorFacts facts;
    std::optional<Error> problem; ///< why it cannot be used now
    std::vector<kernels::AcceleratorKernel> kernels;
};

/// Every GPU, each opened for a moment. Errors: why none can be seen.
Result<std::vector<GpuFinding>> findGpus();

/// Why these GPUs cannot train together; nothing: they can, or there are fewer than two.
std::optional<Error> groupProblem(const std::vector<GpuFinding>& gpus);

/// "NVIDIA H100 80GB HBM3, 85.5 GB, 85 GB free, driver 13.0, sm_90", and why it cannot be used.
std::string inWords(const GpuFinding& gpu);

} // namespace cannery::app
