// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cannery::app {

/// Which kernel of an operation this machine gets for a typical shape.
struct KernelChoice
{
    struct PassedOver
    {
        std::string kernel;
        std::string reason; ///< the end of a sentence: "it needs ..."
    };

    std::string operation; ///< a word for programs: "matmul"
    std::string problem;   ///< for users: "dense layer, batch 128, 1024 to 512"
    std::string kernel;
    std::vector<PassedOver> passedOver; ///< better ones that are not suitable, best first
};

/// Looks up every operation as a plan does.
std::vector<KernelChoice> kernelChoices();

/// The instruction set in use and its origin, on one line: "x86-64-v3 (AVX2, FMA), capped by
/// CANNERY_CPU_LEVEL; this processor has x86-64-v4 (AVX-512)".
std::string cpuLevelInWords();

} // namespace cannery::app
