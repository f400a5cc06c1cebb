// Ends the program with one sentence on a processor that cannot run it, before the first static
// initialiser of a library that was compiled for x86-64-v3. This file and main.cpp are compiled for
// plain x86-64.

#include "app/cannery/cpu_check.h"

#include <unistd.h>

namespace cannery::app {

bool processorIsSupported()
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
           __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

namespace {

constexpr char kSentence[] = "error: Cannery needs a processor of the level x86-64-v3 (AVX2 and "
                             "FMA; Intel since 2013, AMD since 2015), and this one is older.\n";

constexpr int kBeforeEveryStaticInitialiser = 101;

__attribute__((constructor(kBeforeEveryStaticInitialiser))) void refuseOldProcessor()
{
    if (!processorIsSupported()) {
        const auto written = write(STDERR_FILENO, kSentence, sizeof(kSentence) - 1);
        _exit(written < 0 ? 2 : 1);
    }
}

} // namespace

} // namespace cannery::app
