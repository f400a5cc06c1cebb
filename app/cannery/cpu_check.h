// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::app {

/// Whether this processor has the instructions that the engine is built for (x86-64-v3: AVX2, FMA,
/// BMI2). Runs on every x86-64 processor and needs no initializers.
bool processorIsSupported();

} // namespace cannery::app
