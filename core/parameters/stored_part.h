// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/parameters/parameters.pb.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::parameters {

/// A part of a variable with the slots of its optimizer, and which of its rows have changed since
/// the last takeChanges(). At most 2^31 rows. One thread.
class StoredPart
{
public:
    /// Zeros, unchanged.
    StoredPart(const wire::Part& part, std::size_t slots);

    std::int64_t cols() const { return m_cols; }
    std::int64_t rows() const { return static_cast<std::int64_t>(m_count) / m_cols; }
    int optimizer() const { return m_optimizer; } ///< -1: changes are added
    bool isSync() const { return m_isSync; }

    /// Values, then each slot.
    std::span<float> memory() { return m_memory; }
    std::span<float> values() { return std::span(m_memory).first(m_count); }
    std::span<const float> values() const { return std::span(m_memory).first(m_count); }
    std::span<float> slot(std::size_t number)
    {
        return std::span(m_memory).subspan((1 + number) * m_count, m_count);
    }
    std::size_t slots() const { return m_slots; }

    /// Has changed: all of it, rows that have some of these elements, these rows from `first` on.
    void markAll();
    void markElements(std::int64_t first, std::int64_t count);
    void markRows(std::int64_t first, std::span<const std::int32_t> rows);
    void clearMarks();

    /// Of takeChanges().
    std::uint64_t changedBytes() const;
    /// Appends the changed rows to a payload, as wire::Changes has them; they count as unchanged
    /// then. Nothing if there are none.
    void takeChanges(int id, wire::Changes& changes, std::vector<std::byte>& payload);
    /// Puts rows from the front of a payload in place. False: they do not fit.
    bool putChanges(const wire::Rows& rows, std::span<const std::byte>& payload);

private:
    void mark(std::int64_t row);
    std::uint64_t rowBytes() const;

    std::int64_t m_cols;
    int m_optimizer;
    bool m_isSync;
    std::size_t m_count; ///< of elements
    std::size_t m_slots;
    std::vector<float> m_memory;
    bool m_isAllChanged = false;
    std::int64_t m_changedRows = 0;    ///< bits of the next
    std::vector<std::uint64_t> m_bits; ///< by row; made for the first row that is marked alone
};

} // namespace cannery::parameters
