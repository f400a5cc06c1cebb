// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/features/encoded_rows.h"
#include "core/plan/device/device_program.h"
#include "core/plan/device/device_step.h"
#include "core/plan/device/device_table.h"
#include "core/plan/variables.h"
#include "kernels/accelerator/accelerator.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cannery::plan {

/// A batch after its forward pass: what metrics need of it.
struct EvaluatedBatch
{
    std::span<const std::int64_t> rows;    ///< their numbers in the table
    const features::EncodedRows& labelled; ///< of which labels and weights are read
    kernels::ConstMatrixView logits;       ///< [rows, logitsWidth], or of each step
};

/// The forward pass of evaluations on an accelerator, over a network of its own whose values take
/// memory of their own there: a training on the same accelerator keeps all that it has, and only
/// lends its variables. The table to evaluate on goes up once if it fits beside the training,
/// otherwise batch by batch while others are computed. Must not outlive the model or the
/// accelerator. One controlling thread at a time.
class DeviceEvaluation
{
public:
    struct Parts
    {
        const graph::LoweredModel& lowered;
        Variables& variables;
        heads::Head& head;
        DeviceStep* training = nullptr; ///< of the model; null: the CPU trains it, or nobody
        bool isThere = false;           ///< on the same accelerator: it lends its variables
    };
    struct Options
    {
        kernels::Accelerator& accelerator;
        kernels::ProductPrecision precision = kernels::ProductPrecision::Float32;
        const features::EncodedDataset& rows; ///< that are evaluated; outlive this
        std::int64_t batchRows = 1;           ///< of a batch, at most
        RunBlocks runBlocks;                  ///< help to gather batches if the table does not fit
    };
    /// Errors: "layers.not_placed", "gpu.out_of_memory" if even one batch does not fit beside the
    /// training, those of reading the rows and of the accelerator.
    static Result<std::unique_ptr<DeviceEvaluation>> create(const Parts& parts,
                                                            const Options& options);

    /// Before the batches of an evaluation: it uses the variables as they are now. Errors: of the
    /// accelerator.
    Result<void> begin();
    /// Queues the pass of a batch; may wait for those before. Errors: of reading the rows and of
    /// the accelerator, after which nothing is known of the queued ones.
    Result<void> queue(std::span<const std::int64_t> rows);
    /// How many batches are worth queueing before finish().
    static constexpr std::int64_t kMostBatches = DeviceProgram::kMostSteps;
    /// Waits. The queued batches in order, until the next queue(). Errors: as queue().
    Result<void> finish();
    std::int64_t finished() const { return m_finished; }
    EvaluatedBatch batch(std::int64_t index) const;

    /// Whether the table is on the accelerator.
    bool hasTable() const { return m_table != nullptr; }

private:
    /// What stays on the host of a batch.
    struct Kept
    {
        std::vector<std::int64_t> rows;
        features::EncodedRows labelled;
        std::vector<float> logits;
    };
    DeviceEvaluation(const Parts& parts, const Options& options, std::unique_ptr<Network> network);
    Result<void> allocate(std::int64_t batchRows);
    Result<void> setTable();
    std::int64_t freeBytes();
    void layOut(std::byte* variables, std::byte* values);
    Result<void> gather(std::span<const std::int64_t> rows, features::EncodedRows& labelled);
    Result<void> gatherInPlace(std::span<const std::int64_t> rows, features::EncodedRows& labelled);
    Result<DeviceProgram*> programFor(const BatchShape& actual);
    Result<DeviceProgram*> begin(const BatchShape& shape);
    Result<void> wait();
    Kept& nextKept(std::span<const std::int64_t> rows);

    kernels::Accelerator& m_accelerator;
    Variables& m_variables;
    DeviceStep* m_training;
    bool m_isThere;
    const features::EncodedDataset& m_rows;
    RunBlocks m_runBlocks;
    std::unique_ptr<Network> m_network;
    DevicePlan m_plan;
    std::int64_t m_programBytes = 0;                            ///< of one for a full batch
    std::unique_ptr<kernels::AcceleratorMemory> m_ownVariables; ///< null: the training's
    std::unique_ptr<kernels::AcceleratorMemory> m_values;
    std::unique_ptr<DeviceTable> m_table; ///< null: batches go up
    features::EncodedRows m_labels;       ///< of the whole table, if it is there
    std::vector<std::unique_ptr<DeviceProgram>> m_programs;
    DeviceProgram* m_last = nullptr;
    features::EncodedRows m_batch; ///< gathered here
    std::vector<Kept> m_kept;      ///< of queued or finished batches; their memory is used again
    std::int64_t m_queued = 0;     ///< of them
    std::int64_t m_waitedFor = 0;  ///< of those
    std::int64_t m_finished = 0;
};

} // namespace cannery::plan
