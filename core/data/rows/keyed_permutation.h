// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::data {

/// A permutation of [0, size) that is a pure function of its key: no table, random access, the same
/// on every machine. A Feistel network over the next power of two, walked until it falls inside the
/// range (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
class KeyedPermutation
{
public:
    /// `key` selects the permutation: mix seed and epoch with permutationKey().
    KeyedPermutation(std::int64_t size, std::uint64_t key);

    /// The element at a position; position must be in [0, size).
    std::int64_t operator()(std::int64_t position) const;
    /// The elements at the positions from `first` on; several at once, which is much faster.
    void fill(std::int64_t first, std::span<std::int64_t> elements) const;

    /// From now on the permutation of another key. Up to a size of 2^22, fill() takes a third of
    /// the time, from tables that cost as much as some dozens to a thousand elements; they keep
    /// their memory.
    void tabulate(std::uint64_t key);

private:
    /// Elements computed side by side: a single one mostly waits for its own multiplications.
    static constexpr std::size_t kLanes = 8;

    std::uint64_t scramble(std::uint64_t value) const;
    void scramble(std::span<std::uint64_t, kLanes> values) const;
    void scrambleByTables(std::span<std::uint64_t, kLanes> values) const;
    std::uint64_t change(std::uint64_t half, std::uint64_t round) const;

    std::uint64_t m_size;
    std::uint64_t m_key;
    unsigned m_lowBits;
    unsigned m_highBits;
    std::vector<std::uint16_t> m_changes; ///< of each round, by half; empty if not tabulated
};

/// One key from a seed and a number (an epoch, a class).
std::uint64_t permutationKey(std::uint64_t seed, std::uint64_t number);

/// A well-mixed 64-bit function of its argument (the finalizer of SplitMix64, Steele et al. 2014).
std::uint64_t mixBits(std::uint64_t value);

} // namespace cannery::data
