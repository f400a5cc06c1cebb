#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"

#include <vector>

namespace cannery::kernels {

/// The gradient of a table of which only some rows were looked up: `rows` has each of them once, in
/// the order in which they came up; row i of `values` (cols wide) belongs to table row rows[i].
/// Vectors keep their memory from step to step.
struct SparseGradient
{
    std::int64_t cols = 0;
    std::vector<std::int32_t> rows;
    std::vector<float> values;
    bool anyRowEmpty = false; ///< of the batch: one without an id that counts

    std::int64_t rowCount() const { return static_cast<std::int64_t>(rows.size()); }
    MatrixView view() { return matrixView(std::span<float>(values), rowCount(), cols); }
    ConstMatrixView view() const
    {
        return matrixView(std::span<const float>(values), rowCount(), cols);
    }
    /// Makes room for so many looked-up rows, so that steps do not allocate.
    void reserve(std::int64_t rowLimit, std::int64_t width);
    /// So many rows, all values 0, and then only as many of them as came up.
    void clear(std::int64_t rowLimit, std::int64_t width);
    void keepFirst(std::int64_t rowCount);
};

/// Numbers the rows of a table 0, 1, 2 … as they come up for the first time in a step. A hash table
/// four times as large as it need be, or one place for each row of a small table. Keeps its memory.
class RowNumbering
{
public:
    /// Forgets all rows. At most `entries` calls of numberOf() follow, of rows below `tableRows`.
    void begin(std::int64_t entries, std::int64_t tableRows);

    /// The number of a row; a new one is written to rows[number].
    std::uint32_t numberOf(std::int32_t row, std::int32_t* rows)
    {
        const auto key = static_cast<std::uint32_t>(row);
        std::uint32_t place = m_isDirect ? key : (key * kMultiplier) >> m_shift;
        std::uint32_t number = m_places[place];
        while (number != 0 && rows[number - 1] != row) {
            place = (place + 1) & m_mask;
            number = m_places[place];
        }
        // Without a branch on whether the row is new, which nobody could foretell.
        const bool isNew = number == 0;
        number = isNew ? m_count : number - 1;
        m_count += isNew ? 1 : 0;
        rows[number] = row;
        m_places[place] = number + 1;
        return number;
    }
    /// Rows seen since begin().
    std::int64_t count() const { return m_count; }

    void reserve(std::int64_t entries);

private:
    static constexpr std::uint32_t kMultiplier = 0x9E3779B1U; ///< 2^32 / golden ratio

    std::vector<std::uint32_t> m_places; ///< number + 1, or 0
    std::uint32_t m_count = 0;
    std::uint32_t m_mask = 0;
    int m_shift = 0;
    bool m_isDirect = false;
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

/// Sums the rows of `values` that have equal `ids` (IndexedSlices -> SparseGradient), in the order
/// they come. Negative ids are dropped.
void sumDuplicates(ThreadPool&, std::span<const std::int32_t> ids, ConstMatrixView values,
                   SparseScratch& scratch, SparseGradient& sum);

/// sum = a + b. Of shards, or of columns that share a table of so many rows. `sum` is neither a nor
/// b.
void addSparse(const SparseGradient& a, const SparseGradient& b, std::int64_t tableRows,
               SparseScratch& scratch, SparseGradient& sum);

/// dense[rows[i]] += values[i].
void scatterAdd(ThreadPool&, const SparseGradient& gradient, MatrixView dense);

} // namespace cannery::kernels
