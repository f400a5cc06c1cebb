// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace cannery::kernels {

inline constexpr std::array<std::uint32_t, 2> kPhiloxMultipliers = {0xD2511F53U, 0xCD9E8D57U};
inline constexpr std::array<std::uint32_t, 2> kPhiloxWeyl = {0x9E3779B9U, 0xBB67AE85U};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC
/// 2011): 128 random bits as a pure function of a counter and a key. Ten rounds, each
///   hi_i:lo_i = multiplier_i * x_(2i);  x = (hi_1 ^ x_1 ^ key_0, lo_1, hi_0 ^ x_3 ^ key_1, lo_0)
/// with both key words raised by their Weyl constant between rounds.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key)
{
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t even = std::uint64_t{kPhiloxMultipliers[0]} * counter[0];
        const std::uint64_t odd = std::uint64_t{kPhiloxMultipliers[1]} * counter[2];
        counter = {static_cast<std::uint32_t>(odd >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(odd),
                   static_cast<std::uint32_t>(even >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(even)};
        key = {key[0] + kPhiloxWeyl[0], key[1] + kPhiloxWeyl[1]};
    }
    return counter;
}

/// In [0, 1), a multiple of 2^-24.
constexpr float uniformFloat(std::uint32_t bits)
{
    return static_cast<float>(bits >> 8) * 0x1p-24F;
}

/// A sequence of random numbers, a pure function of (seed, stream, position): the same on every
/// machine. For initial values and similar uses; kernels that run in a step call philox() with
/// coordinates instead. Cheap to copy.
class RandomStream
{
public:
    explicit RandomStream(std::uint64_t seed, std::uint64_t stream = 0);

    std::uint32_t nextBits();
    std::uint64_t nextBits64();
    /// In [0, 1), a multiple of 2^-24.
    float nextUniform() { return uniformFloat(nextBits()); }
    /// In [minimum, maximum).
    float nextUniform(float minimum, float maximum);
    /// In [0, bound), unbiased; bound > 0.
    std::uint64_t nextBelow(std::uint64_t bound);
    /// Standard normal, by the Box-Muller transform in double.
    double nextNormal();
    /// Standard normal, redrawn beyond two standard deviations, as in TensorFlow's
    /// truncated_normal.
    double nextTruncatedNormal();

private:
    std::array<std::uint32_t, 2> m_key{};
    std::uint64_t m_stream = 0;
    std::uint64_t m_position = 0;
    std::array<std::uint32_t, 4> m_block{};
    int m_used = 4;
};

} // namespace cannery::kernels
