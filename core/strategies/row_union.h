// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/sparse_gradient.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::strategies {

/// The rows of a table that any of several ranks has a gradient for, numbered in order of first
/// occurrence, rank by rank: what plan::addSparsePart() makes of them, whoever adds them up. Keeps
/// its memory from step to step.
class RowUnion
{
public:
    /// By number.
    struct Range
    {
        std::size_t first = 0;
        std::size_t count = 0;
        bool holds(std::uint32_t number) const { return number - first < count; }
    };

    /// Each rank's rows, all below `tableRows`. They must outlive no call but this one.
    void unite(std::span<const std::span<const std::int32_t>> rowsByRank, std::int64_t tableRows);

    std::span<const std::int32_t> rows() const { return m_rows; }
    Range all() const { return {0, m_rows.size()}; }
    /// The share of one of `count` owners.
    Range share(std::size_t owner, std::size_t count) const;
    /// Of each of the rank's rows.
    std::span<const std::uint32_t> numbers(std::size_t rank) const;

    /// Adds up the rows of a range as the tree of plan::Sharding over the ranks, the same bits as
    /// plan::addSparsePart(). values[r]: `cols` values for each row of rank r in the range, in that
    /// rank's order.
    void sum(Range range, std::span<const float* const> values, std::int64_t cols,
             std::span<float> sums);

private:
    void findPlaces(Range range);
    const float* sumOfRow(std::size_t row, std::size_t firstRank, std::size_t ranks,
                          std::size_t buffer);

    kernels::RowNumbering m_numbering;
    std::vector<std::int32_t> m_rows;
    std::vector<std::uint32_t> m_numbers; ///< of all ranks' rows
    std::vector<std::size_t> m_begins;    ///< by rank, in them; one more for the end

    // Of one call of sum().
    std::vector<std::uint32_t> m_places; ///< by rank, then by row of the range; 0: none
    std::vector<float> m_buffers;        ///< intermediate sums of a row
    std::span<const float* const> m_values;
    std::size_t m_count = 0; ///< of the range
    std::size_t m_cols = 0;
};

} // namespace cannery::strategies
