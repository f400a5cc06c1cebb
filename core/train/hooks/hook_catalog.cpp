// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/hook_catalog.h"

#include "core/base/catalog.h"
#include "core/train/hooks/early_stopping_hook.h"
#include "core/train/hooks/stop_predicates.h"

#include <array>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoHook{"train.no_hook",
                            "A hook of the train_spec is empty; name one or remove it."};
constexpr ErrorKind kTwoCadences{
    "train.two_cadences",
    "{} runs either every {} seconds or every {} steps; leave one of them out."};

/// run_every_steps wins over the default of run_every_secs.
template <typename Message>
Result<Cadence> cadenceOf(const Message& message, std::string_view name)
{
    // A resolved experiment has every default filled in: 60 seconds along with steps mean that the
    // user did not set the seconds.
    const bool saysSeconds =
        message.has_run_every_secs() && message.run_every_secs() > 0 &&
        message.run_every_secs() != Message::default_instance().run_every_secs();
    if (message.has_run_every_steps()) {
        if (saysSeconds) {
            return fail(ErrorCode::InvalidArgument, kTwoCadences, name, message.run_every_secs(),
                        message.run_every_steps());
        }
        return Cadence::everySteps(message.run_every_steps());
    }
    return Cadence::everySeconds(static_cast<double>(message.run_every_secs()));
}

std::unique_ptr<Hook> earlyStopping(StopPredicate predicate, const Cadence& cadence,
                                    const HookContext& context)
{
    return std::make_unique<EarlyStoppingHook>(context.evalDir, std::move(predicate), cadence,
                                               *context.clock, *context.stopVariable);
}

Result<std::unique_ptr<Hook>> beyond(const spec::StopIfHook& hook, Better side,
                                     std::string_view name, const HookContext& context)
{
    CANNERY_TRY_ASSIGN(const Cadence cadence, cadenceOf(hook, name));
    return earlyStopping(stopIfBeyond(side, hook.metric_name(), hook.threshold(), hook.min_steps()),
                         cadence, context);
}

Result<std::unique_ptr<Hook>> noBetter(const spec::StopIfNoChangeHook& hook, Better side,
                                       std::string_view name, const HookContext& context)
{
    CANNERY_TRY_ASSIGN(const Cadence cadence, cadenceOf(hook, name));
    return earlyStopping(
        stopIfNoBetter(side, hook.metric_name(), hook.max_steps_without_change(), hook.min_steps()),
        cadence, context);
}

Result<std::unique_ptr<Hook>> makeHigher(const spec::Hook& hook, const HookContext& context)
{
    return beyond(hook.stop_if_higher_hook(), Better::Higher, "stop_if_higher_hook", context);
}

Result<std::unique_ptr<Hook>> makeLower(const spec::Hook& hook, const HookContext& context)
{
    return beyond(hook.stop_if_lower_hook(), Better::Lower, "stop_if_lower_hook", context);
}

Result<std::unique_ptr<Hook>> makeNoIncrease(const spec::Hook& hook, const HookContext& context)
{
    return noBetter(hook.stop_if_no_increase_hook(), Better::Higher, "stop_if_no_increase_hook",
                    context);
}

Result<std::unique_ptr<Hook>> makeNoDecrease(const spec::Hook& hook, const HookContext& context)
{
    return noBetter(hook.stop_if_no_decrease_hook(), Better::Lower, "stop_if_no_decrease_hook",
                    context);
}

constexpr std::array kHooks{
    HookRow{spec::Hook::kStopIfHigherHook, "stop_if_higher_hook", makeHigher},
    HookRow{spec::Hook::kStopIfLowerHook, "stop_if_lower_hook", makeLower},
    HookRow{spec::Hook::kStopIfNoIncreaseHook, "stop_if_no_increase_hook", makeNoIncrease},
    HookRow{spec::Hook::kStopIfNoDecreaseHook, "stop_if_no_decrease_hook", makeNoDecrease},
};

} // namespace

std::span<const HookRow> hookCatalog()
{
    return kHooks;
}

Result<std::unique_ptr<Hook>> makeHook(const spec::Hook& hook, const HookContext& context)
{
    const HookRow* row = findRow(kHooks, hook.kind_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoHook);
    }
    return row->make(hook, context);
}

} // namespace cannery::train
