// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace cannery::survey {

/// Chooses evenly spaced rows of a table whose length is not known: between `most` and half of
/// them, or all if there are fewer. The same for the same rows.
class SpreadRows
{
public:
    explicit SpreadRows(std::size_t most) : m_most(most) {}

    /// Whether to keep the next row. Before every second one that is kept has to go, see
    /// mustThinOut().
    bool takesNext()
    {
        const bool takes = m_seen++ % m_every == 0;
        m_kept += takes ? 1 : 0;
        return takes;
    }
    /// True after a row that is one too many: the caller keeps only rows 0, 2, 4, … of those kept.
    bool mustThinOut()
    {
        if (m_kept <= m_most) {
            return false;
        }
        m_every *= 2;
        m_kept = (m_kept + 1) / 2;
        return true;
    }
    std::uint64_t seen() const { return m_seen; }

private:
    std::size_t m_most;
    std::uint64_t m_seen = 0;
    std::uint64_t m_every = 1;
    std::size_t m_kept = 0;
};

} // namespace cannery::survey
