// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_dataset.h"
#include "core/plan/device/device_training.h"
#include "tests/core/plan/device_group.h"
#include "tests/core/plan/device_model.h"
#include "tests/core/plan/shard_training.h"
#include "tests/support/emulated_device/emulated_device.h"
#include "tests/support/thread_checks.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

/// Processes with accelerators of their own, as threads.
namespace cannery::tests {

/// One of the processes that train in step, on a thread.
struct Process
{
    std::size_t rank;
    plan::Model& model;
    ProcessGroup& group;
};

struct Cluster
{
    std::string estimator;
    std::int64_t processes = 2;
    std::int64_t gpusOfEach = 1;
    std::int64_t failAllocation = 0; ///< of the first device of the last process
    bool isAcross = false;
    const features::EncodedDataset* table = nullptr;
    /// Instead of an emulated one.
    std::function<std::unique_ptr<kernels::Accelerator>(std::int64_t rank)> device = {};
};

inline std::unique_ptr<kernels::Accelerator> deviceOf(const Cluster& cluster, std::int64_t rank,
                                                      std::int64_t index)
{
    if (cluster.device) {
        return cluster.device(rank);
    }
    const bool fails = rank + 1 == cluster.processes && index == 0;
    return std::make_unique<EmulatedDevice>(
        EmulatedOptions{.failAllocation = fails ? cluster.failAllocation : 0}, index);
}

inline Result<kernels::GroupId> makeId()
{
    return EmulatedGroup::makeId();
}

/// Calls work(process) for all of them at the same time, once they have met.
template <typename Work>
void runAll(const Cluster& cluster, const Work& work)
{
    ProcessGroup group(static_cast<std::size_t>(cluster.processes));
    const ThreadReport report;
    std::vector<std::jthread> threads;
    for (std::int64_t rank = 0; rank < cluster.processes; ++rank) {
        const auto run = [&, rank] {
            GroupExchange exchange(group, static_cast<std::size_t>(rank));
            std::vector<std::unique_ptr<kernels::Accelerator>> devices;
            for (std::int64_t index = 0; index < cluster.gpusOfEach; ++index) {
                devices.push_back(deviceOf(cluster, rank, index));
            }
            plan::ModelOptions options{.maxBatchSize = kShardRows,
                                       .seed = 5,
                                       .sharding = {.total = cluster.processes * cluster.gpusOfEach,
                                                    .first = rank * cluster.gpusOfEach,
                                                    .count = cluster.gpusOfEach,
                                                    .batchRows = kShardRows,
                                                    .isAcross = cluster.isAcross},
                                       .exchange = &exchange,
                                       .accelerator = devices.front().get()};
            for (std::size_t peer = 1; peer < devices.size(); ++peer) {
                options.peers.push_back(devices[peer].get());
            }
            const auto model = toyModel(cluster.estimator, options);
            THREAD_REQUIRE(model.has_value());
            THREAD_REQUIRE((*model)->device()->meetProcesses(makeId).has_value());
            if (cluster.table != nullptr) {
                THREAD_REQUIRE((*model)->device()->setTable(*cluster.table, {}).has_value());
            }
            work(Process{static_cast<std::size_t>(rank), **model, group});
        };
        threads.emplace_back([run] { runChecked(run); });
    }
}

} // namespace cannery::tests
