// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/sparse_combine.h"

namespace cannery::layers {

/// Rows of a table combined by ids: shared by embeddings, categorical weights and indicators. The
/// gradient is TensorFlow's IndexedSlices (safe_embedding_lookup_sparse).
class Lookup
{
public:
    void prepare(const kernels::SparseCombineOptions& options, std::int64_t tableRows,
                 std::int64_t cols);

    void forward(const StepContext& step, const kernels::IdsView& ids,
                 kernels::ConstMatrixView table, bool accumulate, kernels::MatrixView dst) const;
    /// Asks for the rows of a table that no cache holds, which forward() is going to read: they
    /// come while something else is computed. No result depends on it.
    static void fetch(const kernels::IdsView& ids, kernels::ConstMatrixView table);
    /// The rows that occur. `asIndexedSlices`: as in TensorFlow's gradient of a lookup, which also
    /// contains row 0 (with zeros) if some row of the batch has no id, since an empty row looks up
    /// id 0 and discards the result; optimizers may change such a row.
    void sparseGradient(const StepContext& step, const ValueBuffer& source,
                        kernels::ConstMatrixView table, kernels::ConstMatrixView dstGrad,
                        bool asIndexedSlices, kernels::SparseGradient& gradient) const;
    /// The whole table, zero for ids that do not occur.
    void denseGradient(const StepContext& step, const kernels::IdsView& ids,
                       kernels::ConstMatrixView table, kernels::ConstMatrixView dstGrad,
                       kernels::MatrixView gradient) const;

    /// The same on an accelerator, over a mirror of the table; `dst` and `dstGrad` are there.
    void placeForward(const Placement& placement, const kernels::DeviceIds& ids,
                      kernels::ConstMatrixView table, bool accumulate,
                      kernels::MatrixView dst) const;
    /// That of the rows that occur or of the whole table, as the segment wants it.
    void placeGradient(const Placement& placement, const kernels::DeviceIds& ids,
                       kernels::ConstMatrixView table, kernels::ConstMatrixView dstGrad,
                       bool asIndexedSlices, GradientSegment& segment) const;

    /// Adds row 0 with zeros unless it is present.
    static void touchRowZero(kernels::SparseGradient& gradient);

private:
    kernels::DeviceSparse placeSparseGradient(const Placement& placement,
                                              const kernels::DeviceIds& ids,
                                              kernels::ConstMatrixView table,
                                              kernels::ConstMatrixView dstGrad,
                                              bool asIndexedSlices) const;

    kernels::SparseCombineOptions m_options;
    const kernels::SparseCombineKernels* m_kernels = nullptr;
};

/// The same for a TensorFlow graph, in plain operations: ids below 0 (and, unless summed, weights
/// <= 0) are dropped, an empty row gives zeros. With `anyWeight` nothing is dropped: an id below 0
/// fails as in TensorFlow's embedding_lookup_sparse. `table` is the variable; returns [batch,
/// cols].
storage::NodeRef emitLookup(const EmitContext& context, const storage::EmittedValue& ids,
                            const storage::GraphVariable& table,
                            const kernels::SparseCombineOptions& options);

/// An indicator as in TensorFlow: counts (or summed weights) per id, [batch, width].
storage::NodeRef emitIndicator(const EmitContext& context, const storage::EmittedValue& ids,
                               std::int64_t width);

/// "node:1" as a NodeRef.
storage::NodeRef nodeRef(const std::string& tensor);

} // namespace cannery::layers
