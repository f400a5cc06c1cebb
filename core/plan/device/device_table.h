// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/plan/staged_batch.h"
#include "kernels/accelerator/accelerator.h"
#include "kernels/accelerator/program.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace cannery::plan {

/// All rows of a training or an evaluation on an accelerator, encoded: a step takes up the numbers
/// of its rows, and gathers them there. Must not outlive the accelerator.
class DeviceTable
{
public:
    struct Source
    {
        const graph::LayerGraph& graph;
        const features::EncodedDataset& rows;
        std::int64_t labelWidth = 0; ///< 0: no labels go up
        std::int64_t weightWidth = 0;
        /// What the rows count, [rows, weightWidth].
        std::function<std::span<const float>(const features::EncodedRows&)> weightsOf;
    };
    /// Null if it would take more than `mostBytes`. Errors: of reading the rows, of the
    /// accelerator.
    static Result<std::unique_ptr<DeviceTable>>
    create(kernels::Accelerator& accelerator, const Source& source, std::int64_t mostBytes);

    /// Steps of the longest row. Errors: of reading the rows.
    static Result<std::int64_t> longestRow(const graph::LayerGraph& graph,
                                           const features::EncodedDataset& rows);

    std::int64_t bytes() const { return m_memory->bytes(); }
    /// Of a batch of these rows; until the next call.
    const BatchShape& shapeOf(std::span<const std::int64_t> rows);
    /// Operations that put the batch together at `memory`.
    void placeGather(kernels::AcceleratorProgram& program, const StagedBatch& batch,
                     const kernels::StepData& rows, std::byte* memory) const;
    /// The same for its sequences, see StagedBatch::placeSequences().
    PlacedSequences placeSequences(kernels::AcceleratorProgram& program, const StagedBatch& batch,
                                   const kernels::StepData& rows,
                                   const kernels::StepData& inUse) const;

private:
    DeviceTable() = default;
    Result<void> upload(kernels::Accelerator& accelerator, const Source& source);
    void uploadIds(kernels::Accelerator& accelerator, const features::IdBlock& ids,
                   std::int32_t block, std::int64_t firstRow);
    void uploadSequence(kernels::Accelerator& accelerator, const features::SequenceBlock& sequence,
                        std::int32_t block, std::int64_t firstRow);
    const std::vector<std::int64_t>& anyStepOffsets() const;

    StagedBatch m_layout; ///< of all rows
    std::unique_ptr<kernels::AcceleratorMemory> m_memory;
    /// By block, where each row's ids begin in the table; empty if every row has one.
    std::vector<std::vector<std::int64_t>> m_offsets;
    std::vector<std::vector<std::int64_t>> m_stepOffsets; ///< the same of numeric sequences
    BatchShape m_shape;
};

} // namespace cannery::plan
