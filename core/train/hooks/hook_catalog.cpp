// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/hook_catalog.h"

#include "core/base/catalog.h"
#include "core/base/folder_name.h"
#include "core/train/hooks/early_stopping_hook.h"
#include "core/train/hooks/in_memory_evaluator_hook.h"
#include "core/train/hooks/profiler_hook.h"
#include "core/train/hooks/stop_predicates.h"
#include "storage/io/beneath.h"
#include "storage/io/files.h"

#include <array>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoHook{"train.no_hook",
                            "A hook of the train_spec is empty; name one or remove it."};
constexpr ErrorKind kTwoCadences{
    "train.two_cadences",
    "{} runs either every {} seconds or every {} steps; leave one of them out."};

constexpr ErrorKind kProfilerCadence{
    "train.profiler_cadence",
    "A profiler_hook of the train_spec needs save_steps or save_secs, and not both."};
constexpr ErrorKind kProfilerFolder{"train.profiler_folder",
                                    "The output_dir of a profiler_hook must be below the "
                                    "model_dir, but '{}' is not a relative path without '..'."};
constexpr ErrorKind kNoLiveEvaluation{
    "train.no_live_evaluation",
    "An in_memory_evaluator_hook needs rows to evaluate on (data.eval or data.split), and one "
    "device that trains alone: remove the hook, or the strategy; the eval_spec evaluates "
    "checkpoints everywhere."};
constexpr ErrorKind kLiveName{"train.live_evaluation_name",
                              "The name of an in_memory_evaluator_hook is used in a folder name, "
                              "but '{}' is not valid there; change it."};

/// run_every_steps wins over the default of run_every_secs.
template <typename Message>
Result<Cadence> cadenceOf(const Message& message, std::string_view name)
{
    // A resolved experiment has every default filled in: 60 seconds along with steps mean that the
    // user did not set the seconds.
    const bool hasSeconds =
        message.has_run_every_secs() && message.run_every_secs() > 0 &&
        message.run_every_secs() != Message::default_instance().run_every_secs();
    if (message.has_run_every_steps()) {
        if (hasSeconds) {
            return fail(ErrorCode::InvalidArgument, kTwoCadences, name, message.run_every_secs(),
                        message.run_every_steps());
        }
        // Steps come first, as the seconds have a default and the steps do not.
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

Result<std::unique_ptr<Hook>> makeProfiler(const spec::Hook& hook, const HookContext& context)
{
    const spec::ProfilerHook& message = hook.profiler_hook();
    // TensorFlow's hook demands exactly one of them, too.
    if (message.has_save_steps() == message.has_save_secs()) {
        return fail(ErrorCode::InvalidArgument, kProfilerCadence);
    }
    const std::string& folder = message.output_dir();
    // Training must not write outside of its folder on behalf of an experiment from elsewhere.
    if (!folder.empty() && !storage::isNameBeneath(folder)) {
        return fail(ErrorCode::InvalidArgument, kProfilerFolder, folder);
    }
    const Cadence cadence = message.has_save_steps()
                                ? Cadence::everySteps(message.save_steps())
                                : Cadence::everySeconds(static_cast<double>(message.save_secs()));
    return std::make_unique<ProfilerHook>(
        folder.empty() ? context.modelDir : storage::joinPath(context.modelDir, folder), cadence,
        *context.clock, *context.profile, *context.system);
}

Result<std::unique_ptr<Hook>> makeInMemoryEvaluator(const spec::Hook& hook,
                                                    const HookContext& context)
{
    const spec::InMemoryEvaluatorHook& message = hook.in_memory_evaluator_hook();
    if (!message.name().empty() && !isFolderName(message.name())) {
        return fail(ErrorCode::InvalidArgument, kLiveName, message.name().c_str());
    }
    // Other tasks or parameter servers have the weights elsewhere between steps.
    if (context.evalRows == nullptr || !context.isAlone) {
        return fail(ErrorCode::FailedPrecondition, kNoLiveEvaluation);
    }
    InMemoryEvaluatorHook::Options options{.modelDir = context.modelDir,
                                           .request = context.evaluation,
                                           .rows = context.evalRows,
                                           .everySteps = message.every_n_iter(),
                                           .observer = context.observer,
                                           .system = context.system};
    options.request.steps = message.steps();
    options.request.name = message.name();
    return std::make_unique<InMemoryEvaluatorHook>(std::move(options));
}

constexpr std::array kHooks{
    HookRow{spec::Hook::kStopIfHigherHook, "stop_if_higher_hook", HookRole::StopsEarly, makeHigher},
    HookRow{spec::Hook::kStopIfLowerHook, "stop_if_lower_hook", HookRole::StopsEarly, makeLower},
    HookRow{spec::Hook::kStopIfNoIncreaseHook, "stop_if_no_increase_hook", HookRole::StopsEarly,
            makeNoIncrease},
    HookRow{spec::Hook::kStopIfNoDecreaseHook, "stop_if_no_decrease_hook", HookRole::StopsEarly,
            makeNoDecrease},
    HookRow{spec::Hook::kProfilerHook, "profiler_hook", HookRole::Measures, makeProfiler},
    HookRow{spec::Hook::kInMemoryEvaluatorHook, "in_memory_evaluator_hook", HookRole::Evaluates,
            makeInMemoryEvaluator},
};

} // namespace

std::span<const HookRow> hookCatalog()
{
    return kHooks;
}

const HookRow* hookRow(const spec::Hook& hook)
{
    return findRow(kHooks, hook.kind_case());
}

Result<std::unique_ptr<Hook>> makeHook(const spec::Hook& hook, const HookContext& context)
{
    const HookRow* row = hookRow(hook);
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoHook);
    }
    return row->make(hook, context);
}

} // namespace cannery::train
