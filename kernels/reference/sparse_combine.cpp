// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/sparse_combine.h"

#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace cannery::kernels::reference {

namespace {

bool counts(const IdsView& ids, std::int64_t entry, std::int64_t tableRows,
            const SparseCombineOptions& options)
{
    const std::int32_t id = ids.ids[entry];
    const bool anyWeight = options.combiner == Combiner::Sum || options.anyWeight;
    return id >= 0 && id < tableRows && (anyWeight || ids.weight(entry) > 0);
}

/// The divisor of a row's weighted sum; infinite where TensorFlow's div_no_nan gives 0.
double divisor(const IdsView& ids, std::int64_t row, std::int64_t tableRows,
               const SparseCombineOptions& options)
{
    double sum = 0;
    double squares = 0;
    for (std::int64_t e = ids.rowOffsets[row]; e < ids.rowOffsets[row + 1]; ++e) {
        if (counts(ids, e, tableRows, options)) {
            const double weight = ids.weight(e);
            sum += weight;
            squares += weight * weight;
        }
    }
    if (options.combiner == Combiner::Sum) {
        return 1.0;
    }
    const double by = options.combiner == Combiner::Mean ? sum : std::sqrt(squares);
    return by == 0 ? std::numeric_limits<double>::infinity() : by;
}

double norm(std::span<const float> row)
{
    double squares = 0;
    for (const float x : row) {
        squares += static_cast<double>(x) * x;
    }
    return std::sqrt(squares);
}

void forward(ThreadPool&, const IdsView& ids, ConstMatrixView table,
             const SparseCombineOptions& options, MatrixView dst)
{
    std::vector<double> sums(static_cast<std::size_t>(dst.cols));
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        std::fill(sums.begin(), sums.end(), 0.0);
        for (std::int64_t e = ids.rowOffsets[r]; e < ids.rowOffsets[r + 1]; ++e) {
            if (!counts(ids, e, table.rows, options)) {
                continue;
            }
            const auto row = table.row(ids.ids[e]);
            const double length = options.maxNorm ? norm(row) : 0;
            const double clip =
                options.maxNorm && length > *options.maxNorm ? *options.maxNorm / length : 1.0;
            for (std::int64_t c = 0; c < dst.cols; ++c) {
                sums[c] += ids.weight(e) * clip * row[c];
            }
        }
        const double by = divisor(ids, r, table.rows, options);
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            const double before = options.accumulate ? dst.at(r)[c] : 0.0;
            dst.at(r)[c] = static_cast<float>(before + sums[c] / by);
        }
    }
}

using RowGradients = std::map<std::int32_t, std::vector<double>>;

/// y = x limit / |x|, so dx = limit / |x| (dy - x (x . dy) / |x|^2).
void differentiateClip(std::span<const float> x, double limit, std::vector<double>& grad)
{
    const double length = norm(x);
    if (!(length > limit)) {
        return;
    }
    double product = 0;
    for (std::size_t c = 0; c < x.size(); ++c) {
        product += x[c] * grad[c];
    }
    for (std::size_t c = 0; c < x.size(); ++c) {
        grad[c] = limit / length * (grad[c] - x[c] * product / (length * length));
    }
}

RowGradients gradients(const IdsView& ids, ConstMatrixView table,
                       const SparseCombineOptions& options, ConstMatrixView dstGrad)
{
    RowGradients result;
    for (std::int64_t r = 0; r < dstGrad.rows; ++r) {
        const double by = divisor(ids, r, table.rows, options);
        for (std::int64_t e = ids.rowOffsets[r]; e < ids.rowOffsets[r + 1]; ++e) {
            if (!counts(ids, e, table.rows, options)) {
                continue;
            }
            auto& grad = result[ids.ids[e]];
            grad.resize(static_cast<std::size_t>(dstGrad.cols));
            for (std::int64_t c = 0; c < dstGrad.cols; ++c) {
                grad[c] += ids.weight(e) / by * dstGrad.at(r)[c];
            }
        }
    }
    if (options.maxNorm) {
        for (auto& [id, grad] : result) {
            differentiateClip(table.row(id), *options.maxNorm, grad);
        }
    }
    return result;
}

void sparseGradient(ThreadPool&, const IdsView& ids, ConstMatrixView table,
                    const SparseCombineOptions& options, ConstMatrixView dstGrad, SparseScratch&,
                    SparseGradient& result)
{
    result.cols = table.cols;
    result.rows.clear();
    result.values.clear();
    result.anyRowEmpty = false;
    for (std::int64_t r = 0; r < dstGrad.rows; ++r) {
        bool empty = true;
        for (std::int64_t e = ids.rowOffsets[r]; e < ids.rowOffsets[r + 1]; ++e) {
            empty = empty && !counts(ids, e, table.rows, options);
        }
        result.anyRowEmpty = result.anyRowEmpty || empty;
    }
    for (const auto& [id, grad] : gradients(ids, table, options, dstGrad)) {
        result.rows.push_back(id);
        for (const double x : grad) {
            result.values.push_back(static_cast<float>(x));
        }
    }
}

void denseGradient(ThreadPool&, const IdsView& ids, ConstMatrixView table,
                   const SparseCombineOptions& options, ConstMatrixView dstGrad, SparseScratch&,
                   MatrixView tableGrad)
{
    for (std::int64_t r = 0; r < tableGrad.rows; ++r) {
        std::fill(tableGrad.row(r).begin(), tableGrad.row(r).end(), 0.0F);
    }
    for (const auto& [id, grad] : gradients(ids, table, options, dstGrad)) {
        for (std::int64_t c = 0; c < tableGrad.cols; ++c) {
            tableGrad.at(id)[c] = static_cast<float>(grad[c]);
        }
    }
}

} // namespace

const SparseCombineKernels kSparseCombine = {forward, sparseGradient, denseGradient};

} // namespace cannery::kernels::reference
