// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/text/spec_path.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {

/// A device as TensorFlow names it.
struct Device
{
    std::string type; ///< "CPU" or "GPU"
    std::int64_t index = 0;

    bool operator==(const Device&) const = default;
};

/// Reads "CPU:0", "/cpu:0", "/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:1". A CPU
/// is the machine's threads, and each index a replica on them, as TensorFlow's logical devices; a
/// GPU's index is its driver's. Errors: "spec.device_name".
Result<Device> parseDevice(std::string_view name);

/// What one_device.device may say instead: whichever of CPU and GPU trains faster.
inline constexpr std::string_view kFasterDevice = "auto";

/// Where a strategy trains.
struct TrainingPlace
{
    enum class Kind : std::uint8_t
    {
        Cpu,
        Gpu,
        TaskGpu, ///< of a cluster, each of whose tasks has one
        AnyGpu,  ///< the first GPU if there is one and it can train the model, else the CPU
        Faster,  ///< of CPU and the first GPU, found by trying both
    };
    Kind kind = Kind::Cpu;
    std::vector<std::int64_t> gpus; ///< of Gpu: one for each replica

    bool operator==(const TrainingPlace&) const = default;
};
/// Of a strategy without problems.
TrainingPlace trainingPlaceOf(const Strategy& strategy);

/// The devices that the chosen strategy names, one replica each, and their field's path below
/// `path`, the strategy's.
struct StrategyDevices
{
    std::vector<std::string> names;
    SpecPath path;
};
StrategyDevices devicesOf(const Strategy& strategy,
                          const SpecPath& path = SpecPath{}.child("strategy"));

/// The strategy with another kind, which has so many CPUs if it takes several devices, and what
/// does not depend on the kind.
Strategy withKind(const Strategy& strategy, Strategy::KindCase kind, std::int64_t cpus);

/// Replicas of each process: one without devices.
std::int64_t replicasPerProcess(const Strategy& strategy);

/// Batches of a step of an evaluation: one for each replica of run_config.eval_distribute, or as
/// many as its virtual_shards.
std::int64_t batchesPerEvaluationStep(const RunConfig& config);

/// What helps if this many `sharers` ("workers", "devices") cannot share a step's virtual_shards
/// equally, which are a power of two: "set virtual_shards to 4, or leave it out".
std::string sharingCure(std::int64_t count, std::string_view sharers);

} // namespace cannery::spec
