// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/plan/class_weights.h"
#include "core/plan/device/device_failure.h"
#include "core/plan/device/device_member.h"
#include "core/plan/device/device_memory.h"
#include "core/plan/device/device_mirrors.h"
#include "core/plan/device/device_processes.h"
#include "core/plan/device/device_program.h"
#include "core/plan/device/device_programs.h"
#include "core/plan/sharding.h"
#include "core/plan/step_trace.h"
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
///
/// Several accelerators compute a shard of each step; all of them have everything, and the same
/// bits of it after each step. The host's state, gradients and values are those of the first.
///
/// Some of them may belong to other processes: these meet() before the first step, and then all
/// call agree(), queue() as often as agreed, and finish(). After an error of one, all of them have
/// one, and the group is given up.
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
        PlacedOwnStep* ownStep = nullptr; ///< instead of those, of one shard; or null
        std::uint64_t seed = 0;
        kernels::ProductPrecision precision = kernels::ProductPrecision::Float32;
        std::span<const ClassWeight> classWeights;
        Sharding sharding;                    ///< `count` shards of accelerators here
        GradientExchange* exchange = nullptr; ///< with other processes; null: there are none
    };
    /// Rows of a table, for each shard.
    using ShardRows = std::vector<std::span<const std::int64_t>>;
    /// What is done, and when.
    struct Turn
    {
        std::int64_t globalStep = 0; ///< before the step
        DeviceStepKind kind;
        StepTrace* trace = nullptr;
    };

    /// After the network's prepare(). Several accelerators are a group, in this order, with a shard
    /// each; with other processes they become one by meet(). Errors: "layers.not_placed",
    /// "head.not_placed", "gpu.out_of_memory", those of the accelerator.
    static Result<std::unique_ptr<DeviceStep>>
    create(std::span<kernels::Accelerator* const> accelerators, const Parts& parts);
    ~DeviceStep();
    DeviceStep(const DeviceStep&) = delete;
    DeviceStep& operator=(const DeviceStep&) = delete;

    /// With other processes, see DeviceProcesses; agree() says what all steps until finish() have
    /// in common. Does nothing without.
    Result<void> meet(const std::function<Result<kernels::GroupId>()>& makeId);
    Result<StepAgreement> agree(const StepAgreement& own);

    /// The network and the optimizers are laid out anew: everything is placed again by the next
    /// step. What is newer on the accelerator comes back first.
    void forgetLayout();

    /// Rows of this table may be queued from now on; it outlives this. They go up if there is
    /// memory left, and are given up if it becomes short; then batches are gathered here, with the
    /// help of these threads. With other processes, which all call this after meet(), rows are up
    /// in all or in none. Errors: of reading the rows, of the accelerator, "gpu.out_of_memory" for
    /// sequences that are too long.
    Result<void> setTable(const features::EncodedDataset& rows, RunBlocks runBlocks);
    /// Bytes that rows take on each accelerator; 0: they are not there.
    std::int64_t tableBytes() const { return hasTableThere() ? first().table->bytes() : 0; }

    /// Variables on the accelerator as they are on the host now: there for evaluations, until the
    /// layout is forgotten. Errors: of create(), of the accelerator.
    Result<std::byte*> variables();
    /// What is left for others: free, and more than programs to come may take.
    std::int64_t spareBytes();

    /// Queues a training step of a batch for each shard here, of at most network.maxRows() rows.
    /// May wait for those before. Errors: of create(), of gathering, of the accelerator, of the
    /// exchange; after one of the accelerator every call gives it again.
    Result<void> queue(std::span<const features::EncodedRows> batches, const Turn& turn);
    /// The same of rows of the table. With other processes they stay where they are until finish().
    Result<void> queue(const ShardRows& rows, const Turn& turn);
    /// Waits; the losses of the queued steps, means over all shards, until the next queue().
    /// Errors: as queue().
    Result<std::span<const double>> finish();
    /// Of the last step, if it was measured.
    std::optional<double> gradientNorm() const;

    /// Variables and slots on the host become those of the last step. Errors: of the accelerator,
    /// kept for the next step.
    Result<void> bringState() { return m_mirrors.bringState(); }
    /// The same for the gradients, and for what the last step has made of this value: of a
    /// sequence, how many steps the rows have.
    Result<void> bringGradients();
    Result<void> bringValue(graph::ValueId id, std::int64_t rows);
    /// A pass on the host has overwritten the values.
    void forgetValues() { m_hasValues = false; }
    /// The host's state may change from now on, until the next step.
    void hostMayWrite() { m_mirrors.hostMayWrite(); }

private:
    using Programs = DevicePrograms::Set;
    using Shapes = DevicePrograms::Shapes;
    struct Pending
    {
        ShardRows rows;
        Turn turn;
    };

    DeviceStep(std::span<kernels::Accelerator* const> accelerators, const Parts& parts);
    DeviceMember& first() { return m_members.front(); }
    const DeviceMember& first() const { return m_members.front(); }
    bool hasTableThere() const { return first().table != nullptr; }
    Result<void> layOut();
    std::int64_t freeBytes();
    std::int64_t rowWeightWidth() const;
    std::span<const float> rowWeights(const features::EncodedRows& batch);
    Result<bool> makeTables();
    bool isWithOthers() const { return m_processes.has_value(); }
    Turn agreedTurn(Turn turn);
    Shapes inGroup(Shapes own, const Shapes& all);
    Shapes inRoom(Shapes shapes) const;
    Result<Programs*> programsFor(const Shapes& batches, DeviceStepKind kind, bool gathers);
    Result<void> checkMemoryFor(const BatchShape& shape);
    Result<Programs*> begin(const Shapes& shapes, const Turn& turn, bool gathers);
    Result<void> makeReady();
    Shapes shapesOf(std::span<const features::EncodedRows> batches);
    Shapes shapesOf(const ShardRows& rows);
    Result<void> queuePending();
    Result<void> queueBetween(const Pending& step);
    Result<void> gather(const ShardRows& rows);
    Result<void> queueRows(const ShardRows& rows, const Shapes& shapes, const Turn& turn);
    Result<void> queueGathered(std::span<const features::EncodedRows> batches, const Shapes& shapes,
                               const Turn& turn);
    Result<bool> queueFromTable(const ShardRows& rows, const Shapes& shapes, const Turn& turn);
    bool arePlaced(const ShardRows& rows) const;
    Result<void> gatherInPlace(std::span<const std::int64_t> rows, const DeviceProgram& program);
    /// Puts a member's batch at its program's room().
    using PutBatch = std::function<Result<void>(std::size_t member, const DeviceProgram& program)>;
    Result<void> queueBatches(const Shapes& shapes, const Turn& turn, const PutBatch& put);
    Result<void> launch(Programs& programs);
    Result<void> wait();
    void takeLosses();
    Result<std::vector<double>> finishTurn();
    Result<void> measureSequences();
    void dropTable();
    Result<void> bring(const void* host, std::int64_t bytes);

    std::span<const ClassWeight> m_classWeights;
    Network& m_network;
    const graph::LoweredModel& m_lowered;
    heads::Head& m_head;
    DeviceFailure m_failure;
    std::vector<DeviceMember> m_members; ///< of each shard here, in order
    DeviceMirrors m_mirrors;
    DevicePrograms m_programs;
    std::optional<DeviceProcesses> m_processes; ///< nothing: all members are here
    std::vector<Pending> m_pending;             ///< queued, for steps with other processes
    BatchShape m_room;      ///< the same in all processes: what batches so far have fitted into
    StepAgreement m_agreed; ///< on the steps of this turn
    StepTrace m_unseen;     ///< of steps that another process traces
    bool m_lossesAreShares; ///< each member has its part of the mean
    std::int64_t m_programBytes = 0; ///< of one for a full batch
    const features::EncodedDataset* m_rows = nullptr;
    RunBlocks m_runBlocks;
    Programs* m_last = nullptr;                   ///< of the last step
    std::vector<features::EncodedRows> m_batches; ///< gathered here
    std::vector<double> m_losses; ///< of steps that have been waited for: [steps, members here]
    std::vector<double> m_finishedLosses;
    std::vector<float> m_rowWeights;
    bool m_hasGradients = false;
    bool m_hasValues = false;
};

} // namespace cannery::plan
