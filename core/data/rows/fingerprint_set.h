// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::data {

/// A set of fingerprints, eight bytes each: a wide file uses one for every column at once, so each
/// must take as little of the caches as possible. Open addressing, at most half full.
class FingerprintSet
{
public:
    /// Inserts until the set has `limit` fingerprints; returns how many of `prints` that took. Many
    /// at once wait for the memory of their places together.
    std::size_t insert(std::span<const std::uint64_t> prints, std::size_t limit);
    std::size_t size() const { return m_size; }
    /// Empties it; its memory stays.
    void clear();

private:
    std::size_t placeOf(std::uint64_t print) const { return print & (m_places.size() - 1); }
    std::size_t insertSome(std::span<const std::uint64_t> prints, std::size_t limit);
    void insertOne(std::uint64_t print);
    void makeRoom(std::size_t size);

    std::vector<std::uint64_t> m_places; ///< empty if 0
    std::size_t m_size = 0;
    bool m_hasZero = false;
};

} // namespace cannery::data
