// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/layer_graph.h"
#include "core/layers/layer_buffers.h"
#include "core/plan/float_arena.h"
#include "kernels/accelerator/program.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace cannery::plan {

using Segments = std::vector<layers::GradientSegment>;

/// The gradient of one variable: the contribution of each node that uses it (nearly always one
/// node; the columns of a shared embedding are several), and the sum.
class VariableGradient
{
public:
    VariableGradient(std::int64_t rows, std::int64_t cols) : m_rows(rows), m_cols(cols) {}

    /// Where another node writes its part.
    Segments* addPart();
    void clearParts() { m_parts.clear(); }

    /// After all nodes are prepared: reserves memory, then binds it.
    void plan(FloatArena& arena);
    void bind(FloatArena& arena);

    /// Of the dense part in the arena; -1: there is none.
    std::int64_t offset() const { return m_offset; }

    /// The same as sum() on an accelerator, once the nodes have placed their parts.
    void placeSum(kernels::AcceleratorProgram& program, std::string_view label);

    /// After a backward pass: adds up the parts. Only sparse parts can be several.
    void sum(kernels::SparseScratch& scratch);
    /// In the order of their rows.
    Segments& segments() { return m_sum.empty() ? *m_parts.front() : m_sum; }
    /// The whole gradient in contiguous memory: for a dense one all elements, for a sparse one its
    /// rows. Not for a mixture.
    std::span<float> values();
    /// Adds the gradient to a dense one of the variable's shape.
    void addTo(std::span<float> dense);

private:
    std::int64_t m_rows;
    std::int64_t m_cols;
    std::int64_t m_offset = -1; ///< of the dense part in the arena
    std::span<float> m_dense;
    std::vector<std::unique_ptr<Segments>> m_parts;
    Segments m_sum;                  ///< of several parts
    kernels::SparseGradient m_spare; ///< an intermediate sum
};

} // namespace cannery::plan
