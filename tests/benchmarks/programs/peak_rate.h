// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/cpu_level.h"

namespace cannery::benchmarks {

/// Processor time of this process so far: what other programs take does not count.
double processorSeconds();

/// Billions of floating-point operations a second of processor time that one core does when nothing
/// but independent fused multiply-adds on registers run: the roof over every product. With the
/// widest vectors of the level (at least x86-64-v3), for at least `seconds`.
double peakRate(kernels::CpuLevel level, double seconds);

} // namespace cannery::benchmarks
