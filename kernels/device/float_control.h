// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace cannery::kernels {

/// The calling thread's register for rounding and flushing: MXCSR on x86-64, FPCR on aarch64. On
/// any other processor there is none, and nothing is flushed.
using FloatControl = unsigned;

#if defined(__SSE2__)

/// Results and inputs too small for a normal float become 0.
inline constexpr FloatControl kFlushBits = 0x8040;

inline FloatControl floatControl()
{
    return _mm_getcsr();
}

inline void setFloatControl(FloatControl control)
{
    _mm_setcsr(control);
}

/// Tells the processor that the thread waits in a loop.
inline void pauseInLoop()
{
    _mm_pause();
}

#elif defined(__aarch64__)

inline constexpr FloatControl kFlushBits = FloatControl{1} << 24U;

inline FloatControl floatControl()
{
    std::uint64_t control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return static_cast<FloatControl>(control); // the upper half is unused
}

inline void setFloatControl(FloatControl control)
{
    asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{control}));
}

inline void pauseInLoop()
{
    asm volatile("yield");
}

#else

inline constexpr FloatControl kFlushBits = 0;

inline FloatControl floatControl()
{
    return 0;
}

inline void setFloatControl(FloatControl) {}

inline void pauseInLoop() {}

#endif

} // namespace cannery::kernels
