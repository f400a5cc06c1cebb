// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/fingerprint_set.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cannery::data {

namespace {

/// A power of two. What is inserted again at every growth waits for new memory.
constexpr std::size_t kGrowth = 4;
/// Prints whose places are fetched together. The set makes room for so many at a time: most may be
/// known already.
constexpr std::size_t kTogether = 64;

} // namespace

std::size_t FingerprintSet::insert(std::span<const std::uint64_t> prints, std::size_t limit)
{
    std::size_t taken = 0;
    while (taken < prints.size() && m_size < limit) {
        taken +=
            insertSome(prints.subspan(taken, std::min(kTogether, prints.size() - taken)), limit);
    }
    return taken;
}

void FingerprintSet::clear()
{
    std::ranges::fill(m_places, 0);
    m_size = 0;
    m_hasZero = false;
}

std::size_t FingerprintSet::insertSome(std::span<const std::uint64_t> prints, std::size_t limit)
{
    makeRoom(std::min(m_size + prints.size(), limit));
    for (const std::uint64_t print : prints) {
        // The memory of all is on its way while the first is inserted.
        __builtin_prefetch(&m_places[placeOf(print)], 1);
    }
    std::size_t taken = 0;
    for (; taken < prints.size() && m_size < limit; ++taken) {
        insertOne(prints[taken]);
    }
    return taken;
}

void FingerprintSet::insertOne(std::uint64_t print)
{
    // 0 marks a free place, so that print is kept apart.
    if (print == 0) {
        m_size += m_hasZero ? 0 : 1;
        m_hasZero = true;
        return;
    }
    std::size_t place = placeOf(print);
    // The next place, until one is free: tables are at most half full.
    while (m_places[place] != 0 && m_places[place] != print) {
        place = (place + 1) & (m_places.size() - 1);
    }
    m_size += m_places[place] == 0 ? 1 : 0;
    m_places[place] = print;
}

void FingerprintSet::makeRoom(std::size_t size)
{
    // At most half of the places are used, so that searches stay short.
    if (2 * size <= m_places.size()) {
        return;
    }
    const std::size_t places = std::max(kGrowth * m_places.size(), std::bit_ceil(2 * size));
    const std::vector<std::uint64_t> old =
        std::exchange(m_places, std::vector<std::uint64_t>(places));
    m_size = m_hasZero ? 1 : 0;
    for (const std::uint64_t print : old) {
        if (print != 0) {
            insertOne(print);
        }
    }
}

} // namespace cannery::data
