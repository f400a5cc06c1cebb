// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery {

/// Whether this processor has the instructions that the engine is built for (x86-64-v3: AVX2, FMA,
/// BMI2); always so where it is built for every processor of its kind. For files that are compiled
/// for plain x86-64. Needs no initializers.
inline bool processorIsSupported()
{
#if defined(CANNERY_RUNS_ANYWHERE)
    return true;
#else
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
           __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
#endif
}

} // namespace cannery
