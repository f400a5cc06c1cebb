// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace cannery {

struct Fingerprint128
{
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool operator==(const Fingerprint128&) const = default;
};

/// FarmHash's Fingerprint128 (farmhashcc::CityHash128), by which TensorFlow's SDCA identifies
/// examples. Stable, and the same on every machine.
Fingerprint128 fingerprint128(std::string_view bytes);

} // namespace cannery
