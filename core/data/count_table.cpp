// SPDX-License-Identifier: Apache-2.0
#include "core/data/count_table.h"

#include "core/data/rows/keyed_permutation.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cannery::data {

CountTable::Slot* CountTable::find(std::uint64_t key)
{
    const std::size_t mask = m_slots.size() - 1;
    std::size_t place = mixBits(key) & mask;
    while (m_slots[place].count != 0 && m_slots[place].key != key) {
        place = (place + 1) & mask;
    }
    return &m_slots[place];
}

void CountTable::keepFrom(std::uint64_t least)
{
    const auto kept = static_cast<std::size_t>(std::count_if(
        m_slots.begin(), m_slots.end(), [&](const Slot& slot) { return slot.count >= least; }));
    rebuild(std::bit_ceil(std::max<std::size_t>(16, 4 * kept)), least);
}

void CountTable::grow()
{
    rebuild(2 * m_slots.size(), 1);
}

void CountTable::rebuild(std::size_t slots, std::uint64_t least)
{
    const std::vector<Slot> old = std::exchange(m_slots, std::vector<Slot>(slots));
    m_size = 0;
    for (const Slot& slot : old) {
        if (slot.count >= least) {
            *find(slot.key) = slot;
            ++m_size;
        }
    }
}

} // namespace cannery::data
