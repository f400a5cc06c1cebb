// SPDX-License-Identifier: Apache-2.0
// Rules of the strategy and of how its replicas share the rows.

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

void checkDevices(ValidationContext& context)
{
    const StrategyDevices devices = devicesOf(context.experiment.strategy());
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

void checkShards(ValidationContext& context)
{
    const Strategy& strategy = context.experiment.strategy();
    if (!strategy.has_virtual_shards() || strategy.virtual_shards() < 1) {
        return;
    }
    const auto shards = static_cast<std::uint64_t>(strategy.virtual_shards());
    const SpecPath path = SpecPath{}.child("strategy").child("virtual_shards");
    const std::int64_t replicas = replicasPerProcess(strategy);
    if (!std::has_single_bit(shards)) {
        context.report(path,
                       error(ErrorCode::InvalidArgument, kShardsPower, std::bit_ceil(shards)));
    } else if (strategy.virtual_shards() % replicas != 0) {
        context.report(path, error(ErrorCode::InvalidArgument, kShardsFew, replicas, shards));
    }
}

} // namespace

void checkStrategy(ValidationContext& context)
{
    checkDevices(context);
    checkShards(context);
    const Input& input = context.experiment.train_spec().input();
    if (input.shard() == InputSharding::own_seed && !input.shuffle()) {
        context.report(SpecPath{}.child("train_spec").child("input").child("shard"),
                       error(ErrorCode::InvalidArgument, kSeedsNeedShuffle));
    }
}

} // namespace cannery::spec
