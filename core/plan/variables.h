// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"
#include "core/plan/float_arena.h"
#include "kernels/device/tensor_view.h"

#include <filesystem>
#include <vector>

namespace cannery::plan {

/// The values of a graph's variables, in one block of memory. A vector is a matrix with one row.
class Variables
{
public:
    /// Lays out every variable, in cells where cellSizes() says so, and sets its initial values.
    /// Errors: those of reading the checkpoint of an embedding's initial values.
    static Result<Variables> create(const graph::LayerGraph& graph, std::uint64_t seed,
                                    const std::filesystem::path& folder,
                                    std::span<const std::int64_t> cellSizes);

    /// In cells, the slots follow each weight up to the next one.
    kernels::MatrixView values(graph::VariableId id);
    std::span<float> span(graph::VariableId id) { return values(id).flat(); }
    /// All of them, with padding.
    std::span<float> memory() { return m_arena.span(0, m_arena.size()); }

private:
    struct Place
    {
        std::int64_t offset = 0;
        std::int64_t rows = 1;
        std::int64_t cols = 1;
        std::int64_t stride = 1;
    };
    std::vector<Place> m_places;
    FloatArena m_arena;
};

} // namespace cannery::plan
