#pragma once

namespace cannery::benchmarks {

/// Billions of floating-point operations a second that one core does when nothing but independent
/// fused multiply-adds on registers run: the roof over every product. 0: the machine cannot.
struct PeakRate
{
    double avx2 = 0;
    double avx512 = 0;
};

/// Each takes about `seconds`; the best of several parts counts.
PeakRate measurePeak(double seconds);

} // namespace cannery::benchmarks
