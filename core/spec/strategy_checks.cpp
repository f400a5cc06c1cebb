// SPDX-License-Identifier: Apache-2.0
// Rules of the strategy and of how its replicas share the rows.

#include "core/spec/canned_head.h"
#include "core/spec/example_id.h"
#include "core/spec/message_access.h"
#include "core/spec/strategy_devices.h"
#include "core/spec/validation_context.h"

#include <algorithm>
#include <bit>

namespace cannery::spec {

namespace {

constexpr ErrorKind kDeviceTwice{"spec.device_twice",
                                 "The device '{0}' is listed twice: list each device once."};
constexpr ErrorKind kShardsPower{"spec.virtual_shards_power",
                                 "virtual_shards must be a power of two, such as {0}."};
constexpr ErrorKind kShardsFew{
    "spec.virtual_shards_few",
    "{0} replicas cannot share {1} batches per step equally: set virtual_shards to a power of two "
    "that is a multiple of the number of devices."};
constexpr ErrorKind kSeedsNeedShuffle{
    "spec.own_seed_unshuffled",
    "Without shuffle, replicas with seeds of their own all read the same rows: set shuffle: true, "
    "or shard: row."};
constexpr ErrorKind kOpsOfGpus{
    "spec.cross_device_ops",
    "{0} adds up over the links between GPUs, and these replicas are on the CPU, whose memory they "
    "share: set reduction_to_one_device, or leave it out."};
constexpr ErrorKind kNcclOfGpus{
    "spec.nccl_needs_gpus",
    "NCCL works between GPUs, and this version trains on CPUs only: set implementation: AUTO."};
constexpr ErrorKind kRingIsFast{
    "spec.ring_is_not_exact",
    "A ring adds up in an order that depends on the number of workers: set reduce: fast in the "
    "strategy, or implementation: AUTO."};

constexpr ErrorKind kScopeOfServers{
    "spec.batch_norm_scope_of_servers",
    "Workers of parameter servers do not wait for each other, so batch normalization cannot look "
    "at the batches of all: set batch_norm_scope: replica, or another strategy."};

void checkDevice(ValidationContext& context, const SpecPath& path, const std::string& name)
{
    if (Result<Device> device = parseDevice(name); !device) {
        context.report(path, std::move(device).error());
    }
}

/// Those that hold variables, and do not compute a replica of their own.
void checkSingleDevices(ValidationContext& context, const Strategy& strategy, const SpecPath& path)
{
    if (strategy.has_one_device()) {
        checkDevice(context, path.child("one_device").child("device"),
                    strategy.one_device().device());
    }
    if (strategy.has_central_storage()) {
        checkDevice(context, path.child("central_storage").child("parameter_device"),
                    strategy.central_storage().parameter_device());
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
    for (std::size_t i = 0; i < devices.names.size(); ++i) {
        const SpecPath path = devices.path.element(static_cast<int>(i));
        Result<Device> device = parseDevice(devices.names[i]);
        if (!device) {
            context.report(path, std::move(device).error());
        } else if (std::ranges::find(seen, *device) != seen.end()) {
            context.report(path, error(ErrorCode::InvalidArgument, kDeviceTwice, devices.names[i]));
        } else {
            seen.push_back(*std::move(device));
        }
    }
}

void checkShards(ValidationContext& context, const Strategy& strategy, const SpecPath& of)
{
    if (!strategy.has_virtual_shards() || strategy.virtual_shards() < 1) {
        return;
    }
    const auto shards = static_cast<std::uint64_t>(strategy.virtual_shards());
    const SpecPath path = of.child("virtual_shards");
    const std::int64_t replicas = replicasPerProcess(strategy);
    if (!std::has_single_bit(shards)) {
        context.report(path,
                       error(ErrorCode::InvalidArgument, kShardsPower, std::bit_ceil(shards)));
    } else if (strategy.virtual_shards() % replicas != 0) {
        context.report(path, error(ErrorCode::InvalidArgument, kShardsFew, replicas, shards));
    }
}

/// The ways to add up that need what is not there.
void checkSums(ValidationContext& context, const Strategy& strategy, const SpecPath& path)
{
    const MirroredStrategy& mirrored = strategy.mirrored();
    if (mirrored.has_cross_device_ops() &&
        mirrored.cross_device_ops() != CrossDeviceOps::reduction_to_one_device) {
        context.report(path.child("mirrored").child("cross_device_ops"),
                       error(ErrorCode::Unimplemented, kOpsOfGpus,
                             CrossDeviceOps::Kind_Name(mirrored.cross_device_ops())));
    }
    const CommunicationImplementation::Kind implementation =
        strategy.multi_worker_mirrored().communication_options().implementation();
    const SpecPath field =
        path.child("multi_worker_mirrored").child("communication_options").child("implementation");
    if (implementation == CommunicationImplementation::NCCL) {
        context.report(field, error(ErrorCode::Unimplemented, kNcclOfGpus));
    } else if (implementation == CommunicationImplementation::RING &&
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
}

constexpr ErrorKind kOneDevice{
    "spec.own_steps_one_device",
    "{0} has no gradients that replicas could add up; in one process it already computes on every "
    "core: leave strategy out, or set one_device {{}} without virtual_shards."};

/// No gradients, which is what replicas add up.
void checkOwnSteps(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    const Strategy& strategy = context.experiment.strategy();
    const bool isOneDevice =
        strategy.kind_case() == Strategy::KIND_NOT_SET || strategy.has_one_device();
    const std::optional<ExampleId> id = exampleIdOf(estimator);
    if ((!hasOptimizer(estimator) || id) && (!isOneDevice || strategy.virtual_shards() > 1)) {
        context.report(SpecPath{}.child("strategy"),
                       error(ErrorCode::Unimplemented, kOneDevice,
                             id ? id->kind : memberField(estimator)->name()));
    }
}

void checkEvaluations(ValidationContext& context)
{
    const Strategy& strategy = context.experiment.run_config().eval_distribute();
    const SpecPath path = SpecPath{}.child("run_config").child("eval_distribute");
    checkKind(context, strategy, path);
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
    if (input.shard() == InputSharding::own_seed && !input.shuffle()) {
        context.report(SpecPath{}.child("train_spec").child("input").child("shard"),
                       error(ErrorCode::InvalidArgument, kSeedsNeedShuffle));
    }
}

} // namespace cannery::spec
