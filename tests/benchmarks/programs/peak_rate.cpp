// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/peak_rate.h"

#include <cstdint>
#include <ctime>

namespace cannery::benchmarks {

namespace {

/// Enough independent sums to fill two units of four cycles' latency.
constexpr int kSums = 12;
constexpr std::int64_t kRounds = 1 << 16;

// In assembly, because a compiler may keep sums in memory: then stores are measured.
#define CANNERY_TWELVE_SUMS(REGISTER)                                                              \
    for (std::int64_t round = 0; round < rounds; ++round) {                                        \
        asm volatile("vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "0\n\t"         \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "1\n\t"         \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "2\n\t"         \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "3\n\t"         \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "4\n\t"         \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "5\n\t"         \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "6\n\t"         \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "7\n\t"         \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "8\n\t"         \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "9\n\t"         \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "10\n\t"        \
                     "vfmadd213ps %%" REGISTER "12, %%" REGISTER "12, %%" REGISTER "11" ::         \
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                           "xmm9", "xmm10", "xmm11", "xmm12");                                     \
    }

/// All registers 0: a sum that overflowed, or was denormal, would be slower.
__attribute__((target("avx2,fma"), noinline)) void multiplyAddAvx2(std::int64_t rounds)
{
    asm volatile("vzeroall" ::
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    CANNERY_TWELVE_SUMS("ymm")
}

__attribute__((target("avx512f"), noinline)) void multiplyAddAvx512(std::int64_t rounds)
{
    asm volatile("vzeroall" ::
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    CANNERY_TWELVE_SUMS("zmm")
}

#undef CANNERY_TWELVE_SUMS

double rateOf(void (*run)(std::int64_t), double lanes, double seconds)
{
    const double begin = processorSeconds();
    double spent = 0;
    std::int64_t runs = 0;
    do {
        run(kRounds);
        ++runs;
        spent = processorSeconds() - begin;
    } while (spent < seconds);
    return static_cast<double>(runs * kRounds) * kSums * lanes * 2 / spent / 1e9;
}

} // namespace

double processorSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double peakRate(kernels::CpuLevel level, double seconds)
{
    return level >= kernels::CpuLevel::X86_64_v4 ? rateOf(multiplyAddAvx512, 16, seconds)
                                                 : rateOf(multiplyAddAvx2, 8, seconds);
}

} // namespace cannery::benchmarks
