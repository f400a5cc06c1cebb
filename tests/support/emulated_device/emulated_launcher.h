// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/lookup_scratch.h"
#include "tests/support/emulated_device/emulated_group.h"

#include <cstdint>
#include <memory>
#include <string>

namespace cannery::tests {

/// Runs bodies in loops; see kernels/accelerator/dispatch.h.
class EmulatedLauncher
{
public:
    /// `group`: of the device; null: it has joined none.
    explicit EmulatedLauncher(double* partialSums, EmulatedGroup* group = nullptr)
        : m_partialSums(partialSums), m_group(group)
    {}

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
    template <typename Work>
    void meet(const Work& work)
    {
        if (m_refusal.empty()) {
            m_refusal = m_group == nullptr ? "the device is in no group" : m_group->meet(work);
        }
    }
    double* partialSums() { return m_partialSums; }
    /// Why the members of the group have not met; empty: they have.
    const std::string& refusal() const { return m_refusal; }

private:
    double* m_partialSums;
    EmulatedGroup* m_group;
    std::string m_refusal;
};

} // namespace cannery::tests
