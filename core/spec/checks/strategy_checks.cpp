// SPDX-License-Identifier: Apache-2.0
// Rules of the strategy and of how its replicas share the rows.

#include "core/spec/canned_head.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/example_id.h"
#include "core/spec/histogram_growth.h"
#include "core/spec/message_access.h"
#include "core/spec/strategy_devices.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

namespace cannery::spec {

namespace {

constexpr ErrorKind kDeviceTwice{"spec.device_twice",
                                 "The device '{0}' is listed twice: list each device once."};
constexpr ErrorKind kShardsPower{"spec.virtual_shards_power",
                                 "virtual_shards must be a power of two, such as {0}."};
constexpr ErrorKind kShardsFew{"spec.virtual_shards_few",
                               "{0} replicas cannot share {1} batches per step equally: {2}."};
constexpr ErrorKind kSeedsNeedShuffle{
    "spec.own_seed_unshuffled",
    "Without shuffle, replicas with seeds of their own all read the same rows: set shuffle: true, "
    "or shard: row."};
constexpr ErrorKind kOpsOfGpus{
    "spec.cross_device_ops",
    "{0} adds up over the links between GPUs, and these replicas are on the CPU, whose memory they "
    "share: set reduction_to_one_device, or leave it out."};
constexpr ErrorKind kRingIsFast{
    "spec.ring_is_not_exact",
    "A ring adds up in an order that depends on the number of workers: set reduce: fast in the "
    "strategy, or implementation: AUTO."};

constexpr ErrorKind kMixedDevices{"spec.mixed_devices",
                                  "GPUs and CPUs do not train together: list GPUs only, or CPUs "
                                  "only."};
constexpr ErrorKind kGpuOfStorage{"spec.gpu_of_central_storage",
                                  "'{0}' is a GPU, and central_storage trains on CPUs only: write "
                                  "\"CPU:0\", or set one_device {{ "
                                  "device: \"{0}\" }} instead."};
constexpr ErrorKind kShardsOfGpu{
    "spec.virtual_shards_of_gpu",
    "A GPU takes one batch per step: leave virtual_shards out, or train on the CPU."};
constexpr ErrorKind kPrecisionOfCpu{
    "spec.precision_of_cpu",
    "{0} is for GPUs, and this strategy trains on the CPU, in float32: set one_device {{ device: "
    "\"auto\" }} or \"GPU:0\", or leave precision out."};

constexpr ErrorKind kScopeOfServers{
    "spec.batch_norm_scope_of_servers",
    "Workers of parameter servers do not wait for each other, so batch normalization cannot look "
    "at the batches of all: set batch_norm_scope: replica, or another strategy."};

bool isGpu(const Result<Device>& device)
{
    return device && device->type == "GPU";
}

/// Those that are alone in their field.
void checkSingleDevices(ValidationContext& context, const Strategy& strategy, const SpecPath& path)
{
    const std::string& name = strategy.one_device().device();
    // "auto" is not a device, but names the faster one of the machine.
    if (Result<Device> device = parseDevice(name); !device && name != kFasterDevice) {
        context.report(path.child("one_device").child("device"), std::move(device).error());
    }
    if (strategy.has_central_storage()) {
        const std::string& holder = strategy.central_storage().parameter_device();
        const SpecPath field = path.child("central_storage").child("parameter_device");
        if (Result<Device> device = parseDevice(holder); !device) {
            context.report(field, std::move(device).error());
        } else if (isGpu(device)) {
            context.report(field, error(ErrorCode::Unimplemented, kGpuOfStorage, holder));
        }
    }
}

constexpr ErrorKind kManyProcesses{
    "spec.eval_distribute_of_processes",
    "Evaluations run in one process, but {0} is for several: set mirrored or central_storage, or "
    "leave eval_distribute out."};

void checkDevices(ValidationContext& context, const Strategy& strategy, const SpecPath& of)
{
    const StrategyDevices devices = devicesOf(strategy, of);
    std::vector<Device> seen;
    std::size_t gpus = 0;
    for (std::size_t i = 0; i < devices.names.size(); ++i) {
        const SpecPath path = devices.path.element(static_cast<int>(i));
        Result<Device> device = parseDevice(devices.names[i]);
        if (!device) {
            context.report(path, std::move(device).error());
        } else if (std::ranges::find(seen, *device) != seen.end()) {
            context.report(path, error(ErrorCode::InvalidArgument, kDeviceTwice, devices.names[i]));
        } else if (isGpu(device) && strategy.has_central_storage()) {
            context.report(path, error(ErrorCode::Unimplemented, kGpuOfStorage, devices.names[i]));
        } else {
            // Counted among devices that exist, so that one mistake is reported once.
            gpus += isGpu(device) ? 1 : 0;
            seen.push_back(*std::move(device));
        }
    }
    if (gpus > 0 && gpus < seen.size()) {
        context.report(devices.path, error(ErrorCode::Unimplemented, kMixedDevices));
    }
}

/// What only one kind of device can do.
void checkPlace(ValidationContext& context, const Strategy& strategy, const SpecPath& path)
{
    const TrainingPlace place = trainingPlaceOf(strategy);
    if (place.kind == TrainingPlace::Kind::Cpu && strategy.precision() != NumberFormat::float32) {
        context.report(path.child("precision"),
                       error(ErrorCode::InvalidArgument, kPrecisionOfCpu,
                             NumberFormat::Kind_Name(strategy.precision())));
    }
    const bool isOnGpu =
        place.kind == TrainingPlace::Kind::Gpu || place.kind == TrainingPlace::Kind::TaskGpu;
    // One batch for each GPU is what happens anyhow, so that number is allowed.
    // The shape of a step on a GPU is compiled for one batch.
    if (isOnGpu && strategy.has_virtual_shards() &&
        strategy.virtual_shards() != static_cast<std::int64_t>(place.gpus.size())) {
        context.report(path.child("virtual_shards"), error(ErrorCode::Unimplemented, kShardsOfGpu));
    }
}

void checkShards(ValidationContext& context, const Strategy& strategy, const SpecPath& of)
{
    if (!strategy.has_virtual_shards() || strategy.virtual_shards() < 1) {
        // A number below 1 is reported by the field's range.
        return;
    }
    const auto shards = static_cast<std::uint64_t>(strategy.virtual_shards());
    const SpecPath path = of.child("virtual_shards");
    const std::int64_t replicas = replicasPerProcess(strategy);
    // Sums of shards are a binary tree, whose shape must not depend on the number of replicas.
    if (!std::has_single_bit(shards)) {
        context.report(path,
                       error(ErrorCode::InvalidArgument, kShardsPower, std::bit_ceil(shards)));
    } else if (strategy.virtual_shards() % replicas != 0) {
        context.report(path, error(ErrorCode::InvalidArgument, kShardsFew, replicas, shards,
                                   sharingCure(replicas, "devices")));
    }
}

/// The ways to add up that need what is not there.
void checkSums(ValidationContext& context, const Strategy& strategy, const SpecPath& path)
{
    const MirroredStrategy& mirrored = strategy.mirrored();
    const bool isOnGpu = trainingPlaceOf(strategy).kind == TrainingPlace::Kind::Gpu;
    if (mirrored.has_cross_device_ops() && !isOnGpu &&
        mirrored.cross_device_ops() != CrossDeviceOps::reduction_to_one_device) {
        context.report(path.child("mirrored").child("cross_device_ops"),
                       error(ErrorCode::Unimplemented, kOpsOfGpus,
                             CrossDeviceOps::Kind_Name(mirrored.cross_device_ops())));
    }
    const CommunicationImplementation::Kind implementation =
        strategy.multi_worker_mirrored().communication_options().implementation();
    const SpecPath field =
        path.child("multi_worker_mirrored").child("communication_options").child("implementation");
    // Only where exact sums were asked for, which is the default.
    if (implementation == CommunicationImplementation::RING &&
        strategy.reduce() != Reduction::fast) {
        context.report(field, error(ErrorCode::InvalidArgument, kRingIsFast));
    }
}

void checkKind(ValidationContext& context, const Strategy& strategy, const SpecPath& path)
{
    checkSingleDevices(context, strategy, path);
    checkDevices(context, strategy, path);
    checkSums(context, strategy, path);
    checkShards(context, strategy, path);
    checkPlace(context, strategy, path);
}

constexpr ErrorKind kOwnStepsOfGpu{
    "spec.own_steps_of_gpu",
    "GPUs do not train {0}: set one_device {{ device: \"CPU:0\" }}, or \"auto\" to use a GPU only "
    "where it can."};
constexpr ErrorKind kOneDevice{
    "spec.own_steps_one_device",
    "{0} has no gradients that replicas could add up; in one process it already computes on every "
    "core: leave strategy out, or set one_device {{}} without virtual_shards."};

constexpr ErrorKind kLayersOfGpu{
    "spec.layers_of_gpu",
    "GPUs train trees that grow leaf by leaf, and {0} without `histogram` grows them layer by "
    "layer: add histogram {{}} to it, or set one_device {{ device: \"CPU:0\" }}."};

/// Why GPUs do not take the steps of an estimator that has its own; nothing: they do.
std::optional<Error> refusalOfGpus(const Estimator& estimator, const std::string& name)
{
    // Trees that grow leaf by leaf have kernels for GPUs; layers have none.
    if (growsTrees(estimator)) {
        return histogramGrowthOf(estimator) != nullptr
                   ? std::nullopt
                   : std::optional(error(ErrorCode::Unimplemented, kLayersOfGpu, name));
    }
    return dynamic_cast<const KMeans*>(memberOf(estimator)) != nullptr
               ? std::nullopt
               : std::optional(error(ErrorCode::Unimplemented, kOwnStepsOfGpu, name));
}

/// No gradients, which is what replicas add up.
void checkOwnSteps(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    const Strategy& strategy = context.experiment.strategy();
    const bool isOneDevice =
        strategy.kind_case() == Strategy::KIND_NOT_SET || strategy.has_one_device();
    const std::optional<ExampleId> id = exampleIdOf(estimator);
    // An optimizer means gradients. SDCA is called an optimizer, but its steps are its own.
    if (memberField(estimator) == nullptr || (hasOptimizer(estimator) && !id)) {
        return;
    }
    const std::string name = id ? id->kind : memberField(estimator)->name();
    if (!isOneDevice || strategy.virtual_shards() > 1) {
        context.report(SpecPath{}.child("strategy"),
                       error(ErrorCode::Unimplemented, kOneDevice, name));
    } else if (trainingPlaceOf(strategy).kind == TrainingPlace::Kind::Gpu) {
        // "auto" is allowed: it falls back to the CPU.
        if (std::optional<Error> refusal = refusalOfGpus(estimator, name)) {
            context.report(SpecPath{}.child("strategy").child("one_device").child("device"),
                           *std::move(refusal));
        }
    }
}

void checkEvaluations(ValidationContext& context)
{
    const Strategy& strategy = context.experiment.run_config().eval_distribute();
    const SpecPath path = SpecPath{}.child("run_config").child("eval_distribute");
    checkKind(context, strategy, path);
    // An evaluation is one process's work, whatever trains.
    if (strategy.has_multi_worker_mirrored() || strategy.has_parameter_server()) {
        const char* name =
            strategy.has_parameter_server() ? "parameter_server" : "multi_worker_mirrored";
        context.report(path.child(name), error(ErrorCode::InvalidArgument, kManyProcesses, name));
    }
}

} // namespace

void checkStrategy(ValidationContext& context)
{
    const Strategy& strategy = context.experiment.strategy();
    const SpecPath path = SpecPath{}.child("strategy");
    checkKind(context, strategy, path);
    checkEvaluations(context);
    if (strategy.has_parameter_server() && strategy.batch_norm_scope() == BatchNormScope::global) {
        context.report(path.child("batch_norm_scope"),
                       error(ErrorCode::InvalidArgument, kScopeOfServers));
    }
    checkOwnSteps(context);
    const Input& input = context.experiment.train_spec().input();
    // Each replica would read all rows in the same order.
    if (input.shard() == InputSharding::own_seed && !input.shuffle()) {
        context.report(SpecPath{}.child("train_spec").child("input").child("shard"),
                       error(ErrorCode::InvalidArgument, kSeedsNeedShuffle));
    }
}

} // namespace cannery::spec
