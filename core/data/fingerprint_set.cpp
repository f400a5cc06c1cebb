// SPDX-License-Identifier: Apache-2.0
#include "core/data/fingerprint_set.h"

#include <utility>

namespace cannery::data {

void FingerprintSet::insert(std::uint64_t print)
{
    if (print == 0) {
        m_size += m_hasZero ? 0 : 1;
        m_hasZero = true;
        return;
    }
    std::size_t place = placeOf(print);
    while (m_places[place] != 0 && m_places[place] != print) {
        place = (place + 1) & (m_places.size() - 1);
    }
    if (m_places[place] == 0) {
        m_places[place] = print;
        if (2 * ++m_size > m_places.size()) {
            grow();
        }
    }
}

void FingerprintSet::grow()
{
    const std::vector<std::uint64_t> old =
        std::exchange(m_places, std::vector<std::uint64_t>(2 * m_places.size()));
    m_size = m_hasZero ? 1 : 0;
    for (const std::uint64_t print : old) {
        if (print != 0) {
            insert(print);
        }
    }
}

} // namespace cannery::data
