// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cannery::data {

/// A set of fingerprints, eight bytes each: a wide file uses one for every column at once, so each
/// must take as little of the caches as possible. Open addressing, at most half full.
class FingerprintSet
{
public:
    void insert(std::uint64_t print);
    /// Prefetches the slot of a fingerprint that will be inserted soon.
    void prefetch(std::uint64_t print) const { __builtin_prefetch(&m_places[placeOf(print)], 1); }
    std::size_t size() const { return m_size; }

private:
    std::size_t placeOf(std::uint64_t print) const { return print & (m_places.size() - 1); }
    void grow();

    std::vector<std::uint64_t> m_places = std::vector<std::uint64_t>(16); ///< 0: empty
    std::size_t m_size = 0;
    bool m_hasZero = false;
};

} // namespace cannery::data
