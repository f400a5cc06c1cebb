// SPDX-License-Identifier: Apache-2.0
// Rules of optimizers, schedules, train_spec, eval_spec, run_config and warm start.

#include "core/base/pattern.h"
#include "core/spec/checks/name_rules.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/message_access.h"
#include "core/spec/number_columns.h"
#include "core/spec/optimizer_rules.h"
#include "core/spec/tree_arguments.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr ErrorKind kTwoClips{
    "spec.two_clips", "clipnorm and global_clipnorm cannot both be given: keep one of them."};
constexpr ErrorKind kPiecewiseValues{
    "spec.piecewise_values",
    "There are {0} values for {1} boundaries: give one more value than boundaries."};
constexpr ErrorKind kTwoCadences{
    "spec.two_checkpoint_cadences",
    "save_checkpoints_steps and save_checkpoints_secs cannot both be given: keep one of them."};
constexpr ErrorKind kTwoHookCadences{
    "spec.two_hook_cadences",
    "run_every_secs and run_every_steps cannot both be given: keep one of them."};
constexpr ErrorKind kDuplicateExporter{
    "spec.duplicate_exporter",
    "Two exporters are named '{0}': each writes into a folder of its own name, so rename one."};
constexpr ErrorKind kEndless{
    "spec.endless_training",
    "Nothing ends this training: set train_spec.max_steps, or num_epochs of its input."};
constexpr ErrorKind kProfilerCadence{
    "spec.profiler_cadence", "A profiler_hook needs either save_steps or save_secs: give one."};
constexpr ErrorKind kProfilerFolder{
    "spec.profiler_folder",
    "'{0}' is not a folder below the model_dir: give a relative path without '..'."};
constexpr ErrorKind kLiveEvaluationAlone{
    "spec.live_evaluation_alone",
    "An in_memory_evaluator_hook reads the weights of one device: remove the strategy, or the "
    "hook; the eval_spec evaluates checkpoints of any strategy."};
constexpr ErrorKind kLiveEvaluationRows{
    "spec.live_evaluation_rows",
    "An in_memory_evaluator_hook needs rows to evaluate on: add data.eval or data.split."};
constexpr ErrorKind kListenerProgram{
    "spec.listener_program",
    "The first text of a command is the program to run: it cannot be empty."};
constexpr ErrorKind kListenerWithoutSaves{
    "spec.listener_without_saves",
    "No checkpoint is ever saved for this listener: set save_checkpoints_steps or "
    "save_checkpoints_secs of the run_config to more than 0."};
constexpr ErrorKind kAssetName{
    "spec.asset_name",
    "'{0}' is not a path below assets.extra/: give a relative one without '..', such as "
    "notes/readme.txt."};
constexpr ErrorKind kAssetTwice{
    "spec.asset_twice", "Two files of this exporter are called '{0}' in its exports: rename one."};
constexpr ErrorKind kWarmStartPattern{"spec.warm_start_pattern", "{0}"};

void checkOptimizer(ValidationContext& context, const Optimizer& optimizer, const SpecPath& path)
{
    if (auto problem = rulesProblem(optimizer)) {
        context.report(path.joined(problem->path), std::move(problem->error));
    } else if (optimizer.has_clipnorm() && optimizer.has_global_clipnorm()) {
        context.report(path.child("global_clipnorm"), error(ErrorCode::InvalidArgument, kTwoClips));
    }
    const PiecewiseConstant& piecewise = optimizer.learning_rate_schedule().piecewise_constant();
    const SpecPath here = path.child("learning_rate_schedule").child("piecewise_constant");
    // Empty lists have problems of their own.
    if (optimizer.learning_rate_schedule().has_piecewise_constant() &&
        piecewise.boundaries_size() > 0 && piecewise.values_size() > 0 &&
        piecewise.values_size() != piecewise.boundaries_size() + 1) {
        context.report(here.child("values"),
                       error(ErrorCode::InvalidArgument, kPiecewiseValues, piecewise.values_size(),
                             piecewise.boundaries_size()));
    }
    // Boundaries are steps of the training, so they must ascend.
    for (int i = 1; i < piecewise.boundaries_size(); ++i) {
        if (piecewise.boundaries(i) <= piecewise.boundaries(i - 1)) {
            context.report(here.child("boundaries").element(i),
                           error(ErrorCode::InvalidArgument, kBoundariesOrder,
                                 piecewise.boundaries(i), piecewise.boundaries(i - 1)));
        }
    }
}

/// Whether a text is a relative path that stays below a folder.
bool isPathBelow(std::string_view path)
{
    // Each part is checked as a folder's name, which also refuses "..", "." and an empty one.
    while (true) {
        const std::size_t slash = path.find('/');
        if (folderNameProblem(path.substr(0, slash))) {
            return false;
        }
        if (slash == std::string_view::npos) {
            return true;
        }
        path.remove_prefix(slash + 1);
    }
}

/// Of any kind of exporter, which writes the first of these names itself, and with warmup_rows the
/// other.
void checkAssets(ValidationContext& context, const Message& member, const SpecPath& path)
{
    const google::protobuf::Reflection& reflection = *member.GetReflection();
    // By reflection: every kind of exporter has these fields, in a message of its own.
    const FieldDescriptor* assets = member.GetDescriptor()->FindFieldByName("assets_extra");
    const FieldDescriptor* rows = member.GetDescriptor()->FindFieldByName("warmup_rows");
    std::set<std::string> names{"cannery/experiment.cannery", "checksums.crc32c"};
    if (reflection.GetInt64(member, rows) > 0) {
        names.insert("tf_serving_warmup_requests");
    }
    for (int i = 0; i < reflection.FieldSize(member, assets); ++i) {
        const auto& asset =
            dynamic_cast<const AssetFile&>(reflection.GetRepeatedMessage(member, assets, i));
        const SpecPath here = path.child("assets_extra").element(i).child("name");
        if (!asset.has_name()) {
            continue; // said elsewhere
        }
        if (!isPathBelow(asset.name())) {
            context.report(here, error(ErrorCode::InvalidArgument, kAssetName, asset.name()));
        } else if (!names.insert(asset.name()).second) {
            context.report(here, error(ErrorCode::AlreadyExists, kAssetTwice, asset.name()));
        }
    }
}

void checkExporters(ValidationContext& context)
{
    const EvalSpec& spec = context.experiment.eval_spec();
    std::set<std::string> names;
    for (int i = 0; i < spec.exporter_size(); ++i) {
        const Message* member = memberOf(spec.exporter(i));
        if (member == nullptr) {
            continue;
        }
        const SpecPath kind = SpecPath{}
                                  .child("eval_spec")
                                  .child("exporter")
                                  .element(i)
                                  .child(memberField(spec.exporter(i))->name());
        checkAssets(context, *member, kind);
        const SpecPath path = kind.child("name");
        // Every exporter has a name, in a message of its own.
        const std::string name = member->GetReflection()->GetString(
            *member, member->GetDescriptor()->FindFieldByName("name"));
        if (std::optional<Error> problem = folderNameProblem(name)) {
            context.report(path, *std::move(problem));
        } else if (!names.insert(name).second) {
            // Two exporters of one name would delete each other's exports.
            context.report(path, error(ErrorCode::AlreadyExists, kDuplicateExporter, name));
        }
    }
}

template <typename HookMessage>
void checkHookCadence(ValidationContext& context, const HookMessage& hook, const SpecPath& path)
{
    // Only if it is set, not by its default. 0 turns it off.
    if (hook.has_run_every_steps() && hook.has_run_every_secs() && hook.run_every_secs() > 0) {
        context.report(path.child("run_every_steps"),
                       error(ErrorCode::InvalidArgument, kTwoHookCadences));
    }
}

void checkProfiler(ValidationContext& context, const ProfilerHook& hook, const SpecPath& path)
{
    // Either both or neither is set.
    if (hook.has_save_steps() == hook.has_save_secs()) {
        context.report(hook.has_save_secs() ? path.child("save_secs") : path,
                       error(ErrorCode::InvalidArgument, kProfilerCadence));
    }
    if (!hook.output_dir().empty() && !isPathBelow(hook.output_dir())) {
        context.report(path.child("output_dir"),
                       error(ErrorCode::InvalidArgument, kProfilerFolder, hook.output_dir()));
    }
}

bool trainsAlone(const Strategy& strategy)
{
    // The hook reads the weights of the process that it runs in.
    const bool hasOneDevice =
        strategy.kind_case() == Strategy::KIND_NOT_SET || strategy.has_one_device();
    return hasOneDevice && strategy.virtual_shards() <= 1;
}

void checkLiveEvaluation(ValidationContext& context, const InMemoryEvaluatorHook& hook,
                         const SpecPath& path)
{
    const Experiment& experiment = context.experiment;
    if (std::optional<Error> problem =
            hook.name().empty() ? std::nullopt : folderNameProblem(hook.name())) {
        context.report(path.child("name"), *std::move(problem));
    }
    if (!trainsAlone(experiment.strategy())) {
        context.report(path, error(ErrorCode::InvalidArgument, kLiveEvaluationAlone));
    }
    // Not before there is data at all.
    if (experiment.data().has_train() && !hasRowsToEvaluate(experiment)) {
        context.report(path, error(ErrorCode::InvalidArgument, kLiveEvaluationRows));
    }
}

bool stopsEarly(const Hook& hook)
{
    // Everything but these three is a stopping hook, so that a new one need not be listed.
    switch (hook.kind_case()) {
    case Hook::kProfilerHook:
    case Hook::kInMemoryEvaluatorHook:
    case Hook::KIND_NOT_SET:
        return false;
    default:
        return true;
    }
}

void checkHooks(ValidationContext& context)
{
    const TrainSpec& spec = context.experiment.train_spec();
    for (int i = 0; i < spec.hook_size(); ++i) {
        const Hook& hook = spec.hook(i);
        const SpecPath path = SpecPath{}.child("train_spec").child("hook").element(i);
        switch (hook.kind_case()) {
        case Hook::kStopIfHigherHook:
            checkHookCadence(context, hook.stop_if_higher_hook(),
                             path.child("stop_if_higher_hook"));
            break;
        case Hook::kStopIfLowerHook:
            checkHookCadence(context, hook.stop_if_lower_hook(), path.child("stop_if_lower_hook"));
            break;
        case Hook::kStopIfNoIncreaseHook:
            checkHookCadence(context, hook.stop_if_no_increase_hook(),
                             path.child("stop_if_no_increase_hook"));
            break;
        case Hook::kStopIfNoDecreaseHook:
            checkHookCadence(context, hook.stop_if_no_decrease_hook(),
                             path.child("stop_if_no_decrease_hook"));
            break;
        case Hook::kProfilerHook:
            checkProfiler(context, hook.profiler_hook(), path.child("profiler_hook"));
            break;
        case Hook::kInMemoryEvaluatorHook:
            checkLiveEvaluation(context, hook.in_memory_evaluator_hook(),
                                path.child("in_memory_evaluator_hook"));
            break;
        case Hook::KIND_NOT_SET:
            break;
        }
    }
    // Trees end by themselves when they are complete.
    const bool ends = spec.has_max_steps() || spec.input().num_epochs() > 0 ||
                      std::ranges::any_of(spec.hook(), stopsEarly) ||
                      treeArgumentsOf(context.experiment.estimator()).has_value();
    if (!ends && context.experiment.data().has_train()) {
        context.report(SpecPath{}.child("train_spec"), error(ErrorCode::InvalidArgument, kEndless),
                       Severity::Warning);
    }
}

void checkListeners(ValidationContext& context)
{
    const RunConfig& config = context.experiment.run_config();
    // Neither set means the default cadence, which saves; 0 for both means never.
    const bool isSet = config.has_save_checkpoints_steps() || config.has_save_checkpoints_secs();
    const bool saves =
        !isSet || config.save_checkpoints_steps() > 0 || config.save_checkpoints_secs() > 0;
    const auto& listeners = context.experiment.train_spec().saving_listener();
    for (int i = 0; i < listeners.size(); ++i) {
        const SpecPath path = SpecPath{}.child("train_spec").child("saving_listener").element(i);
        if (listeners[i].command_size() > 0 && listeners[i].command(0).empty()) {
            context.report(path.child("command").element(0),
                           error(ErrorCode::InvalidArgument, kListenerProgram));
        }
        if (!saves) {
            context.report(path, error(ErrorCode::InvalidArgument, kListenerWithoutSaves));
        }
    }
}

/// It becomes part of a folder name.
void checkEvaluationName(ValidationContext& context)
{
    const std::string& name = context.experiment.eval_spec().name();
    if (std::optional<Error> problem = name.empty() ? std::nullopt : folderNameProblem(name)) {
        context.report(SpecPath{}.child("eval_spec").child("name"), *std::move(problem));
    }
}

void checkPattern(ValidationContext& context, const std::string& text, const SpecPath& path)
{
    if (const Result<Pattern> pattern = Pattern::compile(text); !pattern) {
        context.report(path,
                       error(pattern.error().code, kWarmStartPattern, pattern.error().sentence));
    }
}

void checkWarmStart(ValidationContext& context)
{
    const WarmStart& settings = context.experiment.warm_start();
    const SpecPath path = SpecPath{}.child("warm_start");
    checkPattern(context, settings.pattern(), path.child("pattern"));
    for (int i = 0; i < settings.variables().pattern_size(); ++i) {
        checkPattern(context, settings.variables().pattern(i),
                     path.child("variables").child("pattern").element(i));
    }
}

} // namespace

void checkOptimizers(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    const auto* kind = estimator.GetReflection()->GetOneofFieldDescriptor(
        estimator, Estimator::descriptor()->oneof_decl(0));
    if (kind == nullptr) {
        return;
    }
    const Message& member = estimator.GetReflection()->GetMessage(estimator, kind);
    std::vector<const FieldDescriptor*> fields;
    member.GetReflection()->ListFields(member, &fields);
    for (const FieldDescriptor* field : fields) {
        if (isMessage(*field) && field->message_type() == Optimizer::descriptor()) {
            checkOptimizer(
                context,
                dynamic_cast<const Optimizer&>(member.GetReflection()->GetMessage(member, field)),
                SpecPath{}.child("estimator").child(kind->name()).child(field->name()));
        }
    }
}

void checkTraining(ValidationContext& context)
{
    const RunConfig& config = context.experiment.run_config();
    if (config.save_checkpoints_steps() > 0 && config.save_checkpoints_secs() > 0) {
        context.report(SpecPath{}.child("run_config").child("save_checkpoints_secs"),
                       error(ErrorCode::InvalidArgument, kTwoCadences));
    }
    checkHooks(context);
    checkListeners(context);
    checkExporters(context);
    checkEvaluationName(context);
    checkWarmStart(context);
}

} // namespace cannery::spec
