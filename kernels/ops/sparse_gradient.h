#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"

#include <vector>

namespace cannery::kernels {

/// The gradient of a table of which only some rows were looked up. `rows` is strictly ascending;
/// row i of `values` (cols wide) belongs to table row rows[i]. Vectors keep their memory from step
/// to step.
struct SparseGradient
{
    std::int64_t cols = 0;
    std::vector<std::int32_t> rows;
    std::vector<float> values;

    std::int64_t rowCount() const { return static_cast<std::int64_t>(rows.size()); }
    MatrixView view() { return matrixView(std::span<float>(values), rowCount(), cols); }
    ConstMatrixView view() const
    {
        return matrixView(std::span<const float>(values), rowCount(), cols);
    }
    /// Makes room for so many looked-up rows, so that steps do not allocate.
    void reserve(std::int64_t rowLimit, std::int64_t width);
};

/// Working memory of the functions that make sparse gradients; one per thread of control, shared by
/// any number of tables. Entry e adds factors[e] * (row batchRows[e] of a gradient) to the table
/// row of its key.
struct SparseScratch
{
    std::vector<std::uint64_t> keys;    ///< table row << 32 | entry
    std::vector<std::uint64_t> sorting; ///< the other half of the radix sort
    std::vector<std::int64_t> starts;   ///< where each distinct row begins in keys, and their end
    std::vector<std::int32_t> batchRows;
    std::vector<float> factors;

    void reserve(std::int64_t entryLimit);
};

/// Sorts scratch.keys, so that entries of one row stand together in their order, and fills
/// scratch.starts.
void groupByRow(SparseScratch& scratch);

/// After groupByRow: the sum of every row's entries, added in their order.
void sumGroups(ThreadPool&, const SparseScratch& scratch, ConstMatrixView values,
               SparseGradient& sum);

/// Sums the rows of `values` that have equal `ids` (IndexedSlices -> SparseGradient), in the order
/// they come. Negative ids are dropped.
void sumDuplicates(ThreadPool&, std::span<const std::int32_t> ids, ConstMatrixView values,
                   SparseScratch& scratch, SparseGradient& sum);

/// sum = a + b. Of shards, or of columns that share a table. `sum` is neither a nor b.
void addSparse(const SparseGradient& a, const SparseGradient& b, SparseGradient& sum);

/// dense[rows[i]] += values[i].
void scatterAdd(ThreadPool&, const SparseGradient& gradient, MatrixView dense);

} // namespace cannery::kernels
