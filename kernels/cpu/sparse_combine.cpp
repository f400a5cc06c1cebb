#include "kernels/ops/sparse_combine.h"

#include "kernels/device/row_blocks.h"

#include <cmath>

namespace cannery::kernels::cpu {

namespace {

/// How many entries ahead a table row is asked for, so that it is there when its turn comes.
constexpr std::int64_t kPrefetchDistance = 8;

/// Which entries of a batch count, and with which factor.
class Entries
{
public:
    Entries(const IdsView& ids, std::int64_t tableRows, Combiner combiner)
        : m_ids(ids), m_tableRows(tableRows), m_combiner(combiner)
    {}

    /// Calls function(id, factor) for every entry of a row, in order.
    template <typename Function>
    void forEach(std::int64_t row, Function&& function) const
    {
        const std::int64_t begin = m_ids.rowOffsets[row];
        const std::int64_t end = m_ids.rowOffsets[row + 1];
        const float norm = m_combiner == Combiner::Sum ? 1.0F : divisor(begin, end);
        for (std::int64_t e = begin; e < end; ++e) {
            if (counts(e)) {
                function(m_ids.ids[e], m_ids.weight(e) / norm);
            }
        }
    }

private:
    bool counts(std::int64_t entry) const
    {
        const std::int32_t id = m_ids.ids[entry];
        return id >= 0 && id < m_tableRows &&
               (m_combiner == Combiner::Sum || m_ids.weight(entry) > 0);
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
        // An address outside the table does no harm.
        __builtin_prefetch(table.data + ids.ids[entry] * table.stride);
    }
}

void combineRow(const IdsView& ids, std::int64_t row, ConstMatrixView table,
                const SparseCombineOptions& options, float* dst)
{
    const std::int64_t cols = table.cols;
    prefetch(ids, ids.rowOffsets[row] + kPrefetchDistance, table);
    if (!options.accumulate) {
        std::fill_n(dst, cols, 0.0F);
    }
    Entries(ids, table.rows, options.combiner).forEach(row, [&](std::int32_t id, float factor) {
        const float* source = table.at(id);
        if (options.maxNorm) {
            factor *= clipFactor(source, cols, *options.maxNorm);
        }
        for (std::int64_t c = 0; c < cols; ++c) {
            dst[c] += factor * source[c];
        }
    });
}

void forward(ThreadPool& pool, const IdsView& ids, ConstMatrixView table,
             const SparseCombineOptions& options, MatrixView dst)
{
    forEachRowBlock(pool, dst.rows, 8 * dst.cols, [&](BlockRange rows, int) {
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

void collectEntries(const Entries& entries, std::int64_t rows, SparseScratch& scratch)
{
    scratch.keys.clear();
    scratch.batchRows.clear();
    scratch.factors.clear();
    for (std::int64_t r = 0; r < rows; ++r) {
        entries.forEach(r, [&](std::int32_t id, float factor) {
            scratch.keys.push_back(static_cast<std::uint64_t>(id) << 32 | scratch.factors.size());
            scratch.batchRows.push_back(static_cast<std::int32_t>(r));
            scratch.factors.push_back(factor);
        });
    }
}

void sparseGradient(ThreadPool& pool, const IdsView& ids, ConstMatrixView table,
                    const SparseCombineOptions& options, ConstMatrixView dstGrad,
                    SparseScratch& scratch, SparseGradient& result)
{
    collectEntries(Entries(ids, table.rows, options.combiner), dstGrad.rows, scratch);
    groupByRow(scratch);
    sumGroups(pool, scratch, dstGrad, result);
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
    const Entries entries(ids, table.rows, options.combiner);
    // Threads take columns, so that every element is summed by one of them in the batch's order.
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
