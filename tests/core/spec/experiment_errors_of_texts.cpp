// SPDX-License-Identifier: Apache-2.0
#include "tests/core/spec/experiment_error_cases.h"

namespace cannery::tests {

namespace {

void addSyntaxCases()
{
    addRest("text never closed", "name: \"Titanic", "7:7 spec.text_not_closed []\n");
    addRest("bad escape", "name: \"a\\q\"", "7:9 spec.bad_escape []\n");
    addRest("bad number", "run_config { tf_random_seed: 12abc }", "7:30 spec.bad_number []\n");
    addRest("bad character", "name: \"a\" $", "7:11 spec.bad_character []\n");
    addRest("missing value", "name:\nstrategy { }", "7:1 spec.missing_value []\n");
    addRest("missing colon", "name \"a\"", "7:6 spec.missing_colon []\n");
    addRest("missing comma",
            "warm_start { ckpt_to_initialize_from: \"c\" variables { pattern: [\"a\" \"b\"] } }",
            "");
    addColumn("missing comma of numbers",
              "feature_column { name: \"b\" bucketized_column { source_column: \"age\" boundaries: "
              "[1 2] } }",
              "6:84 spec.missing_comma []\n");
    addColumn("trailing comma",
              "feature_column { name: \"b\" bucketized_column { source_column: \"age\" boundaries: "
              "[1, 2,] } }",
              "6:87 spec.empty_element []\n");
    addColumn("list never closed",
              "feature_column { name: \"b\" bucketized_column { source_column: \"age\" boundaries: "
              "[1, 2 } }",
              "6:81 spec.unclosed_list []\n");
    addRest("brace closes nothing", "}\nname: \"a\"", "7:1 spec.unopened_brace []\n");
    addRest("text never closed swallows braces",
            "run_config { threads: 2 }\nwarm_start { ckpt_to_initialize_from: \"c }\nname: \"a\"",
            "8:39 spec.text_not_closed []\n");
    addRest("misplaced field does not warn", "eval_spec { batch_size: 3 }",
            "7:1 spec.nothing_to_evaluate [eval_spec]\n"
            "7:13 spec.unknown_field [eval_spec.batch_size]\n");
    addRest("wrong brace", "strategy < }", "7:12 spec.wrong_brace []\n");
    addCase("brace never closed",
            "data {\n  train { csv { files: \"a.csv\" }\n  label { column: \"y\" }\n}\n"
            "train_spec { max_steps: 5 }\nestimator { baseline_classifier {} }\n",
            "2:9 spec.unclosed_brace []\n");
    addRest("expected a field", "17 name: \"a\"", "7:1 spec.expected_field []\n");
    addRest("problems after problems", "name: \"a\nrun_config { tf_random_seed: x }\nstrateg {}",
            "7:7 spec.text_not_closed []\n8:30 spec.wrong_type [run_config.tf_random_seed]\n"
            "9:1 spec.unknown_field [strateg]\n");
    addRest("columns count characters", "name: \"Zürich\" $", "7:16 spec.bad_character []\n");
}

void addTypeCases()
{
    addRest("unknown field", "run_config { tf_random_sed: 3 }",
            "7:14 spec.unknown_field [run_config.tf_random_sed]\n");
    addRest("unknown extension", "[a.b.c]: 3", "7:1 spec.unknown_field [[a.b.c]]\n");
    addRest("text for a number", "run_config { tf_random_seed: \"3\" }",
            "7:30 spec.wrong_type [run_config.tf_random_seed]\n");
    addRest("fraction for a whole number", "run_config { tf_random_seed: 3.5 }",
            "7:30 spec.wrong_type [run_config.tf_random_seed]\n");
    addRest("word for a text", "name: titanic", "7:7 spec.wrong_type [name]\n");
    addRest("number for a truth", "train_spec { input { shuffle: 2 } }",
            "7:1 spec.duplicate_field [train_spec]\n"
            "7:31 spec.wrong_type [train_spec.input.shuffle]\n");
    addRest("integer beyond 64 bits", "run_config { tf_random_seed: 9223372036854775808 }",
            "7:30 spec.integer_range [run_config.tf_random_seed]\n");
    addColumn("negative unsigned",
              "feature_column { name: \"x\" crossed_column { key { feature: \"a\" } key { feature: "
              "\"b\" } hash_bucket_size: 5 hash_key: -1 } }",
              "6:117 spec.integer_range [feature_column[x].crossed_column.hash_key]\n");
    addEstimator(
        "unknown enum value",
        "estimator { linear_classifier { feature_columns: \"age\" sparse_combiner: maen } }",
        "6:73 spec.unknown_enum [estimator.linear_classifier.sparse_combiner]\n");
    addRest("given twice", "name: \"a\"\nname: \"b\"", "8:1 spec.duplicate_field [name]\n");
    addCase("message given twice",
            kBase + kLinear + "run_config { tf_random_seed: 1 }\nrun_config { threads: x }\n",
            "8:1 spec.duplicate_field [run_config]\n8:23 spec.wrong_type [run_config.threads]\n");
    addEstimator(
        "two members of one oneof",
        "estimator { baseline_classifier {} linear_classifier { feature_columns: \"age\" } }",
        "6:36 spec.two_members [estimator.linear_classifier]\n");
    addRest("list for a single value", "name: [\"a\"]", "7:7 spec.not_a_list [name]\n");
    addRest("message for a value", "name { }", "7:6 spec.not_a_message [name]\n");
    addRest("value for a message", "strategy: 3", "7:11 spec.needs_message [strategy]\n");
    addEstimator(
        "element of a list",
        "estimator { dnn_classifier { hidden_units: [64, \"x\", 32] feature_columns: \"age\" } }",
        "6:49 spec.wrong_type [estimator.dnn_classifier.hidden_units[1]]\n");
    addColumn(
        "misspelt kind does not cascade",
        "feature_column { name: \"b\" bucketised_column { source_column: \"age\" boundaries: 1 } }",
        "6:28 spec.unknown_field [feature_column[b].bucketised_column]\n");
    addColumn(
        "misspelt required field does not cascade",
        "feature_column { name: \"b\" bucketized_column { source_colum: \"age\" boundaries: 1 } }",
        "6:48 spec.unknown_field [feature_column[b].bucketized_column.source_colum]\n");
}

void addDataCases()
{
    addCase("nothing at all", "", "1:1 spec.required [data]\n1:1 spec.required [estimator]\n");
    addCase("no rows, no label", "data {}\nestimator { baseline_classifier {} }\n",
            "1:1 spec.required [data.train]\n1:1 spec.required [data.label]\n");
    const std::string rest = "estimator { baseline_classifier {} }\ntrain_spec { max_steps: 1 }\n";
    const auto data = [&](const char* name, const std::string& fields,
                          const std::string& expected) {
        addCase(name, "data { " + fields + " }\n" + rest, expected);
    };
    const std::string train = "train { csv { files: \"a.csv\" } } ";
    const std::string label = "label { column: \"y\" } ";
    data("no files", "train { csv {} } " + label, "1:16 spec.too_few [data.train.csv.files]\n");
    data("empty file name", "train { csv { files: \"\" } } " + label,
         "1:29 spec.empty_text [data.train.csv.files[0]]\n");
    data("source without kind", "train {} " + label, "1:8 spec.member_required [data.train]\n");
    data("split and eval", train + label + "eval { csv { files: \"b\" } } split {}",
         "1:91 spec.split_and_eval [data.split]\n");
    data("share out of range", train + label + "split { fraction { eval_fraction: 1 } }",
         "1:97 spec.out_of_range [data.split.fraction.eval_fraction]\n");
    data("fold beyond the last", train + label + "split { fold { folds: 3 fold: 3 } }",
         "1:93 spec.fold [data.split.fold.fold]\n");
    data("a single fold", train + label + "split { fold { folds: 1 } }",
         "1:85 spec.out_of_range [data.split.fold.folds]\n");
    data("time split of nothing", train + label + "split { by_time {} }",
         "1:71 spec.required [data.split.by_time.column]\n"
         "1:71 spec.required [data.split.by_time.eval_from]\n");
    data("no such day",
         train + label + "split { by_time { column: \"t\" eval_from: \"2023-02-29\" } }",
         "1:104 spec.eval_from [data.split.by_time.eval_from]\n");
    data("unknown encoding", "train { csv { files: \"a\" encoding: cp1252 } } " + label,
         "1:43 spec.unknown_enum [data.train.csv.encoding]\n");
    data("unknown decimal mark", "train { csv { files: \"a\" decimal_mark: \",\" } } " + label,
         "1:47 spec.unknown_enum [data.train.csv.decimal_mark]\n");
    data("group mark of two letters",
         "train { csv { files: \"a\" } } column { name: \"x\" number_notation { group_mark: \"ab\" "
         "} } " +
             label,
         "1:86 spec.group_mark [data.column[x].number_notation.group_mark]\n");
    data(
        "group mark that is the decimal mark",
        "train { csv { files: \"a\" decimal_mark: comma } } column { name: \"x\" number_notation { "
        "group_mark: \",\" } } " +
            label,
        "1:106 spec.group_mark [data.column[x].number_notation.group_mark]\n");
    data("affix with a digit",
         "train { csv { files: \"a\" } } column { name: \"x\" number_notation { affix: [\"$\", "
         "\"m2\"] "
         "} } " +
             label,
         "1:87 spec.affix [data.column[x].number_notation.affix[1]]\n");
    data("long delimiter", "train { csv { files: \"a\" field_delim: \"::\" } } " + label,
         "1:46 spec.delimiter [data.train.csv.field_delim]\n");
    addRest("nothing to evaluate on", "eval_spec {}", "7:1 spec.nothing_to_evaluate [eval_spec]\n");
}

void addColumnCases()
{
    const std::string rest = "estimator { baseline_classifier {} }\ntrain_spec { max_steps: 1 }\n";
    const auto data = [&](const char* name, const std::string& fields,
                          const std::string& expected) {
        addCase(name, "data { " + fields + " }\n" + rest, expected);
    };
    const std::string train = "train { csv { files: \"a.csv\" } } ";
    const std::string label = "label { column: \"y\" } ";
    data("column name twice",
         "train { csv { files: \"a\" column_names: [\"y\", \"b\", \"b\"] } } " + label,
         "1:58 spec.duplicate_column [data.train.csv.column_names[2]]\n");
    data("label not in the column names",
         "train { csv { files: \"a\" column_names: [\"x\", \"z\"] } } label { column: \"y\" }",
         "1:78 spec.dangling_table_column [data.label.column]\n");
    data("made feature twice",
         train + label +
             "feature { name: \"f\" split { column: \"a\" } } feature { name: \"f\" split { "
             "column: \"b\" } }",
         "1:123 spec.duplicate_name [data.feature[1].name]\n");
    data("column twice", train + label + "column { name: \"a\" } column { name: \"a\" }",
         "1:99 spec.duplicate_name [data.column[1].name]\n");
    data("stack of another shape",
         train + label +
             "feature { name: \"f\" stack { columns: [\"a\", \"b\", \"c\"] shape: [2, 2] } }",
         "1:116 spec.stack_shape [data.feature[f].stack.shape]\n");
    addCase("picture of another shape",
            "data { train { image_folder { path: \"p\" height: 4 width: 5 } } " + label +
                "}\nfeature_column { name: \"i\" numeric_column { key: \"image\" shape: [4, 5] } "
                "}\n" +
                rest,
            "2:58 spec.feature_shape [feature_column[i].numeric_column.shape]\n");
    data("days since no time",
         train + label +
             "feature { name: \"f\" date_part { column: \"t\" part: days_since origin: \"May\" } }",
         "1:132 spec.date_origin [data.feature[f].date_part.origin]\n");
    data("months since a time",
         train + label +
             "feature { name: \"f\" date_part { column: \"t\" part: month origin: \"2024\" } }",
         "1:127 spec.unused_origin [data.feature[f].date_part.origin]\n");
    data("part of no date", train + label + "feature { name: \"f\" date_part { part: day } }",
         "1:83 spec.required [data.feature[f].date_part.column]\n");
    data("empty separator",
         train + label + "feature { name: \"f\" split { column: \"a\" separator: \"\" } }",
         "1:114 spec.separator [data.feature[f].split.separator]\n");
}

void addStrategyCases()
{
    addRest("device that is none", "strategy { mirrored { devices: [\"CPU:0\", \"disk:0\"] } }",
            "7:42 spec.device_name [strategy.mirrored.devices[1]]\n");
    addRest("graphics card", "strategy { central_storage { compute_devices: \"/gpu:0\" } }",
            "7:47 spec.gpu_of_central_storage [strategy.central_storage.compute_devices[0]]\n");
    addRest("several graphics cards", "strategy { mirrored { devices: [\"GPU:0\", \"gpu:1\"] } }",
            "");
    addRest("graphics card beside the processor",
            "strategy { mirrored { devices: [\"CPU:0\", \"GPU:0\"] } }",
            "7:23 spec.mixed_devices [strategy.mirrored.devices]\n");
    addRest("one replica on a graphics card",
            "strategy { mirrored { devices: \"GPU:0\" cross_device_ops: nccl_all_reduce } "
            "precision: mixed_bfloat16 }",
            "");
    addRest("device twice",
            "strategy { mirrored { devices: [\"/job:localhost/replica:0/task:0/device:CPU:1\", "
            "\"cpu:1\"] } }",
            "7:81 spec.device_twice [strategy.mirrored.devices[1]]\n");
    addRest("one device that is none", "strategy { one_device { device: \"disk:0\" } }",
            "7:33 spec.device_name [strategy.one_device.device]\n");
    addRest("one device, a graphics card",
            "strategy { one_device { device: \"/gpu:1\" } precision: tensor_float_32 }", "");
    addRest("one device, the faster one",
            "strategy { one_device { device: \"auto\" } precision: mixed_bfloat16 }", "");
    addRest("the faster of several devices", "strategy { mirrored { devices: \"auto\" } }",
            "7:32 spec.device_name [strategy.mirrored.devices[0]]\n");
}

void addPrecisionCases()
{
    addRest("precision of the processor",
            "strategy { one_device { device: \"CPU:0\" } precision: mixed_bfloat16 }",
            "7:54 spec.precision_of_cpu [strategy.precision]\n");
    addRest("precision of no device", "strategy { precision: tensor_float_32 }",
            "7:23 spec.precision_of_cpu [strategy.precision]\n");
    addRest("precision of workers",
            "strategy { multi_worker_mirrored {} precision: tensor_float_32 }",
            "7:48 spec.precision_of_cpu [strategy.precision]\n");
    addRest("shards of a graphics card",
            "strategy { one_device { device: \"GPU:0\" } virtual_shards: 4 }",
            "7:59 spec.virtual_shards_of_gpu [strategy.virtual_shards]\n");
}

void addSharingCases()
{
    addRest("variables on no device",
            "strategy { central_storage { parameter_device: \"GPU:0\" } }",
            "7:48 spec.gpu_of_central_storage [strategy.central_storage.parameter_device]\n");
    addRest("sums between graphics cards",
            "strategy { mirrored { devices: [\"CPU:0\", \"CPU:1\"] cross_device_ops: "
            "nccl_all_reduce } }",
            "7:69 spec.cross_device_ops [strategy.mirrored.cross_device_ops]\n");
    addRest("sums over links of graphics cards",
            "strategy { mirrored { cross_device_ops: hierarchical_copy_all_reduce } }",
            "7:41 spec.cross_device_ops [strategy.mirrored.cross_device_ops]\n");
    addRest("shards of the graphics cards of tasks",
            "strategy { multi_worker_mirrored { communication_options { implementation: NCCL } } "
            "virtual_shards: 4 }",
            "7:101 spec.virtual_shards_of_gpu [strategy.virtual_shards]\n");
    addRest("exact sums around a ring",
            "strategy { multi_worker_mirrored { communication_options { implementation: RING } } }",
            "7:76 spec.ring_is_not_exact "
            "[strategy.multi_worker_mirrored.communication_options.implementation]\n");
    addRest("shards that are no power of two", "strategy { virtual_shards: 6 }",
            "7:28 spec.virtual_shards_power [strategy.virtual_shards]\n");
    addRest(
        "fewer shards than replicas",
        "strategy { mirrored { devices: [\"CPU:0\", \"CPU:1\", \"CPU:2\"] } virtual_shards: 2 }",
        "7:78 spec.virtual_shards_few [strategy.virtual_shards]\n");
    addRest("batch normalization over workers of parameter servers",
            "strategy { parameter_server {} batch_norm_scope: global }",
            "7:50 spec.batch_norm_scope_of_servers [strategy.batch_norm_scope]\n");
    addRest("evaluations by several processes",
            "run_config { eval_distribute { multi_worker_mirrored {} } }",
            "7:32 spec.eval_distribute_of_processes "
            "[run_config.eval_distribute.multi_worker_mirrored]\n");
}

void addTrainingCases()
{
    addRest("two cadences", "run_config { save_checkpoints_steps: 5 save_checkpoints_secs: 5 }",
            "7:63 spec.two_checkpoint_cadences [run_config.save_checkpoints_secs]\n");
    addRest("no steps at all", "eval_spec { steps: -1 }",
            "7:1 spec.nothing_to_evaluate [eval_spec]\n7:20 spec.out_of_range [eval_spec.steps]\n");
    addCase("exporters of one name",
            "data { train { csv { files: \"a\" } } label { column: \"y\" } split {} }\n"
            "train_spec { max_steps: 1 }\nestimator { baseline_classifier {} }\n"
            "eval_spec { exporter { final_exporter { name: \"e\" } } exporter { best_exporter { "
            "name: \"e\" } } }\n",
            "4:88 spec.duplicate_exporter [eval_spec.exporter[1].best_exporter.name]\n");
    addCase("training without end",
            "data { train { csv { files: \"a\" } } label { column: \"y\" } }\n"
            "estimator { baseline_classifier {} }\ntrain_spec {}\n",
            "~3:1 spec.endless_training [train_spec]\n");
    const auto weights = [](const char* name, const std::string& estimator,
                            const std::string& label, const std::string& expected) {
        addCase(name,
                "data { train { csv { files: \"a\" } } label { column: \"y\" } }\n"
                "estimator { " +
                    estimator +
                    " }\ntrain_spec { max_steps: 1 class_weight { label: \"1\" weight: 2 } "
                    "class_weight { label: \"" +
                    label + "\" weight: 2 } }\n",
                expected);
    };
    const std::string first = "3:49 spec.";
    const std::string second = "3:87 spec.";
    const std::string at = "[train_spec.class_weight[";
    weights("good class weights", "baseline_classifier { n_classes: 3 }", "2", "");
    weights("two weights of a class", "baseline_classifier {}", "01",
            second + "class_weight_twice " + at + "1].label]\n");
    weights("weight of no class", "baseline_classifier {}", "2",
            second + "class_weight_class " + at + "1].label]\n");
    weights("weight of no word", "baseline_classifier { label_vocabulary: [\"1\", \"b\"] }", "0",
            second + "class_weight_class " + at + "1].label]\n");
    weights("class weights of numbers", "baseline_regressor {}", "0",
            first + "class_weight_head " + at + "0].label]\n" + second + "class_weight_head " + at +
                "1].label]\n");
    addCase("two cadences of a hook",
            "data { train { csv { files: \"a\" } } label { column: \"y\" } split {} }\n"
            "estimator { baseline_classifier {} }\n"
            "train_spec { hook { stop_if_lower_hook { metric_name: \"loss\" threshold: 1 "
            "run_every_secs: 5 run_every_steps: 5 } } }\n",
            "3:110 spec.two_hook_cadences "
            "[train_spec.hook[0].stop_if_lower_hook.run_every_steps]\n");
    addRest("warm start without checkpoint", "warm_start {}",
            "7:1 spec.required [warm_start.ckpt_to_initialize_from]\n");
}

/// `evaluation`: what the eval_spec in line 3 has.
void addEvaluation(const char* name, const std::string& estimator, const std::string& evaluation,
                   const std::string& expected, const std::string& label = "column: \"y\"")
{
    addCase(name,
            "data { train { csv { files: \"a\" } } label { " + label +
                " } split {} }\n"
                "estimator { " +
                estimator + " }\neval_spec { " + evaluation + " }\ntrain_spec { max_steps: 1 }\n",
            expected);
}

void addMetricCases()
{
    const std::string binary = "baseline_classifier {}";
    const std::string two = "baseline_estimator { head { multi_head { heads { binary_class_head { "
                            "name: \"a\" } } heads { regression_head { name: \"b\" } } } } }";
    const std::string labels =
        "heads { head { name: \"a\" column: \"y\" } head { name: \"b\" column: \"z\" } }";
    const std::string here = "3:13 spec.";
    addEvaluation("metrics that fit", binary,
                  "metric { f1_score {} } metric { name: \"f2\" f1_score { threshold: 0.1 } }", "");
    addEvaluation("metric of a head that fits", two, "metric { head: \"b\" r2_score {} }", "",
                  labels);
    addEvaluation("metric without kind", binary, "metric { name: \"m\" }",
                  here + "member_required [eval_spec.metric[m]]\n");
    addEvaluation("metric of other labels", "baseline_classifier { n_classes: 3 }",
                  "metric { auc {} }", here + "metric_head [eval_spec.metric[0]]\n");
    addEvaluation("metric of many classes", "baseline_classifier { n_classes: 501 }",
                  "metric { confusion_matrix {} }",
                  here + "metric_classes [eval_spec.metric[0]]\n");
    addEvaluation("metric called loss", binary, "metric { name: \"loss\" log_loss {} }",
                  "3:28 spec.metric_name_reserved [eval_spec.metric[loss].name]\n");
    addEvaluation("two metrics of one name", binary,
                  "metric { auc {} } metric { auc { curve: PR } }",
                  "3:31 spec.duplicate_metric [eval_spec.metric[1]]\n");
    addEvaluation("metric of another head", binary, "metric { head: \"b\" mean {} }",
                  "3:28 spec.metric_only_head [eval_spec.metric[0].head]\n");
    addEvaluation("metric of no head", two, "metric { mean {} }",
                  here + "metric_unnamed_head [eval_spec.metric[0]]\n", labels);
    addEvaluation("metric of an unknown head", two, "metric { head: \"c\" mean {} }",
                  "3:28 spec.metric_no_such_head [eval_spec.metric[0].head]\n", labels);
    addEvaluation("slice of one column twice", binary, "slice { columns: [\"x\", \"x\"] }",
                  "3:36 spec.slice_column_twice [eval_spec.slice[0].columns[1]]\n");
    addCase("metric without labels",
            "data { train { csv { files: \"a\" } } split {} }\n"
            "feature_column { name: \"x\" numeric_column { key: \"x\" } }\n"
            "eval_spec { metric { mean {} } }\n"
            "estimator { kmeans { num_clusters: 2 feature_columns: \"x\" } }\n"
            "train_spec { max_steps: 1 }\n",
            here + "metric_without_label [eval_spec.metric[0]]\n");
}

void addSweepCases()
{
    const std::string split = "data { train { csv { files: \"a.csv\" } } label { column: \"y\" } "
                              "split {} }\ntrain_spec { max_steps: 90 }\n"
                              "estimator { baseline_classifier {} }\n";
    const std::string batch = "parameter { field: \"train_spec.input.batch_size\" ";
    const auto sweep = [&](const char* name, const std::string& fields, const std::string& place,
                           const std::string& id, const std::string& path) {
        addCase(name, split + "sweep { " + fields + " }\n",
                place + " " + id + " [sweep" + path + "]\n");
    };
    sweep("sweep without a method", batch + "choice { value: \"8\" } }", "4:1",
          "spec.member_required", "");
    sweep("sweep of nothing", "grid {}", "4:1", "spec.sweep_nothing_varies", "");
    sweep("sweep of an unknown field",
          "grid {} parameter { field: \"train_spec.max_step\" choice { "
          "value: \"8\" } }",
          "4:36", "spec.unknown_field", ".parameter[0].field");
    sweep("sweep of a wrong value", "grid {} " + batch + "choice { value: [\"8\", \"0\"] } }",
          "4:88", "spec.out_of_range", ".parameter[0].choice.value[1]");
    sweep("sweep of a decimal comma",
          "grid {} parameter { field: \"train_spec.max_steps\" choice { value: \"1,5\" } }", "4:75",
          "spec.not_one_number", ".parameter[0].choice.value[0]");
    sweep("best of the worst",
          "grid {} metric: \"auc\" higher_is_better: false " + batch + "choice { value: \"8\" } }",
          "4:49", "spec.metric_direction", ".higher_is_better");
    sweep("sweep of itself",
          "grid {} parameter { field: \"sweep.metric\" choice { value: \"8\" } "
          "}",
          "4:36", "spec.sweep_may_not_vary", ".parameter[0].field");
    sweep("sweep of the folds",
          "k_fold {} parameter { field: \"data.split.fraction.seed\" choice { "
          "value: \"8\" } }",
          "4:38", "spec.sweep_may_not_vary", ".parameter[0].field");
    sweep("field in the sweep twice",
          "grid {} " + batch +
              "choice { value: \"8\" } } parameter { field: \"train_spec.input\" "
              "choice { value: \"{}\" } }",
          "4:109", "spec.sweep_varies_twice", ".parameter[1].field");
    sweep("range of a text", "grid {} parameter { field: \"name\" range { min: 1 max: 2 } }",
          "4:43", "spec.sweep_no_number", ".parameter[0].range");
    sweep("range of halves", "grid {} " + batch + "range { min: 1 max: 9 } }", "4:66",
          "spec.sweep_whole_numbers", ".parameter[0].range");
    sweep("range without whole numbers",
          "grid {} " + batch + "range { min: 1.2 max: 1.8 integer: true } }", "4:88",
          "spec.sweep_empty_range", ".parameter[0].range.max");
    sweep("logarithm of nothing",
          "grid {} " + batch + "range { min: 0 max: 8 integer: true log: true } }", "4:79",
          "spec.sweep_log", ".parameter[0].range.min");
    sweep("range beyond the field", "grid {} " + batch + "range { min: 0 max: 8 integer: true } }",
          "4:79", "spec.out_of_range", ".parameter[0].range.min");
    sweep("range beyond the last rung",
          "asha { min_steps: 90 } " + batch + "choice { value: \"8\" } }", "4:27",
          "spec.sweep_last_rung", ".asha.min_steps");
    addRest("sweep without evaluation", "sweep { grid {} " + batch + "choice { value: \"8\" } } }",
            "7:1 spec.sweep_nothing_to_compare [sweep]\n");
}

} // namespace

void addErrorsOfTexts()
{
    addSyntaxCases();
    addTypeCases();
    addDataCases();
    addColumnCases();
    addStrategyCases();
    addPrecisionCases();
    addSharingCases();
    addTrainingCases();
    addMetricCases();
    addSweepCases();
}

} // namespace cannery::tests
