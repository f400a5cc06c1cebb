// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/layer_graph.h"
#include "core/layers/layer_buffers.h"
#include "core/plan/float_arena.h"
#include "kernels/accelerator/program.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cannery::plan {

using Segments = std::vector<layers::GradientSegment>;

/// The gradient of one variable: the contribution of each node that uses it (nearly always one
/// node; the columns of a shared embedding and layers that share weights are several), and the
/// sum. Several parts are summed as rows of a table if each is nothing else, otherwise as a dense
/// gradient.
class VariableGradient
{
public:
    VariableGradient(std::int64_t rows, std::int64_t cols) : m_rows(rows), m_cols(cols) {}

    /// Where another node writes its part.
    Segments* addPart();
    void clearParts() { m_parts.clear(); }

    /// After all nodes are prepared: reserves memory, then binds it. What several dense parts are
    /// before they are summed has an arena of its own, since shards exchange sums only.
    void plan(FloatArena& arena, FloatArena& parts);
    void bind(FloatArena& arena, FloatArena& parts);

    /// Of what it has in the arena, a dense gradient or the squares of slices; -1: nothing.
    std::int64_t arenaOffset() const { return m_offset < 0 ? m_squaresOffset : m_offset; }
    /// Several parts make one dense gradient.
    bool isDenseSum() const { return m_parts.size() > 1 && m_offset >= 0; }

    /// The same as sum() on an accelerator, once the nodes have placed their parts. Not of a dense
    /// sum.
    void placeSum(kernels::AcceleratorProgram& program, std::string_view label);

    /// After a backward pass: adds up the parts, in the order of their nodes.
    void sum(kernels::SparseScratch& scratch);
    /// In the order of their rows.
    Segments& segments() { return m_sum.empty() ? *m_parts.front() : m_sum; }
    /// After bind(): from now on a gradient of which only some rows would be known is made whole
    /// before it is applied, since a penalty adds to every row.
    void keepWhole();
    /// What an optimizer applies: segments(), or what makeWhole() has made of them.
    Segments& applied() { return m_whole.empty() ? segments() : m_whole; }
    /// After sum() and keepWhole(): all elements of applied(), in contiguous memory.
    std::span<float> makeWhole();
    /// Those that are applied in contiguous memory: for a dense gradient all elements, for a sparse
    /// one its rows. Not for a mixture.
    std::span<float> values();
    /// After sum(): the squares of the slices that the rows of applied() are sums of, over all
    /// shards; nullopt if these are no such sums (see layers::GradientSegment).
    std::optional<double> sliceSquares() const;
    /// Adds what is applied to a dense gradient of the variable's shape.
    void addTo(std::span<float> dense);

private:
    void addParts(kernels::SparseScratch& scratch);

    std::int64_t m_rows;
    std::int64_t m_cols;
    std::int64_t m_offset = -1;        ///< of the dense gradient in the arena
    std::int64_t m_squaresOffset = -1; ///< of the squares of slices in the arena
    std::span<float> m_dense;
    std::span<float> m_squares;              ///< one number, or none
    std::vector<std::int64_t> m_partOffsets; ///< of a dense sum: in the arena of the parts
    std::vector<std::unique_ptr<Segments>> m_parts;
    Segments m_sum;   ///< of several parts
    Segments m_whole; ///< one dense segment, or none
    std::vector<float> m_wholeValues;
    kernels::SparseGradient m_spare; ///< an intermediate sum
};

} // namespace cannery::plan
