// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"

#include <span>
#include <vector>

namespace cannery::kernels {

/// The gradient of a table of which only some rows were looked up: `rows` has each of them once, in
/// order of first occurrence; row i of `values` (cols wide) belongs to table row rows[i]. Vectors
/// keep their memory from step to step.
struct SparseGradient
{
    std::int64_t cols = 0;
    std::vector<std::int32_t> rows;
    std::vector<float> values;
    bool anyRowEmpty = false; ///< the batch has a row without a valid id

    std::int64_t rowCount() const { return static_cast<std::int64_t>(rows.size()); }
    MatrixView view() { return matrixView(std::span<float>(values), rowCount(), cols); }
    ConstMatrixView view() const
    {
        return matrixView(std::span<const float>(values), rowCount(), cols);
    }
    /// Reserves space for this many looked-up rows, so that steps do not allocate.
    void reserve(std::int64_t rowLimit, std::int64_t width);
    /// Resizes to this many rows with value 0; keepFirst() then keeps those that occurred.
    void clear(std::int64_t rowLimit, std::int64_t width);
    void keepFirst(std::int64_t rowCount);
};

/// Numbers the rows of a table 0, 1, 2 … in order of first occurrence in a step. A hash table with
/// four slots per entry, or one slot per row for a small table. Keeps its memory.
class RowNumbering
{
public:
    /// Forgets all rows. At most `entries` calls of numberOf() follow, for rows below `tableRows`.
    void begin(std::int64_t entries, std::int64_t tableRows);

    /// The number of a row; a new one is written to rows[number].
    std::uint32_t numberOf(std::int32_t row, std::int32_t* rows)
    {
        return m_table.numberOf(row, rows);
    }
    /// Calls function(index, number) for every one of `ids` that is a row, in order.
    template <typename Function>
    void numberAll(std::span<const std::int32_t> ids, std::int64_t tableRows, std::int32_t* rows,
                   Function&& function)
    {
        Table table = m_table; // a copy whose address is not taken stays in registers
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (static_cast<std::uint32_t>(ids[i]) < static_cast<std::uint32_t>(tableRows)) {
                function(i, table.numberOf(ids[i], rows));
            }
        }
        m_table = table;
    }
    /// Number of different rows since begin().
    std::int64_t count() const { return m_table.count; }

    void reserve(std::int64_t entries);

private:
    struct Place
    {
        std::int32_t row;
        std::uint32_t next; ///< its number + 1; empty slot if 0
    };

    struct Table
    {
        static constexpr std::uint32_t kMultiplier = 0x9E3779B1U; ///< 2^32 / golden ratio

        Place* places = nullptr;
        std::uint32_t count = 0; ///< of rows
        std::uint32_t multiplier = kMultiplier;
        std::uint32_t mask = 0;
        int shift = 0;

        /// Whether a row is new is unpredictable: no branch depends on it.
        std::uint32_t numberOf(std::int32_t row, std::int32_t* rows)
        {
            std::uint32_t at = (static_cast<std::uint32_t>(row) * multiplier) >> shift;
            while (isAnothers(places[at], row)) {
                at = (at + 1) & mask;
            }
            const std::uint32_t next = places[at].next;
            const std::uint32_t isNew = next == 0 ? 1 : 0;
            const std::uint32_t number = next - 1 + ((count + 1) & (0U - isNew));
            count += isNew;
            rows[number] = row;
            places[at] = {.row = row, .next = number + 1};
            return number;
        }

        static bool isAnothers(const Place& place, std::int32_t row)
        {
            const auto difference = static_cast<std::uint32_t>(place.row ^ row);
            return (difference & (0U - std::uint32_t{place.next != 0})) != 0;
        }
    };

    std::vector<Place> m_places;
    Table m_table;
};

/// Working memory of the functions that make sparse gradients; one per thread, shared by any number
/// of tables.
struct SparseScratch
{
    RowNumbering numbering;
    std::vector<std::uint32_t> numbers; ///< of entries, in their order
    std::vector<std::int32_t> batchRows;
    std::vector<float> factors;

    void reserve(std::int64_t entryLimit);
};

/// Sums the rows of `values` that have equal `ids` (IndexedSlices -> SparseGradient), in order.
/// Negative ids are dropped.
void sumDuplicates(ThreadPool&, std::span<const std::int32_t> ids, ConstMatrixView values,
                   SparseScratch& scratch, SparseGradient& sum);

/// sum = a + b, for shards, or for columns that share a table with this many rows. `sum` is neither
/// a nor b.
void addSparse(const SparseGradient& a, const SparseGradient& b, std::int64_t tableRows,
               SparseScratch& scratch, SparseGradient& sum);

/// dense[rows[i]] += values[i].
void scatterAdd(ThreadPool&, const SparseGradient& gradient, MatrixView dense);

} // namespace cannery::kernels
