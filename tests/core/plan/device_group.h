// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/check.h"
#include "core/plan/device/device_member.h"
#include "core/plan/model.h"
#include "tests/core/plan/device_model.h"
#include "tests/core/plan/shard_training.h"
#include "tests/support/emulated_device/emulated_device.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cannery::tests {

/// Several emulated GPUs that train together.
class DeviceGroup
{
public:
    explicit DeviceGroup(std::int64_t size, const EmulatedOptions& options = {})
    {
        for (std::int64_t index = 0; index < size; ++index) {
            add(std::make_unique<EmulatedDevice>(options, index));
        }
        form();
    }
    explicit DeviceGroup(std::vector<std::unique_ptr<kernels::Accelerator>> devices)
    {
        for (auto& device : devices) {
            add(std::move(device));
        }
        form();
    }

    std::int64_t size() const { return static_cast<std::int64_t>(m_devices.size()); }
    kernels::Accelerator& device(std::size_t index) const { return *m_devices[index]; }
    /// For a model whose replicas have batches of so many rows, one on each device.
    plan::ModelOptions place(plan::ModelOptions options, std::int64_t batchRows) const
    {
        options.sharding = {.total = size(),
                            .first = 0,
                            .count = size(),
                            .batchRows = batchRows,
                            .isAcross = options.sharding.isAcross};
        options.accelerator = m_devices.front().get();
        for (std::size_t peer = 1; peer < m_devices.size(); ++peer) {
            options.peers.push_back(m_devices[peer].get());
        }
        return options;
    }

private:
    void add(std::unique_ptr<kernels::Accelerator> device)
    {
        m_devices.push_back(std::move(device));
    }
    void form()
    {
        std::vector<kernels::Accelerator*> members;
        for (const auto& device : m_devices) {
            members.push_back(device.get());
        }
        CANNERY_CHECK(plan::formGroup(EmulatedGroup::makeId(), members, {.rank = 0, .size = size()})
                          .has_value());
    }

    std::vector<std::unique_ptr<kernels::Accelerator>> m_devices;
};

inline constexpr std::int64_t kReplicas = 2;
/// A network that draws at random.
inline constexpr const char* kDropout = "dnn_classifier { feature_columns: ['x', 'one_table'] "
                                        "hidden_units: [16, 8] dropout: 0.3 "
                                        "optimizer { adagrad { learning_rate: 0.1 } } }";

/// Replicas with a batch of kShardRows rows each.
inline plan::ModelOptions onCpu(std::int64_t replicas)
{
    return {
        .maxBatchSize = kShardRows,
        .seed = 5,
        .sharding = {.total = replicas, .first = 0, .count = replicas, .batchRows = kShardRows}};
}

/// Of a comparison with replicas on the CPU.
inline constexpr int kReplicaSteps = 5;

/// Batches of a step, of fewer and fewer rows for the replicas.
inline Batches batchesOf(std::int64_t step, std::int64_t replicas, std::int64_t fewer = 0,
                         std::int64_t labelWidth = 1)
{
    Batches batches;
    for (std::int64_t replica = 0; replica < replicas; ++replica) {
        batches.push_back(toyRows(kShardRows - replica * fewer,
                                  static_cast<std::uint64_t>(step * 1000 + replica), labelWidth));
    }
    return batches;
}

inline double lossOf(plan::Model& model, const Batches& batches, std::int64_t step)
{
    const auto loss = model.train(batches, step);
    return loss && *loss ? **loss : std::nan("");
}

/// The same steps by these replicas on the CPU and by as many GPUs, of batchesAt(step); empty: they
/// agree.
template <typename BatchesAt>
std::string differenceAfter(const std::string& estimator, const plan::ModelOptions& replicas,
                            const BatchesAt& batchesAt)
{
    const DeviceGroup group(replicas.sharding.total);
    const auto cpu = toyModel(estimator, replicas);
    const auto gpus = toyModel(estimator, group.place(replicas, kShardRows));
    if (!cpu || !gpus) {
        return (cpu ? gpus : cpu).error().message();
    }
    for (std::int64_t step = 0; step < kReplicaSteps; ++step) {
        const Batches batches = batchesAt(step);
        const double expected = lossOf(**cpu, batches, step);
        const double loss = lossOf(**gpus, batches, step);
        if (!(std::abs(loss - expected) <= 1e-5 * std::abs(expected))) {
            return fmt::format("loss of step {}: {}, {} on the CPU", step, loss, expected);
        }
    }
    return stateDifference(**cpu, **gpus);
}

} // namespace cannery::tests
