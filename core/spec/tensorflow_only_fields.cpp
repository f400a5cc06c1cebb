// SPDX-License-Identifier: Apache-2.0
#include "core/spec/tensorflow_only_fields.h"

#include <algorithm>

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;

constexpr std::string_view kRows =
    "Rows are read by 'data', and batched and shuffled by the 'input' of train_spec and eval_spec.";
constexpr std::string_view kModelDir =
    "The folder belongs to a run, not to the experiment: train with --model-dir.";
constexpr std::string_view kRunConfig = "Write run_config { … } beside the estimator.";
constexpr std::string_view kWarmStart = "Write warm_start { … } beside the estimator.";
constexpr std::string_view kStrategy = "Write strategy { … } beside the run_config.";
constexpr std::string_view kCluster =
    "Which task of which cluster a process is, TF_CONFIG says, or 'cannery launch'.";
constexpr std::string_view kPartitioner =
    "Only parameter servers cut variables: set strategy { parameter_server { variable_partitioner "
    "{ … } } }.";
constexpr std::string_view kReceiver =
    "The input of an exported model is made of its features: set receiver to parsing or raw.";
constexpr std::string_view kEvaluations =
    "Metrics are read where the eval_spec writes them: leave it out.";
constexpr std::string_view kThreads =
    "There is no session: set threads and cache_memory_mb of the run_config for the processor and "
    "the memory.";
constexpr std::string_view kDevices =
    "There are no operations to place: strategy { one_device { device: … } } says where the model "
    "trains.";
constexpr std::string_view kPython =
    "It is Python code, which an experiment cannot contain: write a head of the estimator family "
    "*_estimator that has the wanted loss.";

constexpr TensorFlowOnlyField kFields[] = {
    {"Experiment", "input_fn", kRows},
    {"Experiment", "model_dir", kModelDir},
    {"Experiment", "hooks", "Hooks are written in train_spec: hook { … }."},
    {"Experiment", "saving_listeners",
     "Listeners are programs, written in train_spec: saving_listener { command: … }."},
    {"RunConfig", "model_dir", kModelDir},
    {"RunConfig", "session_config", kThreads},
    {"RunConfig", "device_fn", kDevices},
    {"RunConfig", "protocol",
     "Tasks of a cluster talk by gRPC and Gloo, which cannot be changed: leave it out."},
    {"RunConfig", "experimental_max_worker_delay_secs",
     "Workers begin as soon as all tasks of the cluster have joined: leave it out."},
    {"RunConfig", "train_distribute", kStrategy},
    {"RunConfig", "experimental_distribute",
     "Write strategy { … } for training, and eval_distribute for evaluations."},
    {"RunConfig", "tpu_config",
     "There are no TPUs here: write strategy { … } for the devices of this machine or a cluster."},
    {"RunConfig", "cluster_spec", kCluster},
    {"RunConfig", "task_type", kCluster},
    {"RunConfig", "task_id", kCluster},
    {"RunConfig", "master", kCluster},
    {"RunConfig", "evaluation_master", kCluster},
    {"RunConfig", "num_ps_replicas", kCluster},
    {"RunConfig", "num_worker_replicas", kCluster},
    {"TrainSpec", "input_fn", kRows},
    {"TrainSpec", "hooks", "Write hook { … }, once for each hook."},
    {"TrainSpec", "saving_listeners",
     "Write saving_listener { command: … }, once for each program."},
    {"TrainSpec", "steps",
     "Training ends at a global step, so that a resumed run ends there too: set max_steps."},
    {"EvalSpec", "input_fn", kRows},
    {"EvalSpec", "hooks", "Evaluations have no hooks here: leave it out."},
    {"EvalSpec", "exporters", "Write exporter { … }, once for each exporter."},
    {"EvalSpec", "checkpoint_path",
     "An eval_spec follows the training: 'cannery evaluate RUN --checkpoint' evaluates another "
     "checkpoint."},
    {"Hook", "logging_tensor_hook",
     "The loss is logged by log_step_count_steps of the run_config."},
    {"Hook", "make_early_stopping_hook",
     "A condition in Python cannot be run: use one of the stop_if_…_hook."},
    {"Hook", "stop_at_step_hook", "Set max_steps of the train_spec."},
    {"Hook", "checkpoint_saver_hook", "Set save_checkpoints_steps of the run_config."},
    {"Hook", "summary_saver_hook", "Set save_summary_steps of the run_config."},
    {"StopIfHook", "estimator", "A hook belongs to the experiment's estimator: leave it out."},
    {"StopIfHook", "eval_dir", kEvaluations},
    {"StopIfNoChangeHook", "estimator",
     "A hook belongs to the experiment's estimator: leave it out."},
    {"StopIfNoChangeHook", "eval_dir", kEvaluations},
    {"StopIfNoChangeHook", "max_steps_without_increase", "Set max_steps_without_change."},
    {"StopIfNoChangeHook", "max_steps_without_decrease", "Set max_steps_without_change."},
    {"ProfilerHook", "show_dataflow", "A timeline always shows layers without their edges."},
    {"ProfilerHook", "show_memory",
     "A step allocates nothing: 'cannery plan' says what the model takes."},
    {"InMemoryEvaluatorHook", "estimator",
     "A hook belongs to the experiment's estimator: leave it out."},
    {"InMemoryEvaluatorHook", "input_fn", kRows},
    {"InMemoryEvaluatorHook", "hooks", "Evaluations have no hooks here: leave it out."},
    {"Exporter", "serving_input_receiver_fn", kReceiver},
    {"BestExporter", "compare_fn", "Set metric and higher_is_better."},
    {"BestExporter", "event_file_pattern", kEvaluations},
    {"Estimator", "model_dir", kModelDir},
    {"Estimator", "config", kRunConfig},
    {"Estimator", "warm_start_from", kWarmStart},
    {"Estimator", "input_layer_partitioner", kPartitioner},
    {"Estimator", "partitioner", kPartitioner},
    {"Estimator", "gradient_clip_norm", "Set global_clipnorm of the optimizer."},
    {"Estimator", "input_fn", kRows},
    {"Estimator", "model_fn",
     "It is Python code, which an experiment cannot contain: choose one of the estimators."},
    {"Head", "loss_fn", kPython},
    {"Optimizer", "use_locking", "Every step is applied as a whole: leave it out."},
    {"Optimizer", "gradient_clip", "Set clipnorm, clipvalue or global_clipnorm of the optimizer."},
    {"NumericColumn", "normalizer_fn", "Write normalizer { … }, such as z_score {}."},
    {"WarmStart", "vars_to_warm_start",
     "Write pattern: for trainable variables, variables { pattern: … } for any, or none {}."},
};

/// Whether a message is one of the alternatives of a family.
bool isMember(const Descriptor& message, std::string_view family)
{
    const Descriptor* whole = message.file()->pool()->FindMessageTypeByName(
        message.file()->package() + "." + std::string(family));
    for (int i = 0; whole != nullptr && i < whole->field_count(); ++i) {
        if (whole->field(i)->real_containing_oneof() != nullptr &&
            whole->field(i)->message_type() == &message) {
            return true;
        }
    }
    return false;
}

} // namespace

std::span<const TensorFlowOnlyField> tensorflowOnlyFields()
{
    return kFields;
}

std::optional<std::string_view> tensorflowOnlyField(const Descriptor& message,
                                                    std::string_view name)
{
    const auto* row =
        std::find_if(std::begin(kFields), std::end(kFields), [&](const TensorFlowOnlyField& field) {
            return field.name == name &&
                   (field.message == message.name() || isMember(message, field.message));
        });
    return row == std::end(kFields) ? std::nullopt : std::optional(row->sentence);
}

} // namespace cannery::spec
