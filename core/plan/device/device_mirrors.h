// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/device/device_failure.h"
#include "core/plan/device/device_member.h"
#include "core/plan/device/own_step.h"
#include "core/plan/network.h"
#include "core/plan/part_optimizer.h"
#include "core/plan/variables.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cannery::plan {

/// The mirrors of a model's memory on the accelerators of a step: where they are, and which of both
/// sides is newer. The first ones are of its state: variables and slots.
class DeviceMirrors
{
public:
    /// All of them outlive this.
    struct Parts
    {
        std::vector<DeviceMember>& members; ///< whose plans get the mirrors
        Variables& variables;
        Network& network;
        std::span<const std::unique_ptr<PartOptimizer>> optimizers;
        PlacedOwnStep* ownStep = nullptr; ///< instead of those; or null
        DeviceFailure& failure;
    };
    explicit DeviceMirrors(const Parts& parts) : m_parts(parts) {}

    /// Gives the first member mirrors with addresses of nothing.
    void plan();
    /// Of those: bytes of all, and of all but values.
    std::int64_t bytes() const;
    std::int64_t fixedBytes() const;
    /// Makes them on every member. Errors: of allocating.
    Result<void> allocate();
    bool areThere() const { return first().memory != nullptr; }
    /// The layout is another one from now on.
    void forget();
    /// Where the variables are on the first member.
    std::byte* variables() const { return first().plan.mirrors.front().device; }

    /// The host's state may change from now on, until it goes up.
    void hostMayWrite() { m_hostMayDiffer = true; }
    /// Steps change the state there.
    void changesThere() { m_hasNewerState = true; }
    /// The host's state goes up to all members if it may have changed.
    void upload();
    /// The state on the host becomes that of the first member. Errors: of the accelerator, kept.
    Result<void> bringState();
    /// The same of some other mirrored memory. False: it is not mirrored.
    Result<bool> bring(const void* host, std::int64_t bytes);

private:
    const DeviceMember& first() const { return m_parts.members.front(); }
    std::vector<DeviceMirror> stateMirrors() const;
    std::vector<DeviceMirror> mirrorsAt(std::byte* memory) const;

    Parts m_parts;
    std::size_t m_stateMirrors = 0; ///< the first ones
    bool m_hostMayDiffer = true;
    bool m_hasNewerState = false;
};

} // namespace cannery::plan
