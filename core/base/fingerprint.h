// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace cannery {

/// FarmHash's Fingerprint64 (farmhashna::Hash64), the hash behind TensorFlow's hash buckets,
/// out-of-vocabulary buckets and crosses. Stable, and the same on every machine.
std::uint64_t fingerprint64(std::string_view bytes);

/// TensorFlow's FingerprintCat64: combines two fingerprints; order matters (SparseCross).
inline std::uint64_t fingerprintCat64(std::uint64_t first, std::uint64_t second)
{
    constexpr std::uint64_t kPrime = 0xc6a4a7935bd1e995ULL;
    const auto shiftMix = [](std::uint64_t value) { return value ^ (value >> 47U); };
    std::uint64_t result = first ^ kPrime;
    result ^= shiftMix(second * kPrime) * kPrime;
    result *= kPrime;
    result = shiftMix(result) * kPrime;
    return shiftMix(result);
}

} // namespace cannery
