// SPDX-License-Identifier: Apache-2.0
// Rules of optimizers, schedules, train_spec, eval_spec, run_config and warm start.

#include "core/base/pattern.h"
#include "core/spec/message_access.h"
#include "core/spec/name_rules.h"
#include "core/spec/number_columns.h"
#include "core/spec/validation_context.h"

#include <set>

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
constexpr ErrorKind kWarmStartPattern{"spec.warm_start_pattern", "{0}"};

void checkOptimizer(ValidationContext& context, const Optimizer& optimizer, const SpecPath& path)
{
    if (optimizer.has_clipnorm() && optimizer.has_global_clipnorm()) {
        context.report(path.child("global_clipnorm"), error(ErrorCode::InvalidArgument, kTwoClips));
    }
    const PiecewiseConstant& piecewise = optimizer.learning_rate_schedule().piecewise_constant();
    const SpecPath here = path.child("learning_rate_schedule").child("piecewise_constant");
    if (optimizer.learning_rate_schedule().has_piecewise_constant() &&
        piecewise.boundaries_size() > 0 && piecewise.values_size() > 0 &&
        piecewise.values_size() != piecewise.boundaries_size() + 1) {
        context.report(here.child("values"),
                       error(ErrorCode::InvalidArgument, kPiecewiseValues, piecewise.values_size(),
                             piecewise.boundaries_size()));
    }
    for (int i = 1; i < piecewise.boundaries_size(); ++i) {
        if (piecewise.boundaries(i) <= piecewise.boundaries(i - 1)) {
            context.report(here.child("boundaries").element(i),
                           error(ErrorCode::InvalidArgument, kBoundariesOrder,
                                 piecewise.boundaries(i), piecewise.boundaries(i - 1)));
        }
    }
}

/// The name of the exporter that is set.
std::string exporterName(const Exporter& exporter, SpecPath& path)
{
    const auto* kind = exporter.GetReflection()->GetOneofFieldDescriptor(
        exporter, Exporter::descriptor()->oneof_decl(0));
    if (kind == nullptr) {
        return {};
    }
    const Message& member = exporter.GetReflection()->GetMessage(exporter, kind);
    path = path.child(kind->name()).child("name");
    return member.GetReflection()->GetString(member,
                                             member.GetDescriptor()->FindFieldByName("name"));
}

void checkExporters(ValidationContext& context)
{
    const EvalSpec& spec = context.experiment.eval_spec();
    std::set<std::string> names;
    for (int i = 0; i < spec.exporter_size(); ++i) {
        SpecPath path = SpecPath{}.child("eval_spec").child("exporter").element(i);
        if (spec.exporter(i).kind_case() == Exporter::KIND_NOT_SET) {
            continue;
        }
        const std::string name = exporterName(spec.exporter(i), path);
        if (std::optional<Error> problem = folderNameProblem(name)) {
            context.report(path, *std::move(problem));
        } else if (!names.insert(name).second) {
            context.report(path, error(ErrorCode::AlreadyExists, kDuplicateExporter, name));
        }
    }
}

template <typename HookMessage>
void checkHookCadence(ValidationContext& context, const HookMessage& hook, const SpecPath& path)
{
    if (hook.has_run_every_steps() && hook.has_run_every_secs() && hook.run_every_secs() > 0) {
        context.report(path.child("run_every_steps"),
                       error(ErrorCode::InvalidArgument, kTwoHookCadences));
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
        case Hook::kInMemoryEvaluatorHook:
        case Hook::KIND_NOT_SET:
            break;
        }
    }
    const bool ends = spec.has_max_steps() || spec.input().num_epochs() > 0 || spec.hook_size() > 0;
    if (!ends && context.experiment.data().has_train()) {
        context.report(SpecPath{}.child("train_spec"), error(ErrorCode::InvalidArgument, kEndless),
                       Severity::Warning);
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
    checkExporters(context);
    checkEvaluationName(context);
    checkWarmStart(context);
}

} // namespace cannery::spec
