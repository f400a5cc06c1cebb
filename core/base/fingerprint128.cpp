// SPDX-License-Identifier: Apache-2.0
// Fingerprint128: Geoff Pike, FarmHash (farmhashcc::CityHash128). The first 16 bytes are the seed
// of the rest; the rest is hashed 16 bytes at a time below 128 bytes, 64 at a time above.

#include "core/base/fingerprint128.h"

#include "core/base/farm_hash.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace cannery {

using namespace farmhash;

namespace {

constexpr std::uint64_t kMultiplier = 0x9ddfea08eb382d69ULL;

/// The hash of a text below 128 bytes, less its seed.
Fingerprint128 hashShort(const char* s, std::size_t length, Fingerprint128 seed)
{
    std::uint64_t a = seed.low;
    std::uint64_t b = seed.high;
    std::uint64_t c = 0;
    std::uint64_t d = 0;
    if (length <= 16) {
        a = shiftMix(a * kPrime1) * kPrime1;
        c = b * kPrime1 + hashUpTo16(s, length);
        d = shiftMix(a + (length >= 8 ? fetch64(s) : c));
    } else {
        c = mix(fetch64(s + length - 8) + kPrime1, a, kMultiplier);
        d = mix(b + length, c + fetch64(s + length - 16), kMultiplier);
        a += d;
        for (std::size_t left = length; left > 16; left -= std::min<std::size_t>(left, 16)) {
            a ^= shiftMix(fetch64(s) * kPrime1) * kPrime1;
            a *= kPrime1;
            b ^= a;
            c ^= shiftMix(fetch64(s + 8) * kPrime1) * kPrime1;
            c *= kPrime1;
            d ^= c;
            s += 16;
        }
    }
    a = mix(a, c, kMultiplier);
    b = mix(d, b, kMultiplier);
    return {a ^ b, mix(b, a, kMultiplier)};
}

/// The running state of the hash of 128 bytes or more.
struct WideState
{
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::uint64_t z = 0;
    Pair v;
    Pair w;

    WideState(const char* s, std::size_t length, Fingerprint128 seed)
        : x(seed.low), y(seed.high), z(length * kPrime1)
    {
        v.first = std::rotr(y ^ kPrime1, 49) * kPrime1 + fetch64(s);
        v.second = std::rotr(v.first, 42) * kPrime1 + fetch64(s + 8);
        w.first = std::rotr(y + z, 35) * kPrime1 + x;
        w.second = std::rotr(x + fetch64(s + 88), 53) * kPrime1;
    }

    void absorb64(const char* s)
    {
        x = std::rotr(x + y + v.first + fetch64(s + 8), 37) * kPrime1;
        y = std::rotr(y + v.second + fetch64(s + 48), 42) * kPrime1;
        x ^= w.second;
        y += v.first + fetch64(s + 40);
        z = std::rotr(z + w.first, 33) * kPrime1;
        v = weakHash32(s, v.second * kPrime1, x + w.first);
        w = weakHash32(s + 32, z + w.second, y + fetch64(s + 16));
        std::swap(z, x);
    }

    void endBlocks()
    {
        x += std::rotr(v.first + z, 49) * kPrime0;
        y = y * kPrime0 + std::rotr(w.second, 37);
        z = z * kPrime0 + std::rotr(w.first, 27);
        w.first *= 9;
        v.first *= kPrime0;
    }

    void absorb32(const char* s)
    {
        y = std::rotr(x + y, 42) * kPrime0 + v.second;
        w.first += fetch64(s + 16);
        x = x * kPrime0 + w.first;
        z += w.second + fetch64(s);
        w.second += v.first;
        v = weakHash32(s, v.first + z, v.second);
        v.first *= kPrime0;
    }

    Fingerprint128 end() const
    {
        const std::uint64_t a = mix(x, v.first, kMultiplier);
        const std::uint64_t b = mix(y + z, w.first, kMultiplier);
        return {mix(a + v.second, w.second, kMultiplier) + b,
                mix(a + w.second, b + v.second, kMultiplier)};
    }
};

Fingerprint128 hashSeeded(const char* s, std::size_t length, Fingerprint128 seed)
{
    if (length < 128) {
        return hashShort(s, length, seed);
    }
    WideState state(s, length, seed);
    for (; length >= 128; length -= 128) {
        state.absorb64(s);
        state.absorb64(s + 64);
        s += 128;
    }
    state.endBlocks();
    // The last up to four chunks of 32 bytes, which may begin in a block that is done.
    for (std::size_t done = 0; done < length;) {
        done += 32;
        state.absorb32(s + length - done);
    }
    return state.end();
}

} // namespace

Fingerprint128 fingerprint128(std::string_view bytes)
{
    const char* s = bytes.data();
    if (bytes.size() >= 16) {
        return hashSeeded(s + 16, bytes.size() - 16, {fetch64(s), fetch64(s + 8) + kPrime0});
    }
    return hashSeeded(s, bytes.size(), {kPrime0, kPrime1});
}

} // namespace cannery
