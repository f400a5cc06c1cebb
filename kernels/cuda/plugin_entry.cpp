// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/plugin.h"
#include "kernels/cuda/cuda_plugin.h"
#include "kernels/cuda/real_driver.h"

#include <memory>

// The only name that libcannery_cuda.so exports.
extern "C" __attribute__((visibility("default")))
const cannery::kernels::PluginDescription canneryAcceleratorPlugin;
const cannery::kernels::PluginDescription canneryAcceleratorPlugin{
    .build = cannery::kernels::pluginBuild(), .make = []() -> cannery::kernels::AcceleratorPlugin* {
        using namespace cannery::kernels::cuda;
        return new CudaPlugin(std::make_unique<RealDriver>());
    }};
