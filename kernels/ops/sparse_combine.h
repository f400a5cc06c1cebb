// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"
#include "kernels/ops/sparse_gradient.h"

#include <optional>

namespace cannery::kernels {

/// tf.nn.embedding_lookup_sparse's combiners; w are the entries' weights (1 without), e their rows:
/// sum(w e),  sum(w e) / sum(w),  sum(w e) / sqrt(sum(w^2)).
enum class Combiner
{
    Sum,
    Mean,
    Sqrtn,
};

struct SparseCombineOptions
{
    Combiner combiner = Combiner::Mean;
    /// Each looked-up row with a larger L2 norm is first scaled to this norm.
    std::optional<float> maxNorm;
    /// forward: adds to dst instead of replacing it.
    bool accumulate = false;
    /// Entries with non-positive weights count too (tf.nn.embedding_lookup_sparse, which prunes
    /// nothing); if the combiner's divisor is then 0, the row gives zeros, as with div_no_nan.
    bool anyWeight = false;
};

struct SparseCombineProblem
{
    std::int64_t tableRows = 0;
    std::int64_t cols = 0;
    SparseCombineOptions options;
};

/// dst[r] = combined table rows of ids' row r (safe_embedding_lookup_sparse). Ids outside [0,
/// table.rows) are dropped; so are entries of weight <= 0 unless the combiner is Sum or anyWeight
/// is set; a row left empty gives zeros. Duplicates count as often as they occur. With
/// Combiner::Sum this is also a multi-hot input times the `table` rows of a first dense layer's
/// kernel: pass it that slice. The gradients are those of the table: entry (r, i) adds w / norm_r *
/// dstGrad[r] to row i; with maxNorm the clipping is differentiated as well. There are no gradients
/// of the entries' weights.
struct SparseCombineKernels
{
    /// dst may be a slice of columns of a wider matrix.
    void (*forward)(ThreadPool&, const IdsView&, ConstMatrixView table, const SparseCombineOptions&,
                    MatrixView dst) = nullptr;
    /// The rows that occur, each once. `table` is only read if maxNorm is set, but always gives the
    /// shape.
    void (*sparseGradient)(ThreadPool&, const IdsView&, ConstMatrixView table,
                           const SparseCombineOptions&, ConstMatrixView dstGrad, SparseScratch&,
                           SparseGradient&) = nullptr;
    /// The same as a whole table: tableGrad is overwritten, rows that do not occur become 0. For a
    /// slice of a dense kernel.
    void (*denseGradient)(ThreadPool&, const IdsView&, ConstMatrixView table,
                          const SparseCombineOptions&, ConstMatrixView dstGrad, SparseScratch&,
                          MatrixView tableGrad) = nullptr;
};

using SparseCombineImplementation = Implementation<SparseCombineProblem, SparseCombineKernels>;
std::span<const SparseCombineImplementation> sparseCombineImplementations();
const SparseCombineKernels& sparseCombineKernels(const SparseCombineProblem& problem);

namespace cpu {
extern const SparseCombineKernels kSparseCombine;
}
namespace reference {
extern const SparseCombineKernels kSparseCombine;
}

} // namespace cannery::kernels
