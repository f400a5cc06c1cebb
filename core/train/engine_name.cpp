// SPDX-License-Identifier: Apache-2.0
#include "core/train/engine_name.h"

#include "kernels/device/cpu_level.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace cannery::train {

std::string engineName(const std::string& gpu)
{
    const std::string cpu =
        std::string("cannery " CANNERY_VERSION " ").append(kernels::name(kernels::cpuLevel()));
    return gpu.empty() ? cpu : cpu + " on " + gpu;
}

int threadCount(long long configured)
{
    if (configured > 0) {
        return static_cast<int>(std::min<long long>(configured, 1024));
    }
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) > 0) {
        return CPU_COUNT(&cores);
    }
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace cannery::train
