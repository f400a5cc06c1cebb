// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/model.h"
#include "core/spec/experiment.pb.h"
#include "kernels/accelerator/accelerator.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::train {

/// What trains a model: the CPU, or open GPUs.
struct TrainingDevice
{
    /// One for each replica, several of them a group; empty: the CPU. They outlive the model.
    std::vector<std::unique_ptr<kernels::Accelerator>> accelerators;
    std::string name = "CPU";       ///< "GPU:0, GPU:1 (NVIDIA H100 80GB HBM3)"
    std::string choice = "CPU";     ///< storage::RunInfo::device
    std::vector<std::string> notes; ///< sentences for the log: why it was chosen
};

/// Null: the CPU trains.
inline kernels::Accelerator* firstOf(const TrainingDevice& device)
{
    return device.accelerators.empty() ? nullptr : device.accelerators.front().get();
}

/// The first GPU of "GPU:1 (NVIDIA H100)"; nothing for another device.
std::optional<std::int64_t> gpuIn(std::string_view device);

/// engineName() of the device: what a checkpoint's bits depend on.
std::string engineOf(const TrainingDevice& device);

struct DeviceQuestion
{
    const spec::Experiment& experiment; ///< resolved
    std::int64_t rankOnHost = 0;        ///< of a task of a cluster
    /// RunInfo::device of a run that goes on: it stays where it was. Empty: it begins.
    std::string before;
    std::function<Result<kernels::AcceleratorPlugin*>()> plugin;
    /// A fresh model for these devices (none: the CPU) and size of batch.
    std::function<Result<std::unique_ptr<plan::Model>>(std::span<kernels::Accelerator* const>,
                                                       std::int64_t)>
        make;
    /// Steps per second of a model, which gets trained.
    std::function<Result<double>(plan::Model&)> rate;
};

/// Of the machine's plug-in, for GPUs that train with those of other processes. Errors: of the
/// plug-in.
Result<kernels::GroupId> makeGroupId();

struct ChosenDevice
{
    TrainingDevice device;
    std::unique_ptr<plan::Model> model; ///< untrained; destroyed before the device
};

/// Opens the devices that the strategy asks for and makes the model there. Where the strategy
/// leaves the choice, the CPU trains what no GPU can, and a note says why; models made for that are
/// tried and thrown away. Errors: of the plug-in and of making a model; instead of
/// "gpu.out_of_memory", "gpu.smaller_batch" with the size that fits, or "gpu.no_batch_fits".
Result<ChosenDevice> chooseDevice(const DeviceQuestion& question);

} // namespace cannery::train
