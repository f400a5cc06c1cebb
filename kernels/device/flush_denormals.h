// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/float_control.h"

namespace cannery::kernels {

/// While it exists, results too small for a normal float become 0 on this thread, and such inputs
/// count as 0, as on TensorFlow's threads. A well-trained model is full of them, and arithmetic
/// with them is some fifty times slower. A ThreadPool's workers inherit this from the thread that
/// calls parallelFor, so it is enough to hold one around a step.
class FlushDenormals
{
public:
    FlushDenormals() : m_before(floatControl()) { setFloatControl(m_before | kFlushBits); }
    ~FlushDenormals() { setFloatControl(m_before); }
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

private:
    FloatControl m_before;
};

} // namespace cannery::kernels
