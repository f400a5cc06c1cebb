// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/engine_name.h"

#include "kernels/device/cpu_level.h"

namespace cannery::train {

std::string engineName(const std::string& gpu)
{
    const std::string cpu =
        std::string("cannery " CANNERY_VERSION " ").append(kernels::name(kernels::cpuLevel()));
    return gpu.empty() ? cpu : cpu + " on " + gpu;
}

} // namespace cannery::train
