// SPDX-License-Identifier: Apache-2.0
// Ends the program with one sentence on a processor that cannot run it, or if CANNERY_CPU_LEVEL is
// unknown, before the first static initializer of a library compiled for x86-64-v3 runs. This file
// and main.cpp are compiled for plain x86-64.

#include "core/base/processor.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace cannery::app {

namespace {

constexpr char kSentence[] = "error: Cannery needs an x86-64-v3 processor (AVX2 and "
                             "FMA; Intel since 2013, AMD since 2015), and this one is older.\n";

constexpr int kBeforeEveryStaticInitialiser = 101;

constexpr char kCapSentence[] = "error: CANNERY_CPU_LEVEL is neither "
                                "x86-64-v3 nor x86-64-v4; unset it to use everything that this "
                                "processor supports.\n";

bool capIsUnderstood()
{
    const char* cap = std::getenv("CANNERY_CPU_LEVEL");
    return cap == nullptr || *cap == '\0' || std::strcmp(cap, "x86-64-v3") == 0 ||
           std::strcmp(cap, "x86-64-v4") == 0;
}

[[noreturn]] void endWith(const char* sentence)
{
    const auto written = write(STDERR_FILENO, sentence, std::strlen(sentence));
    _exit(written < 0 ? 2 : 1);
}

__attribute__((constructor(kBeforeEveryStaticInitialiser))) void refuseWhatCannotRun()
{
    if (!processorIsSupported()) {
        endWith(kSentence);
    }
    if (!capIsUnderstood()) {
        endWith(kCapSentence);
    }
}

} // namespace

} // namespace cannery::app
