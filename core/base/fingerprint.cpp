// SPDX-License-Identifier: Apache-2.0
// Fingerprint64: Geoff Pike, FarmHash (farmhashna::Hash64). Strings are hashed by length class:
// 0, 1-3, 4-7, 8-16, 17-32, 33-64 bytes, and 64 bytes at a time above. All arithmetic is modulo
// 2^64, words are little-endian.

#include "core/base/fingerprint.h"

#include "core/base/farm_hash.h"

#include <bit>
#include <utility>

namespace cannery {

using namespace farmhash;

namespace {

std::uint64_t hash17To32(const char* s, std::size_t length)
{
    const std::uint64_t multiplier = kPrime2 + 2 * length;
    const std::uint64_t a = fetch64(s) * kPrime1;
    const std::uint64_t b = fetch64(s + 8);
    const std::uint64_t c = fetch64(s + length - 8) * multiplier;
    const std::uint64_t d = fetch64(s + length - 16) * kPrime2;
    return mix(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + kPrime2, 18) + c,
               multiplier);
}

std::uint64_t hash33To64(const char* s, std::size_t length)
{
    const std::uint64_t multiplier = kPrime2 + 2 * length;
    const std::uint64_t a = fetch64(s) * kPrime2;
    const std::uint64_t b = fetch64(s + 8);
    const std::uint64_t c = fetch64(s + length - 8) * multiplier;
    const std::uint64_t d = fetch64(s + length - 16) * kPrime2;
    const std::uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
    const std::uint64_t z = mix(y, a + std::rotr(b + kPrime2, 18) + c, multiplier);
    const std::uint64_t e = fetch64(s + 16) * multiplier;
    const std::uint64_t f = fetch64(s + 24);
    const std::uint64_t g = (y + fetch64(s + length - 32)) * multiplier;
    const std::uint64_t h = (z + fetch64(s + length - 24)) * multiplier;
    return mix(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g,
               multiplier);
}

/// The running state of the hash of a string of more than 64 bytes.
struct LongState
{
    std::uint64_t x = 81;
    std::uint64_t y = 81 * kPrime1 + 113;
    std::uint64_t z = shiftMix(y * kPrime2 + 113) * kPrime2;
    Pair v;
    Pair w;

    /// One block of 64 bytes. `carry` is 1 in the loop and 9 in the tail.
    void absorb(const char* block, std::uint64_t multiplier, std::uint64_t carry)
    {
        x = std::rotr(x + y + v.first + fetch64(block + 8), 37) * multiplier;
        y = std::rotr(y + v.second + fetch64(block + 48), 42) * multiplier;
        x ^= carry * w.second;
        y += carry * v.first + fetch64(block + 40);
        z = std::rotr(z + w.first, 33) * multiplier;
        v = weakHash32(block, v.second * multiplier, x + w.first);
        w = weakHash32(block + 32, z + w.second, y + fetch64(block + 16));
        std::swap(x, z);
    }
};

std::uint64_t hashLong(const char* s, std::size_t length)
{
    LongState state;
    state.x = state.x * kPrime2 + fetch64(s);
    const std::size_t end = (length - 1) / 64 * 64;
    for (std::size_t position = 0; position < end; position += 64) {
        state.absorb(s + position, kPrime1, 1);
    }
    const std::uint64_t multiplier = kPrime1 + 2 * (state.z & 255);
    state.w.first += (length - 1) & 63;
    state.v.first += state.w.first;
    state.w.first += state.v.first;
    state.absorb(s + length - 64, multiplier, 9);
    return mix(mix(state.v.first, state.w.first, multiplier) + shiftMix(state.y) * kPrime0 +
                   state.z,
               mix(state.v.second, state.w.second, multiplier) + state.x, multiplier);
}

} // namespace

std::uint64_t fingerprint64(std::string_view bytes)
{
    if (bytes.size() <= 16) {
        return hashUpTo16(bytes.data(), bytes.size());
    }
    if (bytes.size() <= 32) {
        return hash17To32(bytes.data(), bytes.size());
    }
    if (bytes.size() <= 64) {
        return hash33To64(bytes.data(), bytes.size());
    }
    return hashLong(bytes.data(), bytes.size());
}

} // namespace cannery
