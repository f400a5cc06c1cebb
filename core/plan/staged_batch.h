// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_dataset.h"
#include "core/features/encoded_rows.h"
#include "core/graph/layer_graph.h"
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
    std::int64_t mostRows = 0;           ///< of the batches of all members of a group
    std::vector<std::int64_t> groupRows; ///< of each, if some are of other processes
    std::vector<Ids> ids;                ///< by block
    std::vector<std::int64_t> sequences; ///< by block, the same: steps of all rows together
    std::int64_t longest = 0;            ///< steps of a row, at most; 0: no sequences are read
    bool stepsAreLabelled = false;       ///< steps have labels and weights, not rows
    std::int64_t labels = 0;             ///< how many there are, at most
    std::int64_t weightWidth = 0;        ///< of weights; 0: all count alike
    // A program does not depend on these.
    std::int64_t steps = 0;        ///< of all rows together
    std::int64_t stepsOfGroup = 0; ///< in training: of the batches of all members of a group
    bool isPlaced = false;         ///< see EncodedDataset::hasPlacesFor()

    /// Whether a batch of the shape `other` fits into a program of this one, whose rows have as
    /// many steps, rounded up, or the next number: changing programs takes time, too.
    bool holds(const BatchShape& other) const;
};

/// Just that of the batch.
BatchShape shapeOf(const graph::LayerGraph& graph, const features::EncodedRows& batch,
                   std::int64_t weightWidth);
/// The same of rows of a table that has places for them, see EncodedDataset::hasPlacesFor().
BatchShape shapeOf(const graph::LayerGraph& graph, const features::EncodedDataset& table,
                   std::int64_t rows, std::int64_t weightWidth);
/// Steps of the longest row, rounded up so that few programs are made: to a multiple of
/// layers::kStepsOfProduct, of larger numbers to 3 or 4 times a power of two.
std::int64_t roundedSteps(std::int64_t longest);
/// With some room for batches that follow, whose rows may have more ids and steps.
BatchShape withRoom(BatchShape shape);
/// A program that both shapes fit into, but for their rows and the longest of them.
BatchShape widened(BatchShape shape, const BatchShape& other);
/// Of a batch that nobody has seen: an id per row, a step per row.
BatchShape expectedShape(const graph::LayerGraph& graph, std::int64_t rows,
                         std::int64_t weightWidth);

/// The sequences of a batch on an accelerator, by time.
struct PlacedSequences
{
    kernels::DeviceSteps steps;
    std::vector<kernels::MatrixView> values; ///< by block
    std::vector<kernels::DeviceIds> ids;     ///< by block; of sequences alone
    // If steps are labelled; what is masked has weight 0.
    kernels::MatrixView labels;
    kernels::MatrixView weights;
};

/// A batch as one block of memory, the same on both sides: all that a step reads of it. A
/// whole table is laid out like a batch of all its rows.
class StagedBatch
{
public:
    StagedBatch() = default;
    /// `labelWidth` 0: labels stay behind, as nobody there reads them.
    StagedBatch(const graph::LayerGraph& graph, std::int64_t labelWidth, BatchShape shape);

    const BatchShape& shape() const { return m_shape; }
    std::int64_t bytes() const { return m_bytes; }
    /// But for where the ids of each row begin, which comes last: all batches of rows with one id
    /// each have the same.
    std::int64_t bytesOfPlaced() const { return m_bytesOfPlaced; }

    /// `rowWeights`: [labels, weightWidth].
    void write(const features::EncodedRows& batch, std::span<const float> rowWeights,
               std::byte* memory) const;

    /// Where write() puts things.
    features::BatchPlaces places(std::byte* memory) const;

    /// Operations that put this batch together at `memory` from rows of a table, but for its
    /// sequences; `index`: numbers of the rows.
    void placeGather(kernels::AcceleratorProgram& program, const StagedBatch& table,
                     std::byte* tableMemory, const kernels::StepData& index,
                     std::byte* memory) const;

    /// Operations that put the sequences of this batch in order of time, in memory of the program,
    /// from `source` at `sourceMemory`: itself, or a table. `index`: the rows of the batch; cursor
    /// null: all, in order. `inUse`: see kernels::DeviceIds::rowsInUse.
    PlacedSequences placeSequences(kernels::AcceleratorProgram& program, const StagedBatch& source,
                                   std::byte* sourceMemory, const kernels::StepData& index,
                                   const kernels::StepData& inUse) const;

    /// The blocks that the graph reads.
    std::span<const std::int32_t> denseBlocks() const { return m_denseBlocks; }
    std::span<const std::int32_t> idBlocks() const { return m_idBlocks; }
    std::span<const std::int32_t> stepIdBlocks() const { return m_stepIdBlocks; } ///< of sequences
    std::span<const std::int32_t> sequenceBlocks() const { return m_sequenceBlocks; }
    /// Where things are in this memory; of a block that the graph reads.
    kernels::MatrixView dense(std::int32_t block, std::byte* memory) const;
    kernels::DeviceIds ids(std::int32_t block, std::byte* memory) const;
    /// Steps of all rows, and where each row's begin.
    kernels::MatrixView sequence(std::int32_t block, std::byte* memory) const;
    std::int64_t* stepOffsets(std::int32_t block, std::byte* memory) const;
    kernels::MatrixView labels(std::byte* memory) const;  ///< no columns if they stay behind
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
    struct SequencePlace
    {
        std::int64_t rowOffsets = -1; ///< -1: not read
        std::int64_t values = -1;
        std::int64_t width = 0;
    };
    std::int64_t add(std::int64_t count, std::size_t size);
    void addDense(std::int32_t block, std::int64_t width);
    void addIds(std::int32_t block, std::vector<std::int32_t>& blocks);
    void addSequence(std::int32_t block, std::int64_t width);
    void placeLabels(kernels::AcceleratorProgram& program, const StagedBatch& source,
                     std::byte* sourceMemory, const std::int64_t* places,
                     PlacedSequences& placed) const;
    /// Where the rows of any sequence begin: all agree.
    const std::int64_t* anyStepOffsets(std::byte* memory) const;
    void writeIds(const features::IdBlock& block, const IdPlaces& places, std::byte* memory) const;

    BatchShape m_shape;
    std::int64_t m_labelWidth = 0;
    std::int64_t m_bytes = 0;
    std::int64_t m_bytesOfPlaced = 0;
    std::vector<DensePlace> m_dense; ///< by block
    std::vector<IdPlaces> m_ids;
    std::vector<std::int32_t> m_denseBlocks;
    std::vector<std::int32_t> m_idBlocks;
    std::vector<SequencePlace> m_sequences;
    std::vector<std::int32_t> m_stepIdBlocks;
    std::vector<std::int32_t> m_sequenceBlocks;
    std::int64_t m_labels = 0;
    std::int64_t m_weights = -1;
};

} // namespace cannery::plan
