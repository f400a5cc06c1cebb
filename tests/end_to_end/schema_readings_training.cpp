// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

namespace {

std::vector<SchemaReading> ofSpecs()
{
    return {
        {"linear.cannery", {"train_spec.max_steps="}, "train_spec.input.num_epochs=2"},
        {"linear.cannery",
         {"train_spec.max_steps=", "train_spec.input.batch_size=5",
          "train_spec.input.num_epochs=1"},
         "train_spec.input.drop_remainder=true"},
        {"linear.cannery", {}, "eval_spec.name=mine"},
        {"linear.cannery", {}, "eval_spec.input.batch_size=2"},
        {"linear.cannery", {"eval_spec.input.batch_size=1"}, "eval_spec.steps=1"},
        {"linear.cannery", {kLonger}, "eval_spec.throttle_secs=1000"},
        {"linear.cannery", {kLonger, kOften}, "run_config.keep_checkpoint_every_n_hours=0.0001"},
        {"linear.cannery", {kLonger, kOften}, "run_config.keep_checkpoint_max=1"},
        {"linear_regressor.cannery", {kLonger}, "run_config.save_checkpoints_secs=3"},
        {"linear.cannery", {}, "run_config.cache_memory_mb=0", "features.spill"},
        {"linear.cannery", {}, "run_config.cache_file=numbers.csv", "features.row_file_foreign"},
    };
}

/// The one metric of the eval_spec, of more rows than usual.
std::vector<std::string> measuring(const std::string& kind)
{
    return {"eval_spec.metric=[{ name: \"m\" " + kind + " }]", "eval_spec.steps=0",
            "data.split.fraction.eval_fraction=0.7"};
}

/// The same of two classes, which the weights of the rows make differ.
SchemaReading ofTwoClasses(const std::string& kind, const std::string& change,
                           const std::string& weight = "amount")
{
    std::vector<std::string> given = measuring(kind);
    given.push_back("estimator.linear_estimator.head.binary_class_head.weight_column.feature=" +
                    weight);
    return {"linear_estimator.cannery", given, "eval_spec.metric[0]." + change};
}

std::vector<SchemaReading> ofMetrics()
{
    const std::string metric = "eval_spec.metric[0].";
    const std::vector<std::string> sliced{"eval_spec.slice=[{ columns: [\"colour\"] }]"};
    std::vector<SchemaReading> all{
        {"linear.cannery", measuring("log_loss {}"), metric + "name=other"},
        {"combined_estimator.cannery", measuring("head: \"r\" mean {}"), metric + "head=p"},
        {"linear.cannery", measuring("top_k_categorical_accuracy { k: 2 }"),
         metric + "top_k_categorical_accuracy.k=1"},
        {"linear.cannery", measuring("log_loss {}"), metric + "top_k_categorical_accuracy={}"},
        {"linear.cannery", measuring("f1_score {}"), metric + "f1_score.average=micro"},
        ofTwoClasses("auc {}", "auc.curve=PR"),
        ofTwoClasses("auc {}", "auc.num_thresholds=2"),
        ofTwoClasses("auc { num_thresholds: 2 }", "auc.summation_method=majoring"),
        ofTwoClasses("calibration_error { bins: 1 }", "calibration_error.bins=10"),
        {"linear.cannery", sliced, "eval_spec.slice[0].columns=[\"shade\"]"},
        {"linear.cannery", sliced, "eval_spec.slice[0].max_groups=1"},
    };
    for (const std::string kind :
         {"mean_absolute_error", "mean_squared_error", "root_mean_squared_error",
          "mean_absolute_percentage_error", "r2_score"}) {
        all.push_back({"linear_regressor.cannery", measuring("mean {}"), metric + kind + "={}"});
    }
    all.push_back(
        {"linear_regressor.cannery", measuring("mean_squared_error {}"), metric + "mean={}"});
    for (const std::string kind : {"log_loss", "brier_score", "per_class"}) {
        all.push_back(ofTwoClasses("mean {}", kind + "={}"));
    }
    for (const std::string kind :
         {"accuracy", "precision", "recall", "f1_score", "confusion_matrix"}) {
        all.push_back(ofTwoClasses(kind + " { threshold: 0 }", kind + ".threshold=1"));
    }
    for (const std::string member : {"recall_at_precision", "precision_at_recall"}) {
        const std::string argument = member.substr(member.rfind('_') + 1);
        const std::string kind = member + " { " + argument + ": 0 }";
        all.push_back(ofTwoClasses(kind, member + "." + argument + "=1"));
        all.push_back(ofTwoClasses(kind, member + ".num_thresholds=1", "x"));
    }
    return all;
}

std::vector<SchemaReading> ofStrategies()
{
    const std::string two = "[\"CPU:0\", \"CPU:1\"]";
    const std::string mirrored = "strategy.mirrored.";
    const std::string workers = "strategy.multi_worker_mirrored.communication_options.";
    return {
        {"linear.cannery", {}, "strategy.one_device.device=disk:0", "spec.device_name"},
        {"linear.cannery", {}, "strategy.precision=mixed_bfloat16", "spec.precision_of_cpu"},
        {"linear.cannery", {}, mirrored + "devices=" + two},
        {"linear.cannery",
         {},
         mirrored + "cross_device_ops=nccl_all_reduce",
         "spec.cross_device_ops"},
        {"linear.cannery", {}, "strategy.central_storage.compute_devices=" + two},
        {"linear.cannery",
         {},
         "strategy.central_storage.parameter_device=GPU:0",
         "spec.gpu_of_central_storage"},
        {"linear.cannery", {}, workers + "implementation=RING", "spec.ring_is_not_exact"},
        {"linear.cannery",
         {workers + "implementation=RING", "strategy.reduce=fast"},
         "strategy.reduce=exact",
         "spec.ring_is_not_exact"},
        {"linear.cannery", {}, "strategy.virtual_shards=2"},
        {"dnn.cannery",
         {"estimator.dnn_classifier.batch_norm=true", "strategy.virtual_shards=2"},
         "strategy.batch_norm_scope=global"},
        {"linear.cannery", {"strategy.virtual_shards=2"}, "train_spec.input.shard=own_seed"},
        {"linear.cannery",
         {"eval_spec.input.batch_size=1", "eval_spec.steps=1"},
         "run_config.eval_distribute.mirrored.devices=" + two},
    };
}

std::vector<SchemaReading> ofWarmStarts()
{
    const std::string words = "warm_start.var_name_to_vocab_info[0].";
    const std::string renamed = "warm_start.var_name_to_prev_var_name[0].";
    return {
        {"warm.cannery", {}, "warm_start.ckpt_to_initialize_from=second"},
        {"warm.cannery", {}, "warm_start.pattern=.*"},
        {"warm.cannery",
         {"warm_start={ ckpt_to_initialize_from: \"first\" variables { pattern: "
          "\"linear/linear_model/x/.*\" } }"},
         "warm_start.variables.pattern=[\"linear/linear_model/bias.*\"]"},
        {"warm.cannery", {}, "warm_start.none={}"},
        {"warm.cannery", {}, words + "new_vocab=words2.txt"},
        {"warm.cannery", {}, words + "new_vocab_size=1", "train.warm_start_words"},
        {"warm.cannery", {}, words + "num_oov_buckets=2", "train.warm_start_words"},
        {"warm.cannery", {}, words + "old_vocab=words2.txt"},
        {"warm.cannery", {}, words + "backup_initializer.ones={}"},
        {"warm.cannery", {}, words + "axis=1", "train.warm_start_words"},
        {"warm.cannery",
         {},
         words + "var_name=linear/linear_model/y/weights",
         "train.warm_start_unused"},
        {"warm.cannery",
         {},
         renamed + "var_name=linear/linear_model/y/weights",
         "train.warm_start_unused"},
        {"warm.cannery",
         {},
         renamed + "prev_var_name=linear/linear_model/y/weights",
         "train.warm_start_words"},
    };
}

std::vector<SchemaReading> ofExporters()
{
    std::vector<SchemaReading> all;
    const std::string exporter = "eval_spec.exporter[0].";
    const std::vector<std::vector<std::string>> kinds{
        {"linear_estimator.cannery", "latest_exporter"},
        {"dnn.cannery", "best_exporter"},
        {"dnn_regressor.cannery", "final_exporter"}};
    for (const auto& kind : kinds) {
        const std::string at = exporter + kind[1] + ".";
        all.push_back({kind[0], {}, at + "name=mine"});
        all.push_back({kind[0], {}, at + "receiver=raw"});
        all.push_back({kind[0], {}, at + "as_text=true"});
        all.push_back({kind[0], {}, at + "warmup_rows=3"});
        all.push_back({kind[0], {}, at + "assets_extra[0].name=other"});
        all.push_back({kind[0], {}, at + "assets_extra[0].file=numbers.csv"});
        all.push_back({kind[0],
                       {at + "receiver=raw"},
                       at + "receiver_features=[\"x\", \"y\", \"colour\", \"id\", \"shade\"]"});
    }
    all.push_back({"linear_estimator.cannery",
                   {kLonger, kOften},
                   exporter + "latest_exporter.exports_to_keep=2"});
    all.push_back({"dnn.cannery",
                   {kLonger, kOften, exporter + "best_exporter.exports_to_keep=0"},
                   exporter + "best_exporter.exports_to_keep=1"});
    all.push_back({"dnn.cannery",
                   {kLonger, kOften, exporter + "best_exporter.exports_to_keep=0"},
                   exporter + "best_exporter.metric=accuracy"});
    all.push_back({"dnn.cannery",
                   {kLonger, kOften, exporter + "best_exporter.exports_to_keep=0"},
                   exporter + "best_exporter.higher_is_better=true"});
    return all;
}

/// Evaluations after every step, so that a hook has something to check.
std::vector<SchemaReading> ofHooks()
{
    const std::string hook = "train_spec.hook[0].";
    const std::string lower = hook + "stop_if_lower_hook.";
    const std::string change = hook + "stop_if_no_decrease_hook.";
    const auto given = [&](const std::string& kind) {
        return std::vector<std::string>{"train_spec.max_steps=20",
                                        "run_config.save_checkpoints_secs=", kOften,
                                        "train_spec.hook=[{ " + kind + " }]"};
    };
    const auto below = given("stop_if_lower_hook { metric_name: \"loss\" threshold: 1000 "
                             "min_steps: 3 run_every_steps: 1 }");
    const auto belowBySeconds = given("stop_if_lower_hook { metric_name: \"loss\" threshold: 1000 "
                                      "min_steps: 3 run_every_secs: 5 }");
    const auto still = given("stop_if_no_decrease_hook { metric_name: \"label/mean\" "
                             "max_steps_without_change: 2 min_steps: 3 run_every_steps: 1 }");
    const auto stillBySeconds = given("stop_if_no_decrease_hook { metric_name: \"label/mean\" "
                                      "max_steps_without_change: 2 run_every_secs: 5 }");
    return {
        {"linear_regressor.cannery", below, lower + "threshold=-1"},
        {"linear_regressor.cannery", below, lower + "min_steps=9"},
        {"linear_regressor.cannery", below, lower + "run_every_steps=7"},
        {"linear_regressor.cannery", below, lower + "metric_name=nothing", "train.unknown_metric"},
        {"linear_regressor.cannery", belowBySeconds, lower + "run_every_secs=9"},
        {"dnn_regressor.cannery", still, change + "max_steps_without_change=9"},
        {"dnn_regressor.cannery", still, change + "min_steps=12"},
        {"dnn_regressor.cannery", still, change + "run_every_steps=7"},
        {"dnn_regressor.cannery", still, change + "metric_name=nothing", "train.unknown_metric"},
        {"dnn_regressor.cannery", stillBySeconds, change + "run_every_secs=11"},
        {"linear_estimator.cannery",
         given("stop_if_higher_hook { metric_name: \"loss\" threshold: 0 run_every_steps: 1 }"),
         hook + "stop_if_higher_hook.threshold=1000"},
        {"dnn.cannery",
         given("stop_if_no_increase_hook { metric_name: \"loss\" max_steps_without_change: 2 "
               "run_every_steps: 1 }"),
         hook + "stop_if_no_increase_hook.max_steps_without_change=12"},
    };
}

/// Hooks that do not end training, and programs around its checkpoints.
std::vector<SchemaReading> ofObservers()
{
    const std::string profiler = "train_spec.hook[1].profiler_hook.";
    const std::string live = "train_spec.hook[1].in_memory_evaluator_hook.";
    const std::string listener = "train_spec.saving_listener[0].";
    const auto listens = [](const std::string& program) {
        return std::vector<std::string>{
            kLonger, "train_spec.saving_listener=[{ command: " + program + " }]"};
    };
    const auto notes = listens(R"(["cp", "words.txt", "{model_dir}/program-{global_step}"])");
    const auto fails = listens(R"(["false"])");
    const auto sleeps = listens(R"(["sleep", "1.5"] when: begin stop_on_failure: true)");
    return {
        {"linear_estimator.cannery", {}, profiler + "save_steps=2"},
        {"dnn.cannery", {kLonger}, profiler + "save_secs=3"},
        {"dnn.cannery", {}, profiler + "output_dir=elsewhere"},
        {"dnn_regressor.cannery", {kLonger}, live + "every_n_iter=5"},
        {"dnn_regressor.cannery", {"eval_spec.input.batch_size=1"}, live + "steps=2"},
        {"dnn_regressor.cannery", {}, live + "name=another"},
        {"linear.cannery", notes, listener + "when=end"},
        {"linear.cannery", notes, listener + "command[1]=numbers.csv"},
        {"linear.cannery", fails, listener + "stop_on_failure=true"},
        {"linear.cannery", sleeps, listener + "timeout_secs=1"},
        {"linear.cannery", {}, "run_config.checkpoint_save_graph_def=false"},
    };
}

} // namespace

std::vector<SchemaReading> readingsOfTraining()
{
    return joined({ofSpecs(), ofMetrics(), ofStrategies(), ofWarmStarts(), ofExporters(), ofHooks(),
                   ofObservers()});
}

} // namespace cannery::tests
