// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace cannery::kernels {

/// The instruction sets that kernels are written for, in rising order; names are those of the
/// x86-64 psABI. The kernels of all levels give the same bits; which level it was stands beside
/// every checkpoint all the same.
enum class CpuLevel
{
    X86_64_v3, ///< AVX2, FMA, BMI2: every machine that the engine runs on has it
    X86_64_v4, ///< AVX-512 F, BW, CD, DQ and VL
};

/// "x86-64-v3".
std::string_view name(CpuLevel level);
std::optional<CpuLevel> cpuLevelNamed(std::string_view name);

/// What the processor and the operating system have.
CpuLevel machineCpuLevel();

/// The environment variable that caps the level, to measure, or to go on with a run from an older
/// machine bit by bit.
inline constexpr const char* kCpuLevelVariable = "CANNERY_CPU_LEVEL";

/// The lower of what the machine has and what `cap`, a level's name, says; a cap that names no
/// level is none.
CpuLevel cpuLevelUnder(CpuLevel machine, std::string_view cap);

/// What kernels may use in this process: the machine's level, capped by kCpuLevelVariable. Read
/// once.
CpuLevel cpuLevel();

} // namespace cannery::kernels
