// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xmmintrin.h>

namespace cannery::kernels {

/// While it exists, results too small for a normal float become 0 on this thread, and such inputs
/// count as 0, as on TensorFlow's threads. A well-trained model is full of them, and arithmetic
/// with them is some fifty times slower. A ThreadPool's workers inherit this from the thread that
/// calls parallelFor, so it is enough to hold one around a step.
class FlushDenormals
{
public:
    FlushDenormals() : m_before(_mm_getcsr())
    {
        _mm_setcsr(m_before | kFlushResults | kFlushInputs);
    }
    ~FlushDenormals() { _mm_setcsr(m_before); }
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

private:
    static constexpr unsigned kFlushResults = 0x8000;
    static constexpr unsigned kFlushInputs = 0x0040;
    unsigned m_before;
};

} // namespace cannery::kernels
