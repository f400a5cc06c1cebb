// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/graph/lowered_model.h"
#include "core/heads/head.h"
#include "core/plan/network.h"
#include "core/plan/part_optimizer.h"
#include "core/plan/staged_batch.h"
#include "core/plan/step_trace.h"
#include "kernels/accelerator/accelerator.h"
#include "kernels/accelerator/program.h"

#include <cstdint>
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
    Network& network;
    heads::Head& head;
    std::span<const std::unique_ptr<PartOptimizer>> optimizers;
    std::uint64_t seed = 0;
    kernels::ProductPrecision precision = kernels::ProductPrecision::Float32;
    std::vector<DeviceMirror> mirrors; ///< variables, slots, gradients, values
};

/// What a step does besides the two passes.
struct DeviceStepKind
{
    bool measures = false; ///< the gradients' norm, before they are clipped
    bool updates = true;   ///< statistics and optimizers
    bool operator==(const DeviceStepKind&) const = default;
};

/// A training step for batches of one shape, prepared on an accelerator, with memory of its own
/// there. A launch is: the batch and the step's numbers go up on the copy queue, which the compute
/// queue waits for; the operations; the loss comes down.
class DeviceProgram
{
public:
    /// What create() would allocate on the device. Errors: of the layers and the head, if one of
    /// them is not placed.
    static Result<std::int64_t> bytesOf(const DevicePlan& plan, const BatchShape& shape);
    /// Errors: those, and of the accelerator.
    static Result<std::unique_ptr<DeviceProgram>> create(kernels::Accelerator& accelerator,
                                                         const DevicePlan& plan,
                                                         const BatchShape& shape,
                                                         DeviceStepKind kind);

    const BatchShape& shape() const { return m_staged.shape(); }
    DeviceStepKind kind() const { return m_kind; }

    /// One step; waits for its end. Errors: of the accelerator, after which nothing is known of its
    /// memory.
    Result<void> run(const features::EncodedRows& batch, std::span<const float> rowWeights,
                     std::int64_t globalStep, StepTrace* trace);
    /// Of the last run: Head::lossCount() numbers.
    std::span<const double> losses() const { return m_losses; }
    /// If measured.
    std::optional<double> gradientNorm() const { return m_gradientNorm; }
    /// Downloads the sparse gradients of the last run. Errors: of the accelerator.
    Result<void> bringSparseGradients();

private:
    /// Where the program's memory is.
    struct Places
    {
        std::byte* device = nullptr;
        std::byte* staged = nullptr; ///< the batch's twin in pinned memory
        std::int64_t stepBytes = 0;
    };
    /// Where a table's gradient is.
    struct SparsePlace
    {
        layers::GradientSegment* segment = nullptr;
        kernels::DeviceSparse placed;
    };
    DeviceProgram(const DevicePlan& plan, const BatchShape& shape, DeviceStepKind kind);
    Result<void> place(const Places& places);
    Result<void> placePasses(const Places& places);
    void placeMeasure(double* squares);
    void findSparsePlaces();
    std::int64_t batchOffset(std::int64_t stepBytes) const;
    std::int64_t resultsOffset(std::int64_t stepBytes) const;
    std::int64_t scratchOffset(std::int64_t stepBytes) const;
    std::int64_t resultCount() const;
    std::int64_t totalBytes() const;
    Result<void> launch(StepTrace* trace);

    const DevicePlan& m_plan;
    DeviceStepKind m_kind;
    StagedBatch m_staged;
    kernels::AcceleratorProgram m_program;
    std::vector<std::size_t> m_ends; ///< of the operations of each phase, in order
    kernels::Accelerator* m_accelerator = nullptr;
    std::unique_ptr<kernels::AcceleratorMemory> m_memory;
    std::unique_ptr<kernels::AcceleratorMemory> m_pinned; ///< what goes up, then what comes down
    std::unique_ptr<kernels::AcceleratorGraph> m_graph;
    std::vector<SparsePlace> m_sparse;
    std::vector<double> m_losses;
    std::optional<double> m_gradientNorm;
};

} // namespace cannery::plan
