// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings.h"

namespace cannery::tests {

namespace {

const std::string kTable = "data.train.csv.files=";
const std::string kNumberX = "data.column[0]={ name: \"x\" dtype: float32 default_value: \"0.5\" }";
const std::string kLast = "eval_spec.exporter=[{ final_exporter {} }]";
const std::string kLonger = "train_spec.max_steps=8";
const std::string kOften = "run_config.save_checkpoints_steps=1";
const std::string kConstantRate = ".learning_rate_schedule=";
const std::string kToneLabel = "data.label.column=tone";
const std::string kClassLabel = "data.label.column=class";
const std::string kColours = "=[\"red\", \"green\", \"blue\"]";
const std::string kOtherColours = "=[\"blue\", \"green\", \"red\"]";

std::vector<SchemaReading> ofData()
{
    const std::string byColumn = "data.split={ by_column { column: \"id\" eval_values: [\"1\"] } }";
    const std::string headless = R"(data.train.csv={ files: "headless.csv" header: false
column_names: ["x", "y", "colour", "shade", "id", "label", "class", "tags", "amount", "rate", "words", "words2", "weights", "weights2", "word", "tags2", "tone"] })";
    return {
        {"linear.cannery", {}, kTable + "[\"other.csv\"]"},
        {"linear.cannery",
         {"data.split=", "data.eval={ csv { files: \"numbers.csv\" } }"},
         "data.eval.csv.files=[\"other.csv\"]"},
        {"linear.cannery", {byColumn}, "data.split.by_column.column=class"},
        {"linear.cannery", {byColumn}, "data.split.by_column.eval_values=[\"2\"]"},
        {"linear.cannery", {}, "data.train.csv.field_delim=;", "data.no_such_column"},
        {"linear.cannery",
         {kTable + "[\"quotes.csv\"]", "estimator.linear_classifier.feature_columns=[h]"},
         "data.train.csv.use_quote_delim=false"},
        {"linear.cannery", {headless}, "data.train.csv.header=true"},
        {"linear.cannery",
         {headless},
         R"(data.train.csv.column_names=["y", "x", "colour", "shade", "id", "label", "class", "tags", "amount", "rate", "words", "words2", "weights", "weights2", "word", "tags2", "tone"])"},
        {"linear.cannery",
         {kTable + "[\"odd.csv\"]", kNumberX, "data.bad_rows=SKIP"},
         "data.train.csv.na_value=[\"?\"]"},
        {"linear.cannery",
         {kTable + "[\"umlauts.csv\"]", "estimator.linear_classifier.feature_columns=[h]"},
         "data.train.csv.encoding=latin1"},
        {"linear.cannery",
         {kTable + "[\"odd.csv\"]", kNumberX, "data.bad_rows=SKIP"},
         "data.bad_rows=FAIL",
         "csv.not_a_number"},
        {"linear.cannery", {}, "data.key_column=[\"x\"]", "spec.key_as_feature"},
        {"linear_regressor.cannery", {}, "data.label.column=rate"},
        {"linear_regressor.cannery",
         {"data.label={ columns { column: [\"amount\", \"rate\"] } }",
          "estimator.linear_regressor.label_dimension=2"},
         "data.label.columns.column=[\"rate\", \"amount\"]"},
        {"dnn_estimator.cannery", {}, "data.label.split.column=tags2"},
        {"dnn_estimator.cannery", {}, "data.label.split.separator=#", "data.bad_piece"},
        {"dnn_estimator.cannery", {}, "data.label.split.dtype=string", "features.label_type"},
        {"combined_estimator.cannery",
         {},
         "data.label.heads.head[0].name=q",
         "spec.label_unknown_head"},
        {"combined_estimator.cannery", {}, "data.label.heads.head[0].column=label"},
        {"combined_estimator.cannery",
         {"data.label.heads.head[0]={ name: \"r\" columns { column: \"amount\" } }"},
         "data.label.heads.head[0].columns.column=[\"label\"]"},
        {"combined_estimator.cannery",
         {"data.label.heads.head=[{ name: \"m\" split { column: \"tags\" separator: \"|\" dtype: "
          "int64 } }]",
          "estimator.dnn_linear_combined_estimator.head={ multi_head { heads { multi_label_head { "
          "name: \"m\" n_classes: 3 } } } }"},
         "data.label.heads.head[0].split.column=tags2"},
        {"linear.cannery",
         {kTable + "[\"gaps.csv\"]", "feature_column[x].numeric_column.default_value="},
         "data.column[0].default_value=0.9"},
        {"linear.cannery",
         {kTable + "[\"gaps.csv\"]", "feature_column[x].numeric_column.default_value="},
         "data.column[0].name=y",
         "features.missing_number"},
        {"linear.cannery",
         {kTable + "[\"odd.csv\"]", kNumberX, "data.column[0].missing_token=[\"?\"]",
          "data.bad_rows=SKIP"},
         "data.column[0].missing_token=[\"!\"]"},
        {"linear.cannery",
         {"data.column[1]={ name: \"id\" dtype: int64 }"},
         "data.column[1].dtype=string",
         "features.category_type"},
        {"linear_regressor.cannery", {}, "data.feature[0].stack.columns=[\"y\", \"x\"]"},
        {"linear_regressor.cannery", {}, "data.feature[0].stack.shape=[3]", "spec.stack_shape"},
        {"linear_regressor.cannery",
         {"data.column="},
         "data.feature[0].stack.dtype=int64",
         "csv.not_a_number"},
        {"linear_regressor.cannery", {}, "data.feature[0].name=duo", "data.no_such_feature"},
        {"linear.cannery",
         {"estimator.linear_classifier.feature_columns=[t]"},
         "data.feature[words].split.column=tags"},
    };
}

std::vector<SchemaReading> ofColumns()
{
    const std::string columns = "estimator.linear_classifier.feature_columns=";
    const std::string words = columns + "[\"t\"]";
    const std::string inputs = "estimator.dnn_classifier.feature_columns=";
    const std::string table = "feature_column[e0].embedding_column";
    const std::string shared = "feature_column[s].shared_embeddings";
    const std::string weights =
        "dnn/input_from_feature_columns/input_layer/colour_embedding/embedding_weights";
    const std::string unsafe = "feature_column[e6].embedding_column.use_safe_embedding_lookup";
    return {
        {"linear.cannery", {}, "feature_column[x].name=xx", "spec.dangling_column"},
        {"dnn_regressor.cannery", {}, "feature_column[z].numeric_column.key=x"},
        {"linear_regressor.cannery", {kLast}, "feature_column[pair].numeric_column.shape=[1, 2]"},
        {"linear.cannery",
         {kTable + "[\"gaps.csv\"]", "data.column="},
         "feature_column[x].numeric_column.default_value=[0.9]"},
        {"linear_regressor.cannery", {kLast}, "feature_column[m].numeric_column.dtype=int64"},
        {"linear.cannery", {}, "feature_column[b].bucketized_column.source_column=z"},
        {"linear.cannery", {}, "data.split.fraction.eval_fraction=0.5"},
        {"linear.cannery", {}, "feature_column[b].bucketized_column.boundaries=[0, 0.5]"},
        {"linear.cannery",
         {columns + "[\"w2\"]"},
         "feature_column[w2].categorical_column_with_vocabulary_list.num_oov_buckets=2"},
        {"linear.cannery",
         {},
         "feature_column[v].categorical_column_with_vocabulary_list.key=shade"},
        {"linear.cannery",
         {},
         "feature_column[v].categorical_column_with_vocabulary_list.vocabulary_list=[\"green\", "
         "\"red\"]"},
        {"linear.cannery",
         {"feature_column[v].categorical_column_with_vocabulary_list={ key: \"label\" "
          "vocabulary_list: [\"0\", \"1\"] dtype: int64 }"},
         "feature_column[v].categorical_column_with_vocabulary_list.dtype=string",
         "features.category_type"},
        {"linear_regressor.cannery",
         {},
         "feature_column[f].categorical_column_with_vocabulary_file.key=shade"},
        {"linear_regressor.cannery",
         {},
         "feature_column[f].categorical_column_with_vocabulary_file.vocabulary_file=words2.txt"},
        {"linear_regressor.cannery",
         {"feature_column[f].categorical_column_with_vocabulary_file={ key: \"id\" "
          "vocabulary_file: \"ids.txt\" dtype: int64 default_value: 0 }"},
         "feature_column[f].categorical_column_with_vocabulary_file.dtype=string",
         "features.category_type"},
        {"combined.cannery", {}, "feature_column[h].categorical_column_with_hash_bucket.key=shade"},
        {"combined.cannery",
         {"feature_column[h].categorical_column_with_hash_bucket={ key: \"id\" hash_bucket_size: 7 "
          "dtype: int64 }"},
         "feature_column[h].categorical_column_with_hash_bucket.dtype=string",
         "features.category_type"},
        {"linear.cannery", {}, "feature_column[i].categorical_column_with_identity.key=label"},
        {"linear.cannery",
         {"feature_column[i].categorical_column_with_identity.num_buckets=2"},
         "feature_column[i].categorical_column_with_identity.default_value=1"},
        {"linear.cannery", {}, "feature_column[c].crossed_column.key[0].feature=shade"},
        {"linear.cannery",
         {"feature_column[c].crossed_column.key[1]={ column: \"v\" }"},
         "feature_column[c].crossed_column.key[1].column=i"},
        {"linear.cannery",
         {columns + "[\"u\"]"},
         "feature_column[u].weighted_categorical_column.categorical_column=t2"},
        {"linear.cannery",
         {columns + "[\"u\"]"},
         "feature_column[u].weighted_categorical_column.weight_feature_key=weights2"},
        {"linear.cannery",
         {columns + "[\"u\"]"},
         "feature_column[u].weighted_categorical_column.dtype=int64",
         "features.weight_dtype"},
        {"dnn.cannery",
         {inputs + "[\"n\"]"},
         "feature_column[n].indicator_column.categorical_column=i"},
        {"dnn.cannery", {}, table + ".categorical_column=b"},
        {"dnn.cannery", {table + ".categorical_column=t"}, table + ".combiner=sum"},
        {"dnn.cannery", {table + ".initializer="}, table + ".initializer.zeros={}"},
        {"dnn.cannery", {table + ".initializer="}, table + ".initializer.ones={}"},
        {"dnn.cannery", {table + ".initializer="}, table + ".initializer.glorot_uniform={}"},
        {"dnn.cannery",
         {table + ".ckpt_to_load_from=first_dnn", table + ".tensor_name_in_ckpt=" + weights},
         table + ".ckpt_to_load_from=second_dnn"},
        {"dnn.cannery",
         {table + ".ckpt_to_load_from=first_dnn", table + ".tensor_name_in_ckpt=" + weights},
         table + ".tensor_name_in_ckpt=dnn/hiddenlayer_1/kernel",
         "checkpoint.mismatch"},
        {"dnn.cannery", {inputs + "[\"e6\"]"}, unsafe + "=false"},
        {"dnn_estimator.cannery", {}, shared + ".categorical_columns=[\"g2\", \"w2\"]"},
        {"dnn_estimator.cannery",
         {shared + ".categorical_columns=[\"t\", \"t2\"]"},
         shared + ".combiner=sum"},
        {"dnn_estimator.cannery", {}, shared + ".initializer.zeros={}"},
        {"dnn_estimator.cannery", {}, shared + ".shared_embedding_collection_name=colours"},
        {"dnn_estimator.cannery",
         {shared + ".ckpt_to_load_from=first_shared", shared + ".tensor_name_in_ckpt=colours"},
         shared + ".ckpt_to_load_from=second_shared"},
        {"dnn_estimator.cannery",
         {shared + ".ckpt_to_load_from=first_shared", shared + ".tensor_name_in_ckpt=colours"},
         shared + ".tensor_name_in_ckpt=dnn/hiddenlayer_0/kernel",
         "checkpoint.mismatch"},
        {"dnn_estimator.cannery", {kLast}, shared + ".use_safe_embedding_lookup=false"},
    };
}

/// What several estimators and heads have alike: `at` is the estimator or the head.
void addOfRows(std::vector<SchemaReading>& all, const std::string& experiment,
               const std::string& at)
{
    all.push_back({experiment, {}, at + ".weight_column.feature=rate"});
}

void addOfNamedClasses(std::vector<SchemaReading>& all, const std::string& experiment,
                       const std::string& at)
{
    all.push_back({experiment,
                   {kToneLabel, at + ".label_vocabulary" + kColours},
                   at + ".label_vocabulary" + kOtherColours});
}

std::vector<SchemaReading> ofEstimators()
{
    std::vector<SchemaReading> all;
    const std::string e = "estimator.";
    const std::string linear = e + "linear_classifier";
    const std::string combined = e + "dnn_linear_combined_";
    addOfRows(all, "linear.cannery", linear);
    addOfRows(all, "linear_regressor.cannery", e + "linear_regressor");
    addOfRows(all, "dnn.cannery", e + "dnn_classifier");
    addOfRows(all, "dnn_regressor.cannery", e + "dnn_regressor");
    addOfRows(all, "combined.cannery", combined + "classifier");
    addOfRows(all, "combined_regressor.cannery", combined + "regressor");
    addOfRows(all, "baseline.cannery", e + "baseline_classifier");
    addOfRows(all, "baseline_regressor.cannery", e + "baseline_regressor");
    all.push_back({"linear.cannery", {}, linear + ".weight_column.column=x"});
    addOfNamedClasses(all, "linear.cannery", linear);
    addOfNamedClasses(all, "combined.cannery", combined + "classifier");
    addOfNamedClasses(all, "baseline.cannery", e + "baseline_classifier");
    all.push_back({"dnn.cannery",
                   {kToneLabel, e + "dnn_classifier.n_classes=3",
                    e + "dnn_classifier.label_vocabulary" + kColours},
                   e + "dnn_classifier.label_vocabulary" + kOtherColours});
    const std::vector<std::vector<std::string>> columnLists{
        {"linear.cannery", linear + ".feature_columns=", "t"},
        {"linear_regressor.cannery", e + "linear_regressor.feature_columns=", "t"},
        {"linear_estimator.cannery", e + "linear_estimator.feature_columns=", "t"},
        {"combined.cannery", combined + "classifier.linear_feature_columns=", "t"},
        {"combined_regressor.cannery", combined + "regressor.linear_feature_columns=", "t"},
        {"combined_estimator.cannery", combined + "estimator.linear_feature_columns=", "t"},
        {"dnn.cannery", e + "dnn_classifier.feature_columns=", "e6"},
        {"dnn_regressor.cannery", e + "dnn_regressor.feature_columns=", "e6"},
        {"dnn_estimator.cannery", e + "dnn_estimator.feature_columns=", "e6"},
        {"combined.cannery", combined + "classifier.dnn_feature_columns=", "e6"},
        {"combined_regressor.cannery", combined + "regressor.dnn_feature_columns=", "e6"},
        {"combined_estimator.cannery", combined + "estimator.dnn_feature_columns=", "e6"}};
    for (const auto& list : columnLists) {
        const std::string& path = list[1];
        all.push_back({list[0], {}, path + "[\"" + list[2] + "\"]"});
        if (list[2] == "t") {
            const std::string at = path.substr(0, path.find("feature_columns"));
            all.push_back({list[0], {path + "[\"t\"]"}, at + "sparse_combiner=mean"});
        }
    }
    for (const char* path : {"linear_regressor", "dnn_regressor", "dnn_linear_combined_regressor",
                             "baseline_regressor"}) {
        const std::string name = path;
        const std::string file =
            name == "dnn_linear_combined_regressor" ? "combined_regressor" : name;
        all.push_back({file + ".cannery", {}, e + name + ".label_dimension=2", "spec.label_size"});
    }
    return all;
}

std::vector<SchemaReading> ofHeads()
{
    std::vector<SchemaReading> all;
    const std::string linear = "estimator.linear_estimator.head";
    const std::string dnn = "estimator.dnn_estimator.head.multi_label_head";
    const std::string baseline = "estimator.baseline_estimator.head.multi_class_head";
    const std::string both = "estimator.dnn_linear_combined_estimator.head.multi_head.heads";
    const std::string logistic = linear + "={ logistic_regression_head {} }";
    addOfRows(all, "linear_estimator.cannery", linear + ".binary_class_head");
    addOfRows(all, "dnn_estimator.cannery", dnn);
    addOfRows(all, "baseline_estimator.cannery", baseline);
    all.push_back(
        {"combined_estimator.cannery", {}, both + "[0].regression_head.weight_column.feature=id"});
    all.push_back({"combined_estimator.cannery",
                   {},
                   both + "[1].poisson_regression_head.weight_column.feature=id"});
    addOfNamedClasses(all, "baseline_estimator.cannery", baseline);
    all.push_back({"linear_estimator.cannery",
                   {logistic},
                   linear + ".logistic_regression_head.weight_column.feature=rate"});
    all.push_back({"linear_estimator.cannery",
                   {logistic},
                   linear + ".logistic_regression_head.loss_reduction=SUM"});
    all.push_back(
        {"linear_estimator.cannery", {logistic}, linear + ".logistic_regression_head.name=sure"});
    all.push_back({"linear_estimator.cannery", {}, linear + ".binary_class_head.name=sure"});
    all.push_back({"linear_estimator.cannery",
                   {"data.label.column=word",
                    linear + ".binary_class_head.label_vocabulary=[\"no\", \"yes\"]"},
                   linear + ".binary_class_head.label_vocabulary=[\"yes\", \"no\"]"});
    for (const char* kind : {"regression_head", "poisson_regression_head"}) {
        all.push_back({"linear_estimator.cannery",
                       {kClassLabel, linear + "={ " + kind + " {} }"},
                       linear + "." + kind + ".loss_reduction=SUM"});
    }
    all.push_back({"linear_estimator.cannery",
                   {kClassLabel, linear + "={ poisson_regression_head {} }"},
                   linear + ".poisson_regression_head.compute_full_loss=false"});
    all.push_back({"dnn_estimator.cannery", {}, dnn + ".name=sure"});
    all.push_back({"dnn_estimator.cannery", {}, dnn + ".classes_for_class_based_metrics=[\"1\"]"});
    all.push_back({"dnn_estimator.cannery",
                   {"data.label.split.column=word", "data.label.split.dtype=string",
                    dnn + ".label_vocabulary=[\"no\", \"yes\", \"perhaps\"]"},
                   dnn + ".label_vocabulary=[\"yes\", \"no\", \"perhaps\"]"});
    all.push_back({"baseline_estimator.cannery", {}, baseline + ".name=sure"});
    all.push_back({"combined_estimator.cannery",
                   {},
                   both + "[0].regression_head.name=q",
                   "spec.label_unknown_head"});
    all.push_back({"combined_estimator.cannery",
                   {},
                   both + "[1].poisson_regression_head.name=q",
                   "spec.label_unknown_head"});
    all.push_back({"combined_estimator.cannery",
                   {},
                   both + "[0].regression_head.label_dimension=2",
                   "spec.label_size"});
    all.push_back({"combined_estimator.cannery",
                   {},
                   both + "[1].poisson_regression_head.label_dimension=2",
                   "spec.label_size"});
    return all;
}

std::vector<SchemaReading> ofOptimizers()
{
    const std::string linear = "estimator.linear_classifier.optimizer";
    const std::string adagrad = "estimator.linear_estimator.optimizer";
    const std::string adam = "estimator.dnn_classifier.optimizer";
    const std::string rmsprop = "estimator.dnn_estimator.optimizer";
    const std::string cycle = adagrad + ".learning_rate_schedule.polynomial_decay.cycle=true";
    return {
        {"linear_estimator.cannery",
         {adagrad + kConstantRate},
         adagrad + ".adagrad.learning_rate=0.3"},
        {"dnn.cannery", {adam + kConstantRate}, adam + ".adam.learning_rate=0.3"},
        {"dnn_estimator.cannery",
         {rmsprop + kConstantRate},
         rmsprop + ".rmsprop.learning_rate=0.3"},
        {"dnn.cannery", {kLonger, "train_spec.max_steps=30"}, adam + ".adam.amsgrad=true"},
        {"linear_estimator.cannery", {kLonger}, cycle},
        {"dnn_estimator.cannery", {}, "estimator.dnn_estimator.optimizer.clipnorm=0.001"},
        {"linear.cannery", {}, linear + ".clipvalue=0.001"},
        {"linear.cannery", {}, linear + ".global_clipnorm=0.001"},
        {"combined.cannery",
         {},
         "estimator.dnn_linear_combined_classifier.linear_optimizer.ftrl.learning_rate=0.3"},
        {"combined_regressor.cannery",
         {},
         "estimator.dnn_linear_combined_regressor.linear_optimizer.ftrl.learning_rate=0.3"},
        {"combined_estimator.cannery",
         {},
         "estimator.dnn_linear_combined_estimator.linear_optimizer.ftrl.learning_rate=0.3"},
        {"combined_estimator.cannery",
         {},
         "estimator.dnn_linear_combined_estimator.dnn_optimizer.sgd.learning_rate=0.3"},
        {"baseline_regressor.cannery",
         {},
         "estimator.baseline_regressor.optimizer.ftrl.learning_rate=0.7"},
        {"baseline_estimator.cannery",
         {},
         "estimator.baseline_estimator.optimizer.ftrl.learning_rate=0.7"},
    };
}

std::vector<SchemaReading> ofTraining()
{
    const std::string exporter = "eval_spec.exporter[0].";
    const std::string words = "warm_start.var_name_to_vocab_info[0].";
    const std::string renamed = "warm_start.var_name_to_prev_var_name[0].";
    std::vector<SchemaReading> all{
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
        {"linear.cannery", {}, "run_config.cache_memory_mb=0", "features.cache"},
        {"warm.cannery", {}, "warm_start.ckpt_to_initialize_from=second"},
        {"warm.cannery", {}, "warm_start.pattern=.*"},
        {"warm.cannery",
         {"warm_start={ ckpt_to_initialize_from: \"first\" variables { pattern: "
          "\"linear/linear_model/x/.*\" } }"},
         "warm_start.variables.pattern=[\"linear/linear_model/bias.*\"]"},
        {"warm.cannery", {}, "warm_start.none={}"},
        {"warm.cannery", {}, words + "new_vocab=words2.txt"},
        {"warm.cannery", {}, words + "new_vocab_size=1", "train.warm_start_shape"},
        {"warm.cannery", {}, words + "num_oov_buckets=2", "train.warm_start_shape"},
        {"warm.cannery", {}, words + "old_vocab=words2.txt"},
        {"warm.cannery", {}, words + "backup_initializer.ones={}"},
        {"warm.cannery", {}, words + "axis=1", "train.warm_start_shape"},
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
         "train.warm_start_shape"},
    };
    const std::vector<std::vector<std::string>> kinds{
        {"linear_estimator.cannery", "latest_exporter"},
        {"dnn.cannery", "best_exporter"},
        {"dnn_regressor.cannery", "final_exporter"}};
    for (const auto& kind : kinds) {
        const std::string at = exporter + kind[1] + ".";
        all.push_back({kind[0], {}, at + "name=mine"});
        all.push_back({kind[0], {}, at + "receiver=raw"});
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

/// Evaluations after every step, so that a hook has what to look at.
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

} // namespace

const std::vector<SchemaReading>& schemaReadings()
{
    static const std::vector<SchemaReading> s_all = [] {
        std::vector<SchemaReading> all;
        for (auto* part :
             {ofData, ofColumns, ofEstimators, ofHeads, ofOptimizers, ofTraining, ofHooks}) {
            const std::vector<SchemaReading> readings = part();
            all.insert(all.end(), readings.begin(), readings.end());
        }
        return all;
    }();
    return s_all;
}

const std::vector<InertField>& inertFields()
{
    constexpr const char* kStrategy = "strategy={ one_device {} }";
    static const std::vector<InertField> s_all{
        {"Experiment.name", "what people call it", "name=another"},
        {"Experiment.description", "a note", "description=another"},
        {"Experiment.strategy", "there is one strategy yet, which it says", kStrategy},
        {"Strategy.one_device", "as above", kStrategy},
        {"EvalSpec.start_delay_secs", "as in TensorFlow's local training, which its help says",
         "eval_spec.start_delay_secs=9"},
    };
    return s_all;
}

void writeSchemaTables(const ProjectFixture& project)
{
    const QByteArray numbers = project.read("numbers.csv");
    QByteArray headless = numbers;
    project.write("headless.csv", headless.remove(0, headless.indexOf('\n') + 1));
    project.write("other.csv", QByteArray(numbers).replace("\n0.", "\n3."));
    project.write("quotes.csv", QByteArray(numbers).replace("red", "\"red\""));
    project.write("umlauts.csv", QByteArray(numbers).replace("green", "gr\u00fcn"));
    project.write("odd.csv", QByteArray(numbers).replace("\n0.4375", "\n?"));
    project.write("gaps.csv", QByteArray(numbers).replace("\n0.4375", "\n"));
    project.write("words2.txt", "green\nblue\n");
    project.write("ids.txt", "0\n1\n");
}

} // namespace cannery::tests
