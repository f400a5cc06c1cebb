// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/cpu_level.h"

#include "kernels/device/instructions.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace cannery::kernels {

namespace {

constexpr std::array<std::string_view, 2> kCpuLevelNames = {
#if CANNERY_X86_64_V3
    "x86-64-v3",
#elif defined(__x86_64__)
    "x86-64",
#elif defined(__aarch64__)
    "aarch64",
#else
    "portable",
#endif
    "x86-64-v4"};

} // namespace

std::string_view name(CpuLevel level)
{
    return kCpuLevelNames[static_cast<std::size_t>(level)];
}

std::optional<CpuLevel> cpuLevelNamed(std::string_view name)
{
    const auto found = std::find(kCpuLevelNames.begin(), kCpuLevelNames.end(), name);
    if (found == kCpuLevelNames.end()) {
        return std::nullopt;
    }
    return static_cast<CpuLevel>(found - kCpuLevelNames.begin());
}

CpuLevel machineCpuLevel()
{
#if CANNERY_X86_64_V3
    __builtin_cpu_init();
    // All five parts of the level; some processors have only the first.
    const bool wide =
        __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
        __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0;
    return wide ? CpuLevel::X86_64_v4 : CpuLevel::X86_64_v3;
#else
    return CpuLevel::X86_64_v3;
#endif
}

CpuLevel cpuLevelUnder(CpuLevel machine, std::string_view cap)
{
    // An unknown name sets no limit.
    return std::min(machine, cpuLevelNamed(cap).value_or(machine));
}

CpuLevel cpuLevel()
{
    static const CpuLevel level = [] {
        // Lower levels can be tried on any machine.
        const char* cap = std::getenv(kCpuLevelVariable);
        return cpuLevelUnder(machineCpuLevel(), cap == nullptr ? "" : cap);
    }();
    return level;
}

} // namespace cannery::kernels
