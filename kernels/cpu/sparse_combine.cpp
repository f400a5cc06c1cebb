// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/sparse_combine.h"

#include "kernels/device/plain_ids.h"
#include "kernels/device/row_blocks.h"

#include <cmath>

namespace cannery::kernels::cpu {

namespace {

/// How many entries ahead a table row is prefetched.
constexpr std::int64_t kPrefetchDistance = 8;
constexpr std::int64_t kNumbersAhead = 128; ///< in a table of one column

/// Which entries of a batch count, and by which factor.
class Entries
{
public:
    Entries(const IdsView& ids, std::int64_t tableRows, const SparseCombineOptions& options)
        : m_ids(ids), m_tableRows(tableRows), m_combiner(options.combiner),
          m_anyWeight(options.anyWeight || options.combiner == Combiner::Sum)
    {}

    /// Calls function(id, factor) for every entry of a row, in order.
    template <typename Function>
    void forEach(std::int64_t row, Function&& function) const
    {
        const std::int64_t begin = m_ids.rowOffsets[row];
        const std::int64_t end = m_ids.rowOffsets[row + 1];
        const float norm = m_combiner == Combiner::Sum ? 1.0F : divisor(begin, end);
        // Weights that cancel out give zeros, as in TensorFlow's div_no_nan.
        const bool cancels = norm == 0.0F;
        for (std::int64_t e = begin; e < end; ++e) {
            if (counts(e)) {
                function(m_ids.ids[e], cancels ? 0.0F : m_ids.weight(e) / norm);
            }
        }
    }

private:
    bool counts(std::int64_t entry) const
    {
        const std::int32_t id = m_ids.ids[entry];
        // Entries without a positive weight do not count for means.
        return id >= 0 && id < m_tableRows && (m_anyWeight || m_ids.weight(entry) > 0);
    }

    float divisor(std::int64_t begin, std::int64_t end) const
    {
        float sum = 0;
        for (std::int64_t e = begin; e < end; ++e) {
            if (counts(e)) {
                const float weight = m_ids.weight(e);
                sum += m_combiner == Combiner::Mean ? weight : weight * weight;
            }
        }
        return m_combiner == Combiner::Mean ? sum : std::sqrt(sum);
    }

    const IdsView& m_ids;
    std::int64_t m_tableRows;
    Combiner m_combiner;
    bool m_anyWeight;
};

float squaredNorm(const float* row, std::int64_t cols)
{
    float sum = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
        sum += row[c] * row[c];
    }
    return sum;
}

/// tf.clip_by_norm as a factor: limit / max(norm, limit).
float clipFactor(const float* row, std::int64_t cols, float limit)
{
    const float norm = std::sqrt(squaredNorm(row, cols));
    return norm > limit ? limit / norm : 1.0F;
}

void prefetch(const IdsView& ids, std::int64_t entry, ConstMatrixView table)
{
    if (entry < ids.rowOffsets.back()) {
        // An address outside the table is harmless.
        __builtin_prefetch(table.data + ids.ids[entry] * table.stride);
    }
}

void combineRow(const IdsView& ids, std::int64_t row, ConstMatrixView table,
                const SparseCombineOptions& options, float* dst)
{
    const std::int64_t cols = table.cols;
    prefetch(ids, ids.rowOffsets[row] + kPrefetchDistance, table);
    // Into zeros, unless there is something to add to.
    if (!options.accumulate) {
        std::fill_n(dst, cols, 0.0F);
    }
    Entries(ids, table.rows, options).forEach(row, [&](std::int32_t id, float factor) {
        const float* source = table.at(id);
        if (options.maxNorm) {
            factor *= clipFactor(source, cols, *options.maxNorm);
        }
        for (std::int64_t c = 0; c < cols; ++c) {
            dst[c] += factor * source[c];
        }
    });
}

/// One id for each row, and nothing to clip.
bool hasPlainIds(const IdsView& ids, const SparseCombineOptions& options)
{
    return !options.maxNorm && kernels::hasPlainIds(ids);
}

/// dst[r] (+)= table[id], for tables of one column. What the processor reads ahead by itself are
/// fewer rows than memory can deliver at the same time.
void takePlain(const std::int32_t* ids, std::int64_t rows, ConstMatrixView table, bool accumulate,
               MatrixView dst)
{
    const auto limit = static_cast<std::uint32_t>(table.rows);
    for (std::int64_t r = 0; r < rows; ++r) {
        if (r + kNumbersAhead < rows) {
            __builtin_prefetch(table.data + ids[r + kNumbersAhead] * table.stride);
        }
        // As unsigned numbers, negative ids are beyond the table as well.
        const auto id = static_cast<std::uint32_t>(ids[r]);
        const float weight = id < limit ? table.data[id * table.stride] : 0.0F;
        float* target = dst.data + r * dst.stride;
        *target = (accumulate ? *target : 0.0F) + weight;
    }
}

/// Combiners leave a single entry of weight 1 unchanged.
void takePlainRows(const std::int32_t* ids, std::int64_t rows, ConstMatrixView table,
                   bool accumulate, MatrixView dst)
{
    const auto limit = static_cast<std::uint32_t>(table.rows);
    for (std::int64_t r = 0; r < rows; ++r) {
        if (r + kPrefetchDistance < rows) {
            __builtin_prefetch(table.data + ids[r + kPrefetchDistance] * table.stride);
        }
        float* target = dst.at(r);
        if (!accumulate) {
            std::fill_n(target, table.cols, 0.0F);
        }
        // An unknown id adds nothing.
        if (static_cast<std::uint32_t>(ids[r]) >= limit) {
            continue;
        }
        const float* source = table.at(ids[r]);
        for (std::int64_t c = 0; c < table.cols; ++c) {
            target[c] += source[c];
        }
    }
}

void forward(ThreadPool& pool, const IdsView& ids, ConstMatrixView table,
             const SparseCombineOptions& options, MatrixView dst)
{
    const bool plain = hasPlainIds(ids, options);
    // Rows are scattered in memory: each counts as several columns.
    forEachRowBlock(pool, dst.rows, 8 * dst.cols, [&](BlockRange rows, int) {
        if (plain) {
            const std::int32_t* first = ids.ids.data() + ids.rowOffsets[rows.first];
            const auto take = dst.cols == 1 ? takePlain : takePlainRows;
            take(first, rows.count, table, options.accumulate, dst.slice(rows.first, rows.count));
            return;
        }
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            combineRow(ids, r, table, options, dst.at(r));
        }
    });
}

/// y = x limit / |x|, so dx = limit / |x| (dy - x (x . dy) / |x|^2); shorter rows pass unchanged.
void differentiateClip(const float* x, std::int64_t cols, float limit, float* grad)
{
    const float squares = squaredNorm(x, cols);
    const float norm = std::sqrt(squares);
    if (!(norm > limit)) {
        return;
    }
    float product = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
        product += x[c] * grad[c];
    }
    for (std::int64_t c = 0; c < cols; ++c) {
        grad[c] = limit / norm * (grad[c] - x[c] * product / squares);
    }
}

/// For tables of one column with plain ids.
void sumPlain(const IdsView& ids, std::int64_t tableRows, ConstMatrixView dstGrad,
              RowNumbering& numbering, SparseGradient& result)
{
    const std::int64_t rows = dstGrad.rows;
    // Entries of a batch that is part of another begin anywhere.
    const std::span<const std::int32_t> entries =
        ids.ids.subspan(rows > 0 ? static_cast<std::size_t>(ids.rowOffsets.front()) : 0,
                        static_cast<std::size_t>(rows));
    float* const sums = result.values.data();
    std::int64_t used = 0;
    numbering.numberAll(
        entries, tableRows, result.rows.data(), [&](std::size_t entry, std::uint32_t number) {
            sums[number] += dstGrad.data[static_cast<std::int64_t>(entry) * dstGrad.stride];
            ++used;
        });
    result.anyRowEmpty = used < rows;
}

/// Numbers the rows that occur; stores the number, the row of the batch and the factor of every
/// entry.
void numberEntries(const Entries& entries, std::int64_t rows, SparseScratch& scratch,
                   SparseGradient& result)
{
    scratch.numbers.clear();
    scratch.batchRows.clear();
    scratch.factors.clear();
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::size_t before = scratch.numbers.size();
        entries.forEach(r, [&](std::int32_t id, float factor) {
            scratch.numbers.push_back(scratch.numbering.numberOf(id, result.rows.data()));
            scratch.batchRows.push_back(static_cast<std::int32_t>(r));
            scratch.factors.push_back(factor);
        });
        result.anyRowEmpty = result.anyRowEmpty || scratch.numbers.size() == before;
    }
}

/// The sum of every row's entries, added in order. For a large batch, threads split the columns.
void sumEntries(ThreadPool& pool, const SparseScratch& scratch, ConstMatrixView dstGrad,
                SparseGradient& result)
{
    const auto count = static_cast<std::int64_t>(scratch.numbers.size());
    const auto sumColumns = [&](BlockRange cols, int) {
        for (std::int64_t e = 0; e < count; ++e) {
            const float factor = scratch.factors[e];
            const float* source = dstGrad.at(scratch.batchRows[e]) + cols.first;
            float* __restrict target =
                result.values.data() + scratch.numbers[e] * result.cols + cols.first;
            for (std::int64_t c = 0; c < cols.count; ++c) {
                target[c] += factor * source[c];
            }
        }
    };
    // Few entries are not worth several threads.
    if (count * result.cols < 2 * kBlockElements) {
        sumColumns({0, result.cols}, 0);
    } else {
        forEachColumnBlock(pool, count, result.cols, sumColumns);
    }
}

void sparseGradient(ThreadPool& pool, const IdsView& ids, ConstMatrixView table,
                    const SparseCombineOptions& options, ConstMatrixView dstGrad,
                    SparseScratch& scratch, SparseGradient& result)
{
    const std::int64_t entries = ids.idCount();
    scratch.numbering.begin(entries, table.rows);
    result.clear(std::min(entries, table.rows), table.cols);
    result.anyRowEmpty = false;
    if (table.cols == 1 && hasPlainIds(ids, options)) {
        sumPlain(ids, table.rows, dstGrad, scratch.numbering, result);
    } else {
        numberEntries(Entries(ids, table.rows, options), dstGrad.rows, scratch, result);
        sumEntries(pool, scratch, dstGrad, result);
    }
    result.keepFirst(scratch.numbering.count());
    if (!options.maxNorm) {
        return;
    }
    forEachRowBlock(pool, result.rowCount(), result.cols, [&](BlockRange rows, int) {
        for (std::int64_t i = rows.first; i < rows.first + rows.count; ++i) {
            differentiateClip(table.at(result.rows[i]), result.cols, *options.maxNorm,
                              result.values.data() + i * result.cols);
        }
    });
}

void clear(MatrixView matrix)
{
    if (matrix.contiguous()) {
        std::fill_n(matrix.data, matrix.rows * matrix.cols, 0.0F);
        return;
    }
    for (std::int64_t r = 0; r < matrix.rows; ++r) {
        std::fill_n(matrix.at(r), matrix.cols, 0.0F);
    }
}

void denseGradient(ThreadPool& pool, const IdsView& ids, ConstMatrixView table,
                   const SparseCombineOptions& options, ConstMatrixView dstGrad, SparseScratch&,
                   MatrixView tableGrad)
{
    const Entries entries(ids, table.rows, options);
    // Threads split the columns, so that every element is summed by one of them in the batch's
    // order.
    const std::int64_t work = tableGrad.rows + ids.idCount();
    forEachColumnBlock(pool, work, tableGrad.cols, [&](BlockRange cols, int) {
        clear(tableGrad.columns(cols.first, cols.count));
        for (std::int64_t r = 0; r < dstGrad.rows; ++r) {
            const float* source = dstGrad.at(r) + cols.first;
            entries.forEach(r, [&](std::int32_t id, float factor) {
                float* target = tableGrad.at(id) + cols.first;
                for (std::int64_t c = 0; c < cols.count; ++c) {
                    target[c] += factor * source[c];
                }
            });
        }
    });
    for (std::int64_t r = 0; options.maxNorm && r < tableGrad.rows; ++r) {
        differentiateClip(table.at(r), tableGrad.cols, *options.maxNorm, tableGrad.at(r));
    }
}

} // namespace

const SparseCombineKernels kSparseCombine = {forward, sparseGradient, denseGradient};

} // namespace cannery::kernels::cpu
