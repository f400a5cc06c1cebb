// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/class_weights.h"
#include "core/plan/device_memory.h"
#include "core/plan/device_program.h"
#include "core/plan/variables.h"

#include <memory>
#include <span>
#include <vector>

namespace cannery::plan {

/// Training steps on an accelerator: mirrors of the model's memory there, and a program for each
/// shape of batch, prepared when the first one comes and kept. What the host has is brought up to
/// date when somebody asks, and goes up again before a step if the host may have changed it. One
/// controlling thread at a time.
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

    /// After the network's prepare(). Errors: "layers.not_placed", "head.not_placed",
    /// "gpu.out_of_memory", those of the accelerator.
    static Result<std::unique_ptr<DeviceStep>> create(kernels::Accelerator& accelerator,
                                                      const Parts& parts);

    /// The network and the optimizers are laid out anew: everything is placed again by the next
    /// run(). What is newer on the accelerator comes back first.
    void forgetLayout();

    /// A training step of a batch of at most network.maxRows() rows. Errors: of create() and the
    /// accelerator; after one of these every run gives it again.
    Result<double> run(const features::EncodedRows& batch, std::int64_t globalStep,
                       DeviceStepKind kind, StepTrace* trace);
    /// Of the last run, if it measured.
    std::optional<double> gradientNorm() const;

    /// Variables and slots on the host become those of the last step. Errors: of the accelerator,
    /// kept for the next run().
    Result<void> bringState();
    /// The same for the gradients, and for what the last step has made of this value.
    Result<void> bringGradients();
    Result<void> bringValue(graph::ValueId id, std::int64_t rows);
    /// A pass on the host has overwritten the values.
    void forgetValues() { m_hasValues = false; }
    /// The host's state may change from now on, until the next run().
    void hostMayWrite() { m_hostMayDiffer = true; }

private:
    DeviceStep(kernels::Accelerator& accelerator, const Parts& parts);
    Result<void> layOut();
    std::vector<DeviceMirror> stateMirrors() const;
    std::vector<DeviceMirror> mirrorsAt(std::byte* memory) const;
    std::int64_t rowWeightWidth() const;
    std::span<const float> rowWeights(const features::EncodedRows& batch);
    Result<DeviceProgram*> programFor(const features::EncodedRows& batch, DeviceStepKind kind);
    void uploadState();
    Result<void> bring(const void* host, std::int64_t bytes);
    Result<void> keepFailure(Result<void> outcome);

    kernels::Accelerator& m_accelerator;
    std::span<const ClassWeight> m_classWeights;
    Variables& m_variables;
    DevicePlan m_plan;
    std::unique_ptr<kernels::AcceleratorMemory> m_memory;   ///< null: not laid out
    std::size_t m_stateMirrors = 0;                         ///< the first ones: variables and slots
    std::vector<std::unique_ptr<DeviceProgram>> m_programs; ///< the last used first
    DeviceProgram* m_last = nullptr;                        ///< of the last run
    std::vector<float> m_rowWeights;
    std::optional<Error> m_failure;
    bool m_hostMayDiffer = true;
    bool m_hasNewerState = false;
    bool m_hasGradients = false;
    bool m_hasValues = false;
};

} // namespace cannery::plan
