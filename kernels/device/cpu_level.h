// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace cannery::kernels {

/// The instruction sets that kernels are written for, in ascending order; names are those of the
/// x86-64 psABI. The kernels of all levels give the same bits; nevertheless the level is recorded
/// with every checkpoint.
enum class CpuLevel
{
    X86_64_v3, ///< AVX2, FMA, BMI2; elsewhere, the instructions that the build targets
    X86_64_v4, ///< AVX-512 F, BW, CD, DQ and VL
};

/// "x86-64-v3".
std::string_view name(CpuLevel level);
std::optional<CpuLevel> cpuLevelNamed(std::string_view name);

/// The level of the processor and the operating system.
CpuLevel machineCpuLevel();

/// The environment variable that caps the level, for measurements, or to resume a run from an older
/// machine bit by bit.
inline constexpr const char* kCpuLevelVariable = "CANNERY_CPU_LEVEL";

/// The lower of the machine's level and `cap`, a level's name; an unknown name means no cap.
CpuLevel cpuLevelUnder(CpuLevel machine, std::string_view cap);

/// What kernels may use in this process: the machine's level, capped by kCpuLevelVariable. Read
/// once.
CpuLevel cpuLevel();

} // namespace cannery::kernels
