// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::app {

/// Whether this processor has the instructions that the engine is built for (x86-64-v3: AVX2, FMA,
/// BMI2). Compiled for every x86-64 processor, so that it can be asked before anything else runs.
bool processorIsSupported();

} // namespace cannery::app
