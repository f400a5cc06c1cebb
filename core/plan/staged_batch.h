// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/graph/layer_graph.h"
#include "core/heads/head.h"
#include "kernels/accelerator/program.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::plan {

/// What the program of a batch depends on.
struct BatchShape
{
    struct Ids
    {
        std::int64_t capacity = 0; ///< of all rows together, at most; 0: the graph reads none
        bool weighted = false;
        bool operator==(const Ids&) const = default;
    };
    std::int64_t rows = 0;
    std::vector<Ids> ids;         ///< by block
    std::int64_t weightWidth = 0; ///< of the rows' weights; 0: all count alike

    /// Whether a batch of the shape `other` fits into a program of this one.
    bool holds(const BatchShape& other) const;
};

/// Just that of the batch.
BatchShape shapeOf(const graph::LayerGraph& graph, const features::EncodedRows& batch,
                   std::int64_t weightWidth);
/// With some room for batches that follow, whose rows may have more ids.
BatchShape withRoom(BatchShape shape);
/// Of a batch that nobody has seen: an id per row.
BatchShape expectedShape(const graph::LayerGraph& graph, std::int64_t rows,
                         std::int64_t weightWidth);

/// A batch as one block of memory, the same on both sides: all that a training step reads of it. A
/// whole table is laid out like a batch of all its rows.
class StagedBatch
{
public:
    StagedBatch() = default;
    StagedBatch(const graph::LayerGraph& graph, const heads::Head& head, BatchShape shape);

    const BatchShape& shape() const { return m_shape; }
    std::int64_t bytes() const { return m_bytes; }

    /// `rowWeights`: [rows, weightWidth].
    void write(const features::EncodedRows& batch, std::span<const float> rowWeights,
               std::byte* memory) const;

    /// Operations that put this batch together at `memory` from rows of a table; `index`: numbers
    /// of the rows.
    void placeGather(kernels::AcceleratorProgram& program, const StagedBatch& table,
                     std::byte* tableMemory, const kernels::StepData& index,
                     std::byte* memory) const;

    /// The blocks that the graph reads.
    std::span<const std::int32_t> denseBlocks() const { return m_denseBlocks; }
    std::span<const std::int32_t> idBlocks() const { return m_idBlocks; }
    /// Where things are in this memory; of a block that the graph reads.
    kernels::MatrixView dense(std::int32_t block, std::byte* memory) const;
    kernels::DeviceIds ids(std::int32_t block, std::byte* memory) const;
    kernels::MatrixView labels(std::byte* memory) const;
    kernels::MatrixView weights(std::byte* memory) const; ///< data null: all 1

private:
    struct DensePlace
    {
        std::int64_t values = -1; ///< -1: not read
        std::int64_t width = 0;
    };
    struct IdPlaces
    {
        std::int64_t rowOffsets = -1; ///< -1: not read
        std::int64_t ids = -1;
        std::int64_t weights = -1; ///< -1: all 1
    };
    std::int64_t add(std::int64_t count, std::size_t size);
    void addDense(std::int32_t block, std::int64_t width);
    void addIds(std::int32_t block);
    void writeIds(const features::IdBlock& block, const IdPlaces& places, std::byte* memory) const;

    BatchShape m_shape;
    std::int64_t m_labelWidth = 0;
    std::int64_t m_bytes = 0;
    std::vector<DensePlace> m_dense; ///< by block
    std::vector<IdPlaces> m_ids;
    std::vector<std::int32_t> m_denseBlocks;
    std::vector<std::int32_t> m_idBlocks;
    std::int64_t m_labels = 0;
    std::int64_t m_weights = -1;
};

} // namespace cannery::plan
