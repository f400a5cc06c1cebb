// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/broadcast.h"

#include <algorithm>
#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<BroadcastImplementation, 2> kImplementations = {{
    {"vector", acceptsAll<BroadcastProblem>, &cpu::kBroadcast},
    {"reference", acceptsAll<BroadcastProblem>, &reference::kBroadcast},
}};

} // namespace

Broadcast broadcastOver(std::span<const std::int64_t> operand, std::span<const std::int64_t> row)
{
    CANNERY_CHECK(operand.size() <= row.size());
    const std::size_t missing = row.size() - operand.size();
    Broadcast result;
    // From the innermost dimension outwards, since that is the order in which steps are known.
    for (std::size_t index = row.size(); index-- > 0;) {
        const std::int64_t size = row[index];
        const std::int64_t own = index < missing ? 1 : operand[index - missing];
        CANNERY_CHECK(own == size || own == 1);
        const std::int64_t step = own == size ? result.operandWidth : 0;
        result.width *= size;
        result.operandWidth *= own;
        if (size == 1) {
            continue;
        }
        if (!result.axes.empty()) {
            Broadcast::Axis& inner = result.axes.back();
            if ((step == 0) == (inner.step == 0) && step == inner.step * inner.size) {
                inner.size *= size;
                continue;
            }
        }
        result.axes.push_back({.size = size, .step = step});
    }
    std::ranges::reverse(result.axes);
    if (result.axes.empty()) {
        result.axes.push_back({});
    }
    return result;
}

std::span<const BroadcastImplementation> broadcastImplementations()
{
    return kImplementations;
}

const BroadcastKernels& broadcastKernels()
{
    return *choose(broadcastImplementations(), BroadcastProblem{}).kernels;
}

} // namespace cannery::kernels
