#include "tests/benchmarks/programs/peak_rate.h"

#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace cannery::benchmarks {

namespace {

/// Enough independent sums to fill two units of four cycles' latency.
constexpr int kSums = 12;
constexpr std::int64_t kRounds = 1 << 18;

__attribute__((target("avx2,fma"), noinline)) float multiplyAddAvx2(std::int64_t rounds)
{
    const __m256 factor = _mm256_set1_ps(0.999F);
    const __m256 term = _mm256_set1_ps(0.001F);
    __m256 sums[kSums];
    for (__m256& sum : sums) {
        sum = term;
    }
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (__m256& sum : sums) { // written out, or the sums would stand in memory
            sum = _mm256_fmadd_ps(sum, factor, term);
            asm("" : "+x"(sum)); // keeps every sum in a register of its own
        }
    }
    __m256 total = term;
    for (const __m256& sum : sums) {
        total = _mm256_add_ps(total, sum);
    }
    return _mm256_cvtss_f32(total);
}

__attribute__((target("avx512f"), noinline)) float multiplyAddAvx512(std::int64_t rounds)
{
    const __m512 factor = _mm512_set1_ps(0.999F);
    const __m512 term = _mm512_set1_ps(0.001F);
    __m512 sums[kSums];
    for (__m512& sum : sums) {
        sum = term;
    }
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (__m512& sum : sums) { // written out, or the sums would stand in memory
            sum = _mm512_fmadd_ps(sum, factor, term);
            asm("" : "+v"(sum));
        }
    }
    __m512 total = term;
    for (const __m512& sum : sums) {
        total = _mm512_add_ps(total, sum);
    }
    return _mm512_cvtss_f32(total);
}

double bestRate(float (*run)(std::int64_t), double lanes, double seconds)
{
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    double best = 0;
    volatile float kept = 0;
    do {
        const auto begin = Clock::now();
        kept = kept + run(kRounds);
        const std::chrono::duration<double> spent = Clock::now() - begin;
        best = std::max(best, kRounds * kSums * lanes * 2 / spent.count() / 1e9);
    } while (Clock::now() < end);
    return best;
}

} // namespace

PeakRate measurePeak(double seconds)
{
    PeakRate rate;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        rate.avx2 = bestRate(multiplyAddAvx2, 8, seconds);
    }
    if (__builtin_cpu_supports("avx512f")) {
        rate.avx512 = bestRate(multiplyAddAvx512, 16, seconds);
    }
    return rate;
}

} // namespace cannery::benchmarks
