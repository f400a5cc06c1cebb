// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_member.h"

#include "kernels/accelerator/errors.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

namespace cannery::plan {

namespace {

/// work(index) for all at the same time, and what each of them ends with.
std::vector<Result<void>> atOnce(std::size_t count,
                                 const std::function<Result<void>(std::size_t)>& work)
{
    std::vector<Result<void>> outcomes(count);
    {
        std::vector<std::jthread> threads;
        for (std::size_t index = 1; index < count; ++index) {
            threads.emplace_back([&, index] { outcomes[index] = work(index); });
        }
        outcomes.front() = work(0);
    }
    return outcomes;
}

/// Those that only ended because of another one come last.
Result<void> firstFailure(const std::vector<Result<void>>& outcomes)
{
    const auto failed = [](const Result<void>& outcome) { return !outcome; };
    const auto isCause = [](const Result<void>& outcome) {
        return !outcome && outcome.error().id != kernels::kGroupLost.id;
    };
    auto found = std::ranges::find_if(outcomes, isCause);
    if (found == outcomes.end()) {
        found = std::ranges::find_if(outcomes, failed);
    }
    return found == outcomes.end() ? Result<void>() : *found;
}

} // namespace

Result<void> formGroup(const kernels::GroupId& id,
                       std::span<kernels::Accelerator* const> accelerators,
                       kernels::GroupRank first)
{
    return firstFailure(atOnce(accelerators.size(), [&](std::size_t index) {
        kernels::GroupRank member = first;
        member.rank += static_cast<std::int64_t>(index);
        return accelerators[index]->join({.id = id, .member = member});
    }));
}

Result<void> together(std::span<const DeviceMember> members,
                      const std::function<Result<void>(std::size_t member)>& work)
{
    if (members.front().plan.member.size == 1) {
        return work(0);
    }
    return firstFailure(atOnce(members.size(), [&](std::size_t index) {
        Result<void> outcome = work(index);
        if (!outcome) {
            for (const DeviceMember& member : members) {
                member.accelerator.abandonGroup();
            }
        }
        return outcome;
    }));
}

} // namespace cannery::plan
