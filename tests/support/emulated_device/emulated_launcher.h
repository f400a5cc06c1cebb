// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/lookup_scratch.h"

#include <cstdint>
#include <memory>

namespace cannery::tests {

/// Runs bodies in loops; see kernels/accelerator/dispatch.h.
class EmulatedLauncher
{
public:
    explicit EmulatedLauncher(double* partialSums) : m_partialSums(partialSums) {}

    template <typename Body>
    void forEach(std::int64_t count, const Body& body)
    {
        for (std::int64_t i = 0; i < count; ++i) {
            body(i);
        }
    }
    template <typename Body>
    void forEachBlock(std::int64_t blocks, const Body& body)
    {
        const auto shared = std::make_unique<typename Body::Shared>();
        const int phases = body.phases();
        for (std::int64_t block = 0; block < blocks; ++block) {
            for (int phase = 0; phase < phases; ++phase) {
                for (int thread = 0; thread < Body::kThreads; ++thread) {
                    body(phase, thread, block, *shared);
                }
            }
        }
    }
    void sort(const kernels::bodies::SortPairs& pairs);
    void product(const kernels::Product& product);
    double* partialSums() { return m_partialSums; }

private:
    double* m_partialSums;
};

} // namespace cannery::tests
