// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/strategy_catalog.h"

#include "core/base/catalog.h"
#include "core/base/check.h"
#include "core/spec/strategy_devices.h"

#include <array>

namespace cannery::strategies {

namespace {

constexpr std::array kStrategies{
    StrategyRow{
        .key = spec::Strategy::kOneDevice,
        .name = "one_device",
        .tensorflowName = "OneDeviceStrategy",
        .needs = "One CPU of this machine",
    },
    StrategyRow{
        .key = spec::Strategy::kMirrored,
        .name = "mirrored",
        .tensorflowName = "MirroredStrategy",
        .needs = "Several CPUs of this machine",
        .mirrorsSlots = true,
    },
    StrategyRow{
        .key = spec::Strategy::kCentralStorage,
        .name = "central_storage",
        .tensorflowName = "CentralStorageStrategy",
        .needs = "Several CPUs of this machine",
    },
    StrategyRow{
        .key = spec::Strategy::kMultiWorkerMirrored,
        .name = "multi_worker_mirrored",
        .tensorflowName = "MultiWorkerMirroredStrategy",
        .needs = "A cluster: several machines, or several processes of this one",
        .spansProcesses = true,
    },
    StrategyRow{
        .key = spec::Strategy::kParameterServer,
        .name = "parameter_server",
        .tensorflowName = "ParameterServerStrategy",
        .needs = "A cluster with parameter servers",
        .hasServers = true,
    },
};

constexpr ErrorKind kShards{"strategies.shards_of_processes",
                            "{0} workers cannot share {1} batches per step equally: {2}."};

} // namespace

std::span<const StrategyRow> strategyCatalog()
{
    return kStrategies;
}

const StrategyRow& strategyOf(const spec::Experiment& resolved)
{
    const StrategyRow* row = findRow(kStrategies, resolved.strategy().kind_case());
    CANNERY_CHECK(row != nullptr);
    return *row;
}

std::int64_t slotCopies(const spec::Experiment& resolved)
{
    return strategyOf(resolved).mirrorsSlots ? spec::replicasPerProcess(resolved.strategy()) : 1;
}

Result<plan::Sharding> shardingOf(const spec::Experiment& resolved, const Process& process)
{
    const spec::Strategy& strategy = resolved.strategy();
    const std::int64_t total = strategy.has_virtual_shards()
                                   ? strategy.virtual_shards()
                                   : process.count * spec::replicasPerProcess(strategy);
    if (total % process.count != 0) {
        return fail(
            ErrorCode::InvalidArgument, kShards, process.count, total,
            spec::sharingCure(process.count * spec::replicasPerProcess(strategy), "workers"));
    }
    const std::int64_t count = total / process.count;
    return plan::Sharding{.total = total,
                          .first = process.rank * count,
                          .count = count,
                          .batchRows = resolved.train_spec().input().batch_size(),
                          .isAcross = strategy.batch_norm_scope() == spec::BatchNormScope::global};
}

} // namespace cannery::strategies
