// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/training.pb.h"
#include "core/train/clock.h"
#include "core/train/hooks/hook.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cannery::train {

/// What a hook of an experiment may need.
struct HookContext
{
    std::string evalDir; ///< where evaluations are logged
    const Clock* clock = &systemClock();
    /// One byte of state stored in checkpoints as `signal_early_stopping/STOP`.
    std::byte* stopVariable = nullptr;
};

struct HookRow
{
    spec::Hook::KindCase key;
    std::string_view name; ///< of the field of spec::Hook
    Result<std::unique_ptr<Hook>> (*make)(const spec::Hook&, const HookContext&);
};

/// Every hook that an experiment can configure, in the order of the schema.
std::span<const HookRow> hookCatalog();

/// "train.no_hook" for an empty message, "train.two_cadences" if both cadences are given.
Result<std::unique_ptr<Hook>> makeHook(const spec::Hook& hook, const HookContext& context);

} // namespace cannery::train
