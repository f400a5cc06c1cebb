// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/plan/class_weights.h"
#include "core/plan/device_memory.h"
#include "core/plan/device_program.h"
#include "core/plan/device_table.h"
#include "core/plan/variables.h"

#include <memory>
#include <span>
#include <vector>

namespace cannery::plan {

/// Training steps on an accelerator: mirrors of the model's memory there, a program for each shape
/// of batch, prepared when the first one comes and kept, and the table of all rows if it fits. What
/// the host has is brought up to date when somebody asks, and goes up again before a step if the
/// host may have changed it. Between queue() and finish() nothing else is called. One controlling
/// thread at a time.
class DeviceStep
{
public:
    struct Parts
    {
        const graph::LoweredModel& lowered;
        Variables& variables;
        Network& network;
        heads::Head& head;
        std::span<const std::unique_ptr<PartOptimizer>> optimizers;
        std::uint64_t seed = 0;
        kernels::ProductPrecision precision = kernels::ProductPrecision::Float32;
        std::span<const ClassWeight> classWeights;
    };
    /// What is done, and when.
    struct Turn
    {
        std::int64_t globalStep = 0; ///< before the step
        DeviceStepKind kind;
        StepTrace* trace = nullptr;
    };

    /// After the network's prepare(). Errors: "layers.not_placed", "head.not_placed",
    /// "gpu.out_of_memory", those of the accelerator.
    static Result<std::unique_ptr<DeviceStep>> create(kernels::Accelerator& accelerator,
                                                      const Parts& parts);

    /// The network and the optimizers are laid out anew: everything is placed again by the next
    /// step. What is newer on the accelerator comes back first.
    void forgetLayout();

    /// Rows of this table may be queued from now on; it outlives this. They go up if there is
    /// memory left, and are given up if it becomes short; then batches are gathered here, with the
    /// help of these threads. Errors: of reading the rows, of the accelerator, "gpu.out_of_memory"
    /// for sequences that are too long.
    Result<void> setTable(const features::EncodedDataset& rows, RunBlocks runBlocks);
    bool hasTable() const { return m_rows != nullptr; }
    /// Bytes that rows take on the accelerator; 0: they are not there.
    std::int64_t tableBytes() const { return m_table == nullptr ? 0 : m_table->bytes(); }

    /// Queues a training step of a batch of at most network.maxRows() rows. May wait for those
    /// before. Errors: of create(), of gathering, and of the accelerator; after one of these every
    /// call gives it again.
    Result<void> queue(const features::EncodedRows& batch, const Turn& turn);
    Result<void> queue(std::span<const std::int64_t> rows, const Turn& turn);
    /// Waits; the losses of the queued steps, until the next queue(). Errors: as queue().
    Result<std::span<const double>> finish();
    /// Of the last step, if it was measured.
    std::optional<double> gradientNorm() const;

    /// Variables and slots on the host become those of the last step. Errors: of the accelerator,
    /// kept for the next step.
    Result<void> bringState();
    /// The same for the gradients, and for what the last step has made of this value: of a
    /// sequence, how many steps the rows have.
    Result<void> bringGradients();
    Result<void> bringValue(graph::ValueId id, std::int64_t rows);
    /// A pass on the host has overwritten the values.
    void forgetValues() { m_hasValues = false; }
    /// The host's state may change from now on, until the next step.
    void hostMayWrite() { m_hostMayDiffer = true; }

private:
    DeviceStep(kernels::Accelerator& accelerator, const Parts& parts);
    Result<void> layOut();
    std::vector<DeviceMirror> stateMirrors() const;
    std::vector<DeviceMirror> mirrorsAt(std::byte* memory) const;
    std::int64_t freeBytes();
    std::int64_t rowWeightWidth() const;
    std::span<const float> rowWeights(const features::EncodedRows& batch);
    Result<DeviceProgram*> programFor(const BatchShape& actual, DeviceStepKind kind, bool gathers);
    Result<void> checkMemoryFor(const BatchShape& shape);
    Result<DeviceProgram*> begin(const BatchShape& shape, const Turn& turn, bool gathers);
    Result<bool> queueFromTable(std::span<const std::int64_t> rows, const Turn& turn);
    Result<void> wait();
    Result<void> measureSequences();
    void dropTable();
    void uploadState();
    Result<void> bring(const void* host, std::int64_t bytes);
    Result<void> keepFailure(Result<void> outcome);

    kernels::Accelerator& m_accelerator;
    std::span<const ClassWeight> m_classWeights;
    Variables& m_variables;
    DevicePlan m_plan;
    std::unique_ptr<kernels::AcceleratorMemory> m_memory; ///< null: not laid out
    std::size_t m_stateMirrors = 0;                       ///< the first ones: variables and slots
    std::int64_t m_programBytes = 0;                      ///< of one for a full batch
    const features::EncodedDataset* m_rows = nullptr;
    RunBlocks m_runBlocks;
    std::unique_ptr<DeviceTable> m_table;                   ///< null: batches go up
    std::vector<std::unique_ptr<DeviceProgram>> m_programs; ///< the last used first
    DeviceProgram* m_last = nullptr;                        ///< of the last step
    features::EncodedRows m_batch;                          ///< gathered here
    std::vector<double> m_losses;                           ///< of steps that have been waited for
    std::vector<double> m_finishedLosses;
    std::vector<float> m_rowWeights;
    std::optional<Error> m_failure;
    bool m_hostMayDiffer = true;
    bool m_hasNewerState = false;
    bool m_hasGradients = false;
    bool m_hasValues = false;
};

} // namespace cannery::plan
