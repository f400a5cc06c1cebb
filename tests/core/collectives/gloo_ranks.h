// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/collectives/gloo_communicator.h"
#include "core/collectives/memory_store.h"
#include "tests/support/thread_checks.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <vector>

/// Groups whose ranks are threads, over real connections, and what they add up.
namespace cannery::tests {

using Floats = std::vector<float>;

/// Runs every rank of a group on a thread of its own, where THREAD_VERIFY() takes the place of
/// QVERIFY(). `options`: what matters besides ranks.
inline void runRanks(int size, const std::function<void(collectives::Communicator&)>& function,
                     const collectives::GlooOptions& options = {})
{
    collectives::MemoryStore store;
    const ThreadReport report;
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) {
        threads.emplace_back([&, rank] {
            collectives::GlooOptions own = options;
            own.rank = rank;
            own.size = size;
            own.store = &store;
            own.prefix = "test";
            own.host = "127.0.0.1";
            runChecked([&] {
                const auto group = collectives::connectGloo(own);
                THREAD_REQUIRE(group.has_value());
                function(**group);
            });
        });
    }
}

/// Values of very different sizes, so that every order of adding them has other bits.
inline Floats wildValues(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> mantissa(-1, 1);
    std::uniform_int_distribution<int> exponent(-20, 20);
    Floats values(count);
    for (float& value : values) {
        value = std::ldexp(mantissa(random), exponent(random));
    }
    return values;
}

inline Floats treeSum(const std::vector<Floats>& leaves, std::size_t first, std::size_t count)
{
    if (count == 1) {
        return leaves[first];
    }
    const std::size_t left = std::bit_floor(count - 1);
    Floats sum = treeSum(leaves, first, left);
    const Floats right = treeSum(leaves, first + left, count - left);
    std::ranges::transform(sum, right, sum.begin(), std::plus<>());
    return sum;
}

inline bool sameBits(const Floats& a, const Floats& b)
{
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

} // namespace cannery::tests
