// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cannery::data {

/// Counts of 64-bit keys in one array: open addressing, at most half full, no allocation per key.
class CountTable
{
public:
    struct Slot
    {
        std::uint64_t key = 0;
        std::uint64_t count = 0; ///< 0 if the slot is empty
        std::uint64_t tag = 0;   ///< the owner's
    };

    /// The slot of a key, added with a count of 0 if the key is new; increment it before the next
    /// call. Valid until then.
    Slot& at(std::uint64_t key)
    {
        if (2 * m_size >= m_slots.size()) {
            grow();
        }
        Slot& slot = *find(key);
        if (slot.count == 0) {
            slot.key = key;
            ++m_size;
        }
        return slot;
    }

    /// The slot of a key, or a slot with a count of 0.
    Slot* find(std::uint64_t key);

    std::size_t size() const { return m_size; }
    /// All slots; those with a count of 0 are empty.
    const std::vector<Slot>& slots() const { return m_slots; }
    /// Keeps only the slots with at least this count.
    void keepFrom(std::uint64_t least);

private:
    void grow();
    void rebuild(std::size_t slots, std::uint64_t least);

    std::vector<Slot> m_slots = std::vector<Slot>(16);
    std::size_t m_size = 0;
};

} // namespace cannery::data
