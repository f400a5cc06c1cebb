#pragma once

#include <cstdint>

namespace cannery::data {

/// A permutation of [0, size) that is a pure function of its key: no table, any element at once,
/// the same on every machine. A Feistel network over the next power of two, walked until it falls
/// inside the range (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
class KeyedPermutation
{
public:
    /// `key` numbers the permutation: mix seed and epoch with permutationKey().
    KeyedPermutation(std::int64_t size, std::uint64_t key);

    /// The element at a position; position must be in [0, size).
    std::int64_t operator()(std::int64_t position) const;

private:
    std::uint64_t scramble(std::uint64_t value) const;

    std::uint64_t m_size;
    std::uint64_t m_key;
    unsigned m_lowBits;
    unsigned m_highBits;
};

/// One key for a seed and a number (an epoch, a class).
std::uint64_t permutationKey(std::uint64_t seed, std::uint64_t number);

/// A well mixed 64-bit function of its argument (the finalizer of SplitMix64, Steele et al. 2014).
std::uint64_t mixBits(std::uint64_t value);

} // namespace cannery::data
