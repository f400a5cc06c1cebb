// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/device/device_program.h"
#include "core/plan/device/device_table.h"
#include "kernels/accelerator/accelerator.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace cannery::plan {

/// One of the accelerators that compute the shards of a step, each with a mirror of the model's
/// memory. A single one is a member as well.
struct DeviceMember
{
    kernels::Accelerator& accelerator;
    DevicePlan plan;
    std::unique_ptr<kernels::AcceleratorMemory> memory; ///< null: not laid out
    std::unique_ptr<DeviceTable> table;                 ///< null: batches go up
};

/// These accelerators become members of a group, in this order, of which the first is `first`.
/// Waits for the other members, if there are more. Errors: of join().
Result<void> formGroup(const kernels::GroupId& id,
                       std::span<kernels::Accelerator* const> accelerators,
                       kernels::GroupRank first);

/// Calls work(member), which may wait for other members, for all of these at the same time, the
/// first one in this thread. If one fails, the group is given up. Errors: of the one that failed
/// first of all, as far as that can be told.
Result<void> together(std::span<const DeviceMember> members,
                      const std::function<Result<void>(std::size_t member)>& work);

} // namespace cannery::plan
