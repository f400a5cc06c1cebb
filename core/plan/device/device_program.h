// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/graph/lowered_model.h"
#include "core/heads/head.h"
#include "core/plan/device/device_table.h"
#include "core/plan/device/own_step.h"
#include "core/plan/network.h"
#include "core/plan/part_optimizer.h"
#include "core/plan/staged_batch.h"
#include "core/plan/step_trace.h"
#include "kernels/accelerator/accelerator.h"
#include "kernels/accelerator/program.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cannery::plan {

/// Host memory with a mirror on an accelerator.
struct DeviceMirror
{
    std::byte* host = nullptr;
    std::int64_t bytes = 0;
    std::byte* device = nullptr;
};

/// What a program is made from; all of it outlives the program.
struct DevicePlan
{
    const graph::LoweredModel& lowered;
    Variables& variables;
    Network& network;
    heads::Head& head;
    std::span<const std::unique_ptr<PartOptimizer>> optimizers;
    PlacedOwnStep* ownStep = nullptr; ///< instead of those; or null
    std::uint64_t seed = 0;
    kernels::ProductPrecision precision = kernels::ProductPrecision::Float32;
    std::vector<DeviceMirror> mirrors; ///< variables, slots, gradients, values
    kernels::GroupRank member;         ///< of the accelerators that compute a step's shards
    bool leads = true;                 ///< the first one of its process
    std::int64_t batchRows = 0;        ///< of the full batch of a shard
    bool isAcross = false;             ///< see Sharding
    PackSizes packSizes;
};

/// What a step does besides the two passes, or that it does less.
struct DeviceStepKind
{
    bool measures = false;  ///< the gradients' norm, before they are clipped
    bool updates = true;    ///< statistics and optimizers
    bool evaluates = false; ///< only a forward pass in Evaluate mode, which gives logits
    bool operator==(const DeviceStepKind&) const = default;
};

/// A training step for batches of one shape, prepared on an accelerator, with memory of its own
/// there. Several are queued one after the other; nothing waits until finish(), except for the copy
/// of a batch that has lain where the next one goes. What goes up is the step's numbers (learning
/// rates and such) and either its batch, on the copy queue beside the steps before, or the numbers
/// of its rows in a table, of all steps at once when they are launched. The losses, or the logits
/// of an evaluation, come down together.
///
/// Members of a group have a program each. Those of a process are made and queued in the same
/// order, the one that leads first: its step takes the optimizers' numbers on, and the others read
/// them. prepareNext(), waitForRoom(), launch() and finish() are called for all members together
/// (see together()) and touch nothing that members share.
class DeviceProgram
{
public:
    /// Of one program; fewer if their logits or the numbers of their rows take much memory.
    static constexpr std::int64_t kMostSteps = 64;

    /// What create() would allocate on the device, without a table. Errors: of the layers and the
    /// head, if one of them is not placed.
    static Result<std::int64_t> bytesOf(const DevicePlan& plan, const BatchShape& shape,
                                        DeviceStepKind kind);
    /// `table`: where batches are gathered; null: they go up. Errors: those, and of the
    /// accelerator.
    static Result<std::unique_ptr<DeviceProgram>>
    create(kernels::Accelerator& accelerator, const DevicePlan& plan, const BatchShape& shape,
           DeviceStepKind kind, const DeviceTable* table);

    const BatchShape& shape() const { return m_staged.shape(); }
    DeviceStepKind kind() const { return m_kind; }
    bool gathers() const { return m_table != nullptr; }

    /// Steps from now on tell where their time goes; null: they do not.
    void trace(StepTrace* trace) { m_trace = trace; }
    bool isFull() const { return m_queued == m_most; }
    std::int64_t queued() const { return m_queued; }
    /// Whether the next step's operations have been prepared; if not, they are placed first.
    /// Errors: of create(), of the accelerator.
    bool isPrepared() const;
    Result<void> placeNext();
    Result<void> prepareNext();
    /// Without a table: waits until the next step's batch can be put at room(), as staged() says.
    /// Errors: of the accelerator.
    Result<void> waitForRoom();
    std::byte* room() const { return slot(m_queued) + m_layout.stepBytes; }
    const StagedBatch& staged() const { return m_staged; }
    /// The same for a batch that isPlaced. Null where the device has it already.
    features::BatchPlaces places() const;
    /// Queues a step, unless isFull(), that is prepared: of the batch at room(), which goes up now
    /// and is launched next, or of rows of the table, launched by finish(). `actual`: just that of
    /// the batch. Errors: of the accelerator.
    void queueBatch(const BatchShape& actual, std::int64_t globalStep);
    Result<void> launch();
    void queueRows(std::span<const std::int64_t> rows, const BatchShape& actual,
                   std::int64_t globalStep);
    /// Waits for the end of the queued steps. Errors: of the accelerator, after which nothing is
    /// known of its memory.
    Result<void> finish();
    /// Of the steps of the last finish(): Head::lossCount() numbers of each.
    std::int64_t finished() const { return m_finished; }
    std::span<const double> lossesOf(std::int64_t step) const;
    /// Of the last step: how many times as many labelled steps all members have as this one; 1 if
    /// this one's rows have no such steps.
    double groupPerMember() const
    {
        return m_steps == 0 ? 1.0
                            : static_cast<double>(m_stepsOfGroup) / static_cast<double>(m_steps);
    }
    /// Of an evaluation's: [rows, logitsWidth], until the next finish(). Of each step: those of a
    /// sequence by time, see kernels::PlaceSteps.
    kernels::ConstMatrixView logitsOf(std::int64_t step) const;
    /// Of the last one, if measured.
    std::optional<double> gradientNorm() const { return m_gradientNorm; }

    /// The network's inputs are those of this program; bring() fetches them.
    void bindInputs();
    /// If this is memory of the last batch. Errors: of the accelerator.
    Result<bool> bring(const void* host, std::int64_t bytes);
    /// Where the steps of each row of the last batch begin, as in features::SequenceBlock; until
    /// the next call. Errors: of the accelerator.
    Result<std::span<const std::int64_t>> bringStepOffsets();
    /// Downloads the sparse gradients of the last step. Errors: of the accelerator.
    Result<void> bringSparseGradients();

private:
    /// On the device: a batch goes up while the one before is computed.
    static constexpr std::int64_t kSides = 2;
    /// In pinned memory: a batch is put together while those before go up.
    static constexpr std::int64_t kRooms = kSides + 1;
    /// Where things are in the program's memory on the device.
    struct Layout
    {
        std::int64_t stepBytes = 0; ///< of a step's numbers
        std::int64_t slotBytes = 0; ///< of what goes up of a step
        std::int64_t kept = 0;      ///< the results of all steps, or their logits
        std::int64_t results = 0;   ///< of one step
        std::int64_t cursor = 0;    ///< and after it what goes up
        std::int64_t slots = 0;
        std::int64_t batch = 0; ///< gathered there
        std::int64_t scratch = 0;
        std::int64_t roomBytes = 0; ///< on the host, of what goes up at once
        std::int64_t keptThere = 0; ///< on the host, after that
    };
    /// Where a table's gradient is.
    struct SparsePlace
    {
        layers::GradientSegment* segment = nullptr;
        kernels::DeviceSparse placed;
    };
    DeviceProgram(const DevicePlan& plan, const BatchShape& shape, DeviceStepKind kind,
                  const DeviceTable* table);
    void layOut();
    Result<void> place(std::byte* device, std::int64_t side);
    kernels::StepData placeNumber(const std::function<std::int64_t()>& number);
    PlacedSequences placeSequences(std::byte* batch, const kernels::StepData& rows);
    heads::PlacedHeadBatch headBatch(std::byte* batch, const PlacedSequences& sequences) const;
    void bindPlaced(std::byte* batch, const PlacedSequences& sequences);
    layers::Placement placement(const PlacedSequences& sequences);
    Result<void> placeOwnStep(std::byte* device, const PlacedSequences& sequences);
    Result<void> placeEvaluation(std::byte* device, const PlacedSequences& sequences);
    Result<void> placeTraining(std::byte* device, std::byte* batch,
                               const PlacedSequences& sequences);
    void endPhase() { m_ends.push_back(m_program.operations().size()); }
    void placeMeasure(double* squares);
    void placeKeeping(std::byte* device);
    void findSparsePlaces();
    std::int64_t batchOffset(std::int64_t side) const;
    std::int64_t resultBytes() const;
    std::int64_t logitsRows() const;
    std::int64_t logitsCount() const;
    std::int64_t keptBytes() const;
    std::byte* slot(std::int64_t step) const;
    std::byte* broughtDown() const;
    std::byte* beginSlot(const BatchShape& actual, std::int64_t globalStep);
    std::int64_t nextSide() const { return gathers() ? 0 : m_queued % kSides; }
    Result<void> launch(std::int64_t side);
    Result<void> launchAll();
    void takeResults();

    const DevicePlan& m_plan;
    DeviceStepKind m_kind;
    const DeviceTable* m_table;
    StagedBatch m_staged;
    std::vector<std::byte> m_inputs; ///< the host's side of the batch on the device
    kernels::AcceleratorProgram m_program;
    const std::int64_t* m_lengths = nullptr; ///< on the device: kernels::DeviceSteps::lengths
    kernels::StepData m_stepCount;           ///< of the sequences of all members' batches
    std::vector<std::int64_t> m_stepOffsets;
    std::vector<std::size_t> m_ends; ///< of the operations of each phase, in order
    Layout m_layout;
    std::int64_t m_most = 1; ///< steps
    kernels::Accelerator* m_accelerator = nullptr;
    std::unique_ptr<kernels::AcceleratorMemory> m_memory;
    std::unique_ptr<kernels::AcceleratorMemory> m_pinned; ///< what goes up, then what comes down
    std::array<std::unique_ptr<kernels::AcceleratorGraph>, kSides> m_graphs; ///< or null: not yet
    std::array<kernels::QueueMark, kSides> m_done{}; ///< the steps that have used a side
    std::array<bool, kSides> m_hasPlaced{};          ///< the last batch of a side isPlaced
    std::array<kernels::QueueMark, kRooms> m_sent{}; ///< the copies of what lay in a room
    std::span<const std::int64_t> m_rows;            ///< of the step that is being queued
    std::int64_t m_longest = 0;                      ///< the same: see BatchShape
    std::int64_t m_steps = 0;
    std::int64_t m_stepsOfGroup = 0;
    StepTrace* m_trace = nullptr;
    std::int64_t m_queued = 0;
    std::int64_t m_finished = 0;
    std::vector<SparsePlace> m_sparse;
    std::vector<double> m_losses;
    std::optional<double> m_gradientNorm;
};

} // namespace cannery::plan
