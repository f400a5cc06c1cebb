// SPDX-License-Identifier: Apache-2.0
// Building blocks shared by FarmHash's Fingerprint64 and Fingerprint128. All arithmetic is modulo
// 2^64, words are little-endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cannery::farmhash {

inline constexpr std::uint64_t kPrime0 = 0xc3a5c85c97cb3127ULL;
inline constexpr std::uint64_t kPrime1 = 0xb492b66fbe98f273ULL;
inline constexpr std::uint64_t kPrime2 = 0x9ae16a3b2f90404fULL;

inline std::uint64_t fetch64(const char* bytes)
{
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

inline std::uint64_t fetch32(const char* bytes)
{
    std::uint32_t value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

inline std::uint64_t byteAt(const char* bytes, std::size_t index)
{
    return static_cast<unsigned char>(bytes[index]);
}

inline std::uint64_t shiftMix(std::uint64_t value)
{
    return value ^ (value >> 47);
}

inline std::uint64_t mix(std::uint64_t u, std::uint64_t v, std::uint64_t multiplier)
{
    const std::uint64_t a = shiftMix((u ^ v) * multiplier);
    const std::uint64_t b = shiftMix((v ^ a) * multiplier);
    return b * multiplier;
}

inline std::uint64_t hashUpTo16(const char* s, std::size_t length)
{
    const std::uint64_t multiplier = kPrime2 + 2 * length;
    if (length >= 8) {
        const std::uint64_t a = fetch64(s) + kPrime2;
        const std::uint64_t b = fetch64(s + length - 8);
        const std::uint64_t c = std::rotr(b, 37) * multiplier + a;
        const std::uint64_t d = (std::rotr(a, 25) + b) * multiplier;
        return mix(c, d, multiplier);
    }
    if (length >= 4) {
        return mix(length + 8 * fetch32(s), fetch32(s + length - 4), multiplier);
    }
    if (length > 0) {
        const std::uint64_t y = byteAt(s, 0) + 256 * byteAt(s, length / 2);
        const std::uint64_t z = length + 4 * byteAt(s, length - 1);
        return shiftMix((y * kPrime2) ^ (z * kPrime0)) * kPrime2;
    }
    return kPrime2;
}

struct Pair
{
    std::uint64_t first = 0;
    std::uint64_t second = 0;
};

inline Pair weakHash32(const char* s, std::uint64_t a, std::uint64_t b)
{
    const std::uint64_t w = fetch64(s);
    const std::uint64_t x = fetch64(s + 8);
    const std::uint64_t y = fetch64(s + 16);
    const std::uint64_t z = fetch64(s + 24);
    a += w;
    b = std::rotr(b + a + z, 21);
    const std::uint64_t c = a;
    a += x + y;
    b += std::rotr(a, 44);
    return {a + z, b + c};
}

} // namespace cannery::farmhash
