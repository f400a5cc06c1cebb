// SPDX-License-Identifier: Apache-2.0
#include "tests/core/spec/experiment_error_cases.h"

namespace cannery::tests {

namespace {

/// A feature column "x" of this kind.
void addKind(const char* name, const std::string& kind, const std::string& place,
             const std::string& id, const std::string& path)
{
    addColumn(name, "feature_column { name: \"x\" " + kind + " }",
              "6:" + place + " " + id + " [feature_column[x]." + path + "]\n");
}

void addColumnsAndWhatTheyUse()
{
    addColumn("name taken", "feature_column { name: \"sex\" numeric_column { key: \"a\" } }",
              "6:24 spec.duplicate_name [feature_column[3].name]\n");
    addColumn("no name", "feature_column { numeric_column { key: \"a\" } }",
              "6:1 spec.required [feature_column[3].name]\n");
    addColumn("no kind", "feature_column { name: \"x\" }",
              "6:1 spec.member_required [feature_column[x]]\n");
    addKind("dangling", "indicator_column { categorical_column: \"sexx\" }", "67",
            "spec.dangling_column", "indicator_column.categorical_column");
    addKind("bucketized category", "bucketized_column { source_column: \"sex\" boundaries: 1 }",
            "63", "spec.source_not_numeric", "bucketized_column.source_column");
    addKind("boundaries fall", "bucketized_column { source_column: \"age\" boundaries: [1, 3, 3] }",
            "88", "spec.boundaries_order", "bucketized_column.boundaries[2]");
    addKind("no boundaries", "bucketized_column { source_column: \"age\" }", "28", "spec.too_few",
            "bucketized_column.boundaries");
    addKind("endless boundary", "bucketized_column { source_column: \"age\" boundaries: inf }",
            "81", "spec.not_finite", "bucketized_column.boundaries[0]");
    addKind("indicator of numbers", "indicator_column { categorical_column: \"age\" }", "67",
            "spec.numeric_not_categorical", "indicator_column.categorical_column");
    addKind("embedding of numbers", "embedding_column { categorical_column: \"age\" dimension: 2 }",
            "67", "spec.numeric_not_categorical", "embedding_column.categorical_column");
    addKind("embedding without dimension", "embedding_column { categorical_column: \"sex\" }", "28",
            "spec.required", "embedding_column.dimension");
    addKind("dimension out of range",
            "embedding_column { categorical_column: \"sex\" dimension: 0 }", "84",
            "spec.out_of_range", "embedding_column.dimension");
    addKind(
        "half a checkpoint",
        "embedding_column { categorical_column: \"sex\" dimension: 2 ckpt_to_load_from: \"c\" }",
        "105", "spec.checkpoint_pair", "embedding_column.ckpt_to_load_from");
    addKind("crossed numbers",
            "crossed_column { key { feature: \"a\" } key { column: \"age\" } hash_bucket_size: 5 }",
            "80", "spec.cross_dense", "crossed_column.key[1].column");
    addKind("crossed hash",
            "crossed_column { key { feature: \"a\" } key { column: \"job\" } hash_bucket_size: 5 }",
            "80", "spec.cross_hashed", "crossed_column.key[1].column");
    addKind("cross of one", "crossed_column { key { feature: \"a\" } hash_bucket_size: 5 }", "45",
            "spec.too_few", "crossed_column.key");
    addColumn("made of itself",
              "feature_column { name: \"x\" crossed_column { key { feature: \"a\" } "
              "key { column: \"x\" } hash_bucket_size: 5 } }",
              "6:1 spec.column_cycle [feature_column[x]]\n");
}

void addCategories()
{
    addKind("word twice",
            "categorical_column_with_vocabulary_list { key: \"k\" vocabulary_list: [\"a\", \"b\", "
            "\"a\"] }",
            "107", "spec.duplicate_vocabulary",
            "categorical_column_with_vocabulary_list.vocabulary_list[2]");
    addKind("word is no integer",
            "categorical_column_with_vocabulary_list { key: \"k\" vocabulary_list: [\"1\", \"b\"] "
            "dtype: int64 }",
            "102", "spec.vocabulary_integer",
            "categorical_column_with_vocabulary_list.vocabulary_list[1]");
    addKind("default beside buckets",
            "categorical_column_with_vocabulary_list { key: \"k\" vocabulary_list: [\"a\", \"b\"] "
            "default_value: 0 num_oov_buckets: 2 }",
            "122", "spec.default_and_oov", "categorical_column_with_vocabulary_list.default_value");
    addKind("default beyond the list",
            "categorical_column_with_vocabulary_list { key: \"k\" vocabulary_list: [\"a\", \"b\"] "
            "default_value: 2 }",
            "122", "spec.default_range", "categorical_column_with_vocabulary_list.default_value");
    addKind("default beside buckets of a file",
            "categorical_column_with_vocabulary_file { key: \"k\" vocabulary_file: \"v\" "
            "default_value: 0 num_oov_buckets: 2 }",
            "115", "spec.default_and_oov", "categorical_column_with_vocabulary_file.default_value");
    addKind("identity default",
            "categorical_column_with_identity { key: \"k\" num_buckets: 4 default_value: 4 }",
            "102", "spec.default_range", "categorical_column_with_identity.default_value");
    addKind("categories of fractions",
            "categorical_column_with_hash_bucket { key: \"k\" hash_bucket_size: 4 dtype: float32 }",
            "102", "spec.column_dtype", "categorical_column_with_hash_bucket.dtype");
    addKind("numbers as texts", "numeric_column { key: \"k\" dtype: string }", "61",
            "spec.column_dtype", "numeric_column.dtype");
    addKind("weights as texts",
            "weighted_categorical_column { categorical_column: \"sex\" weight_feature_key: \"w\" "
            "dtype: string }",
            "115", "spec.column_dtype", "weighted_categorical_column.dtype");
}

void addNumbers()
{
    addKind("defaults of another shape",
            "numeric_column { key: \"k\" shape: 3 default_value: [1, 2] }", "63",
            "spec.default_count", "numeric_column.default_value");
    addColumn("another default of the same feature",
              "feature_column { name: \"x\" numeric_column { key: \"age\" default_value: 3 } }",
              "~6:71 spec.other_default [feature_column[x].numeric_column.default_value]\n");
    addKind("fraction as default of integers",
            "numeric_column { key: \"k\" default_value: 1.5 dtype: int64 }", "69",
            "spec.default_fraction", "numeric_column.default_value[0]");
    addKind("division by zero",
            "numeric_column { key: \"k\" normalizer { subtract_divide { divide: 0 } } }", "93",
            "spec.divide_by_zero", "numeric_column.normalizer.subtract_divide.divide");
    addKind("min above max",
            "numeric_column { key: \"k\" normalizer { min_max { min: 3 max: 2 } } }", "89",
            "spec.normalizer_range", "numeric_column.normalizer.min_max.max");
    addKind("stddev of zero", "numeric_column { key: \"k\" normalizer { z_score { stddev: 0 } } }",
            "85", "spec.out_of_range", "numeric_column.normalizer.z_score.stddev");
    addKind("learning from the label", "numeric_column { key: \"y\" }", "50",
            "spec.label_as_feature", "numeric_column.key");
    addKind("shared tables of two sizes",
            "shared_embeddings { categorical_columns: [\"sex\", \"job\"] dimension: 2 }", "77",
            "spec.shared_kinds", "shared_embeddings.categorical_columns[1]");
}

void addEstimatorsAndTheirColumns()
{
    addEstimator("no estimator", "", "1:1 spec.required [estimator]\n");
    addEstimator("estimator without kind", "estimator {}",
                 "6:1 spec.member_required [estimator]\n");
    addEstimator("no columns", "estimator { linear_classifier {} }",
                 "6:13 spec.too_few [estimator.linear_classifier.feature_columns]\n");
    addEstimator(
        "category in a DNN",
        "estimator { dnn_classifier { hidden_units: 8 feature_columns: [\"age\", \"sex\"] } }",
        "6:71 spec.network_needs_dense [estimator.dnn_classifier.feature_columns[1]]\n");
    addEstimator("dangling column",
                 "estimator { linear_classifier { feature_columns: [\"age\", \"sxe\"] } }",
                 "6:58 spec.dangling_column [estimator.linear_classifier.feature_columns[1]]\n");
    addEstimator("feature column twice",
                 "estimator { linear_classifier { feature_columns: [\"age\", \"age\"] } }",
                 "6:58 spec.column_twice [estimator.linear_classifier.feature_columns[1]]\n");
    addCase("ambiguous column",
            kBase + "feature_column { name: \"age\" numeric_column { key: \"a\" } }\n" + kLinear,
            "6:24 spec.duplicate_name [feature_column[3].name]\n"
            "7:50 spec.ambiguous_name [estimator.linear_classifier.feature_columns[0]]\n");
    addCase("one name in TensorFlow",
            kBase + "feature_column { name: \"age2\" numeric_column { key: \"age\" } }\n"
                    "estimator { linear_classifier { feature_columns: [\"age\", \"age2\"] } }\n",
            "7:58 spec.same_tensorflow_name [estimator.linear_classifier.feature_columns[1]]\n");
    addCase("one variable in TensorFlow",
            kBase + "feature_column { name: \"b\" numeric_column { key: \"a b\" } }\n"
                    "feature_column { name: \"c\" numeric_column { key: \"a_b\" } }\n"
                    "estimator { linear_classifier { feature_columns: [\"b\", \"c\"] } }\n",
            "8:56 spec.same_tensorflow_name [estimator.linear_classifier.feature_columns[1]]\n");
    addEstimator("no hidden units", "estimator { dnn_classifier { feature_columns: \"age\" } }",
                 "6:13 spec.too_few [estimator.dnn_classifier.hidden_units]\n");
    addEstimator("hidden unit of size 0",
                 "estimator { dnn_classifier { hidden_units: [8, 0] feature_columns: \"age\" } }",
                 "6:48 spec.out_of_range [estimator.dnn_classifier.hidden_units[1]]\n");
    addEstimator(
        "dropout above 1",
        "estimator { dnn_classifier { hidden_units: 8 feature_columns: \"age\" dropout: 1.5 } }",
        "6:78 spec.out_of_range [estimator.dnn_classifier.dropout]\n");
    addEstimator("wide and deep without columns", "estimator { dnn_linear_combined_regressor {} }",
                 "6:13 spec.no_columns [estimator.dnn_linear_combined_regressor]\n");
    addEstimator("deep part without hidden units",
                 "estimator { dnn_linear_combined_regressor { dnn_feature_columns: \"age\" } }",
                 "6:13 spec.no_hidden_units "
                 "[estimator.dnn_linear_combined_regressor.dnn_hidden_units]\n");
    addEstimator("hidden units without deep part",
                 "estimator { dnn_linear_combined_regressor { linear_feature_columns: \"age\" "
                 "dnn_hidden_units: 8 } }",
                 "~6:93 spec.unused_hidden_units "
                 "[estimator.dnn_linear_combined_regressor.dnn_hidden_units]\n");
}

void addTrees()
{
    const std::string open = "estimator { boosted_trees_classifier { feature_columns: \"age\" ";
    const std::string at = "[estimator.boosted_trees_classifier.";
    addEstimator("pruning without complexity", open + "pruning_mode: pre } }",
                 "6:77 spec.pruning_needs_complexity " + at + "pruning_mode]\n");
    addEstimator("complexity without pruning", open + "tree_complexity: 0.1 } }",
                 "6:80 spec.complexity_needs_pruning " + at + "tree_complexity]\n");
    addEstimator("bias of several classes", open + "n_classes: 3 center_bias: true } }",
                 "6:89 spec.trees_one_output " + at + "center_bias]\n");
    addEstimator("l1 of several classes", open + "n_classes: 3 l1_regularization: 0.1 } }",
                 "6:95 spec.trees_one_output " + at + "l1_regularization]\n");
    addEstimator("layers of several tables",
                 open + "train_in_memory: true n_batches_per_layer: 2 } }",
                 "6:106 spec.trees_in_memory " + at + "n_batches_per_layer]\n");
    addEstimator("learning rate of 0", open + "learning_rate: 0 } }",
                 "6:78 spec.out_of_range " + at + "learning_rate]\n");
    addCase("embedding in trees",
            kBase + "feature_column { name: \"e\" embedding_column { categorical_column: \"sex\" "
                    "dimension: 2 } }\n"
                    "estimator { boosted_trees_regressor { feature_columns: [\"age\", \"e\"] } }\n",
            "7:64 spec.trees_column [estimator.boosted_trees_regressor.feature_columns[1]]\n");
    addCase("weights in trees",
            kBase + "feature_column { name: \"w\" weighted_categorical_column { "
                    "categorical_column: \"sex\" weight_feature_key: \"u\" } }\n"
                    "estimator { boosted_trees_regressor { feature_columns: \"w\" } }\n",
            "7:56 spec.trees_column [estimator.boosted_trees_regressor.feature_columns[0]]\n");
    addCase("matrix in trees",
            kBase + "feature_column { name: \"k\" numeric_column { key: \"k\" shape: [2, 2] } }\n"
                    "estimator { boosted_trees_regressor { feature_columns: \"k\" } }\n",
            "6:54 spec.feature_shape [feature_column[k].numeric_column.shape]\n"
            "7:56 spec.trees_column_shape "
            "[estimator.boosted_trees_regressor.feature_columns[0]]\n");
    addCase("trees of replicas",
            kBase + "estimator { boosted_trees_regressor { feature_columns: \"age\" } }\n"
                    "strategy { mirrored {} }\n",
            "7:1 spec.own_steps_one_device [strategy]\n");
    addCase("trees on a graphics card",
            kBase + "estimator { boosted_trees_regressor { feature_columns: \"age\" } }\n"
                    "strategy { one_device { device: \"GPU:0\" } }\n",
            "7:33 spec.layers_of_gpu [strategy.one_device.device]\n");
    addCase("trees that grow leaf by leaf on a graphics card",
            kBase +
                "estimator { boosted_trees_regressor { feature_columns: \"age\" histogram {} } }\n"
                "strategy { one_device { device: \"GPU:0\" } }\n",
            "");
    addCase("trees that grow leaf by leaf on several graphics cards",
            kBase +
                "estimator { boosted_trees_regressor { feature_columns: \"age\" histogram {} } }\n"
                "strategy { mirrored { devices: [\"GPU:0\", \"GPU:1\"] } }\n",
            "7:1 spec.own_steps_one_device [strategy]\n");
    addCase("trees on the faster device",
            kBase + "estimator { boosted_trees_regressor { feature_columns: \"age\" } }\n"
                    "strategy { one_device { device: \"auto\" } }\n",
            "");
}

void addEstimatorsArguments()
{
    addEstimator(
        "vocabulary of another length",
        "estimator { linear_classifier { feature_columns: \"age\" n_classes: 3 label_vocabulary: "
        "[\"a\", \"b\"] } }",
        "6:69 spec.label_vocabulary_size [estimator.linear_classifier.label_vocabulary]\n");
    addEstimator("class twice",
                 "estimator { linear_classifier { feature_columns: \"age\" label_vocabulary: "
                 "[\"a\", \"a\"] } }",
                 "6:80 spec.duplicate_class [estimator.linear_classifier.label_vocabulary[1]]\n");
    addEstimator("one class",
                 "estimator { linear_classifier { feature_columns: \"age\" n_classes: 1 } }",
                 "6:67 spec.out_of_range [estimator.linear_classifier.n_classes]\n");
    addEstimator("weights that are categories",
                 "estimator { linear_classifier { feature_columns: \"age\" weight_column { column: "
                 "\"sex\" } } }",
                 "6:80 spec.weight_not_numeric "
                 "[estimator.linear_classifier.weight_column.column]\n");
    addEstimator("label of one column for two numbers",
                 "estimator { linear_regressor { feature_columns: \"age\" label_dimension: 2 } }",
                 "1:57 spec.label_size [data.label.column]\n");
    addEstimator("two ways of clipping",
                 "estimator { linear_regressor { feature_columns: \"age\" optimizer { clipnorm: 1 "
                 "global_clipnorm: 1 } } }",
                 "6:96 spec.two_clips [estimator.linear_regressor.optimizer.global_clipnorm]\n");
    addEstimator(
        "values of a schedule",
        "estimator { linear_regressor { feature_columns: \"age\" optimizer { "
        "learning_rate_schedule { piecewise_constant { boundaries: [5, 5] values: [1, 2] } } } } }",
        "6:129 spec.boundaries_order [estimator.linear_regressor.optimizer."
        "learning_rate_schedule.piecewise_constant.boundaries[1]]\n"
        "6:132 spec.piecewise_values [estimator.linear_regressor.optimizer."
        "learning_rate_schedule.piecewise_constant.values]\n");
    addEstimator(
        "negative learning rate",
        "estimator { linear_regressor { feature_columns: \"age\" optimizer { sgd { learning_rate: "
        "-1 } } } }",
        "6:88 spec.out_of_range [estimator.linear_regressor.optimizer.sgd.learning_rate]\n");
}

/// Trees over "age" with this histogram; columns are counted from the beginning of `fields`.
void addHistogram(const char* name, const std::string& fields, std::size_t place,
                  const std::string& id, const std::string& path)
{
    const std::string before =
        "estimator { boosted_trees_classifier { feature_columns: [\"age\", \"sex\"] ";
    addEstimator(name, before + fields + " } }",
                 "6:" + std::to_string(before.size() + place) + " " + id +
                     " [estimator.boosted_trees_classifier." + path + "]\n");
}

void addTreesThatGrowLeafByLeaf()
{
    addHistogram("layers of a leaf", "n_batches_per_layer: 2 histogram {}", 22,
                 "spec.histogram_layers", "n_batches_per_layer");
    addHistogram("pruning of what has not grown",
                 "histogram {} tree_complexity: 1 pruning_mode: post", 47, "spec.histogram_pruning",
                 "pruning_mode");
    addHistogram("monotone category", "histogram { monotone { column: \"sex\" } }", 32,
                 "spec.monotone_kind", "histogram.monotone[0].column");
    addEstimator("monotone column that is not read",
                 "estimator { boosted_trees_classifier { feature_columns: [\"sex\"] histogram { "
                 "monotone { column: \"age\" } } } }",
                 "6:96 spec.monotone_unused "
                 "[estimator.boosted_trees_classifier.histogram.monotone[0].column]\n");
    addHistogram("monotone twice",
                 "histogram { monotone { column: \"age\" } monotone { column: \"age\" } }", 59,
                 "spec.monotone_twice", "histogram.monotone[1].column");
    addEstimator("patience without evaluations",
                 "estimator { boosted_trees_classifier { feature_columns: \"age\" histogram { "
                 "early_stopping_evals: 3 } } }",
                 "~6:97 spec.early_stopping_rows "
                 "[estimator.boosted_trees_classifier.histogram.early_stopping_evals]\n");
    addCase("the last tree is an end",
            "data { train { csv { files: \"a\" } } label { column: \"y\" } }\n"
            "feature_column { name: \"age\" numeric_column { key: \"age\" } }\ntrain_spec {}\n"
            "estimator { boosted_trees_classifier { feature_columns: \"age\" } }\n",
            "");
}

void addClusterCases()
{
    const auto kmeans = [](const char* name, const std::string& fields, const std::string& more,
                           const std::string& expected) {
        addCase(name,
                "data { train { csv { files: \"a\" } } }\n"
                "feature_column { name: \"age\" numeric_column { key: \"age\" } }\n"
                "estimator { kmeans { feature_columns: \"age\" " +
                    fields + " } }\n" + more,
                expected);
    };
    const std::string train = "train_spec { max_steps: 1 input { batch_size: 8 } }\n";
    kmeans("good clusters", "num_clusters: 8", train, "");
    kmeans("no number of clusters", "", train,
           "3:13 spec.required [estimator.kmeans.num_clusters]\n");
    kmeans("more clusters than rows", "num_clusters: 9", train,
           "4:47 spec.clusters_of_first_batch [train_spec.input.batch_size]\n");
    kmeans("half a center", "num_clusters: 2 initial_clusters { given { value: [1, 2, 3] } }",
           train, "3:88 spec.given_clusters [estimator.kmeans.initial_clusters.given.value]\n");
    kmeans("replicas of clusters", "num_clusters: 2",
           train + "strategy { mirrored { devices: [\"CPU:0\", \"CPU:1\"] } }\n",
           "5:1 spec.own_steps_one_device [strategy]\n");
    kmeans("clusters on a graphics card", "num_clusters: 2",
           train + "strategy { one_device { device: \"GPU:0\" } }\n", "");
    kmeans("clusters on two graphics cards", "num_clusters: 2",
           train + "strategy { mirrored { devices: [\"GPU:0\", \"GPU:1\"] } }\n",
           "5:1 spec.own_steps_one_device [strategy]\n");
    addEstimator("label of clusters",
                 "estimator { kmeans { num_clusters: 2 feature_columns: \"age\" } }",
                 "~1:41 spec.label_unread [data.label]\n");
    addCase("no label to learn",
            "data { train { csv { files: \"a\" } } }\ntrain_spec { max_steps: 1 }\n"
            "estimator { baseline_regressor {} }\n",
            "1:1 spec.required [data.label]\n");
}

void addDualsOnDevices(const std::string& optimizer)
{
    addEstimator("replicas of duals",
                 "estimator { linear_regressor { feature_columns: \"age\" " + optimizer +
                     "} } } strategy { mirrored { devices: [\"CPU:0\", \"CPU:1\"] } }",
                 "6:112 spec.own_steps_one_device [strategy]\n");
    addEstimator("duals on a graphics card",
                 "estimator { linear_regressor { feature_columns: \"age\" " + optimizer +
                     "} } } strategy { one_device { device: \"GPU:0\" } }",
                 "6:144 spec.own_steps_of_gpu [strategy.one_device.device]\n");
}

void addSdcaCases()
{
    const std::string optimizer = "optimizer { linear_sdca { example_id_column: \"a\" } ";
    const auto linear = [&](const char* name, const std::string& fields,
                            const std::string& expected) {
        addEstimator(name,
                     "estimator { linear_classifier { feature_columns: [\"age\", \"sex\"] " +
                         fields + " } }",
                     expected);
    };
    const std::string at = "[estimator.linear_classifier.";
    linear("good duals", optimizer + "}", "");
    linear("duals without ids", "optimizer { linear_sdca {} }",
           "6:77 spec.required " + at + "optimizer.linear_sdca.example_id_column]\n");
    linear("duals of three classes", "n_classes: 3 " + optimizer + "}",
           "6:90 spec.sdca_head " + at + "optimizer.linear_sdca]\n");
    linear("duals and a mean", "sparse_combiner: mean " + optimizer + "}",
           "6:82 spec.sdca_combiner " + at + "sparse_combiner]\n");
    linear("duals and clipping", optimizer + "clipnorm: 1 }",
           "6:126 spec.sdca_argument " + at + "optimizer.clipnorm]\n");
    linear("many tables of duals",
           "optimizer { linear_sdca { example_id_column: \"a\" num_table_shards: 1025 } }",
           "6:132 spec.sdca_tables " + at + "optimizer.linear_sdca.num_table_shards]\n");
    addEstimator("duals of a network",
                 "estimator { dnn_classifier { feature_columns: \"age\" hidden_units: 2 " +
                     optimizer + "} } }",
                 "6:81 spec.sdca_linear_only [estimator.dnn_classifier.optimizer.linear_sdca]\n");
    addDualsOnDevices(optimizer);
    addEstimator("duals of a warm start",
                 "estimator { linear_regressor { feature_columns: \"age\" " + optimizer +
                     "} } } warm_start { ckpt_to_initialize_from: \"c\" }",
                 "6:112 spec.sdca_start [warm_start]\n");
    addCase("duals of a start",
            "data { train { csv { files: \"a\" } } label { column: \"y\" } }\n"
            "feature_column { name: \"age\" numeric_column { key: \"age\" } }\n"
            "estimator { linear_regressor { feature_columns: \"age\" " +
                optimizer + "} } }\ntrain_spec { max_steps: 1 linear_start {} }\n",
            "4:27 spec.sdca_start [train_spec.linear_start]\n");
    addEstimator("duals of an inverse link",
                 "estimator { linear_estimator { feature_columns: \"age\" head { regression_head { "
                 "inverse_link_fn { scale: 2 } } } " +
                     optimizer + "} } }",
                 "6:125 spec.sdca_head [estimator.linear_estimator.optimizer.linear_sdca]\n");
    addCase("duals of an embedding",
            kBase +
                "feature_column { name: \"e\" embedding_column { categorical_column: \"sex\" "
                "dimension: 2 } }\n"
                "estimator { linear_classifier { feature_columns: [\"age\", \"e\"] " +
                optimizer + "} } }\n",
            "7:58 spec.sdca_column [estimator.linear_classifier.feature_columns[1]]\n");
    addCase("duals of a matrix",
            kBase +
                "feature_column { name: \"m\" numeric_column { key: \"m\" shape: [2, 2] } }\n"
                "estimator { linear_classifier { feature_columns: \"m\" " +
                optimizer + "} } }\n",
            "6:54 spec.feature_shape [feature_column[m].numeric_column.shape]\n"
            "7:50 spec.sdca_column_shape [estimator.linear_classifier.feature_columns[0]]\n");
}

void addHeadCases()
{
    const auto head = [](const char* name, const std::string& fields, const std::string& expected) {
        addEstimator(name, "estimator { baseline_estimator { head { " + fields + " } } }",
                     expected);
    };
    const std::string path = "estimator.baseline_estimator.head.";
    addEstimator("no head", "estimator { baseline_estimator {} }",
                 "6:13 spec.required [estimator.baseline_estimator.head]\n");
    head("two classes of many", "multi_class_head { n_classes: 2 }",
         "6:71 spec.out_of_range [" + path + "multi_class_head.n_classes]\n");
    head("threshold of 1", "binary_class_head { thresholds: [0.5, 1] }",
         "6:79 spec.out_of_range [" + path + "binary_class_head.thresholds[1]]\n");
    head("unknown class",
         "multi_label_head { n_classes: 2 classes_for_class_based_metrics: [\"1\", \"2\"] }",
         "1:57 spec.label_size [data.label.column]\n6:112 spec.unknown_class [" + path +
             "multi_label_head.classes_for_class_based_metrics[1]]\n");
    head("heads without label", "multi_head { heads { regression_head { name: \"a\" } } }",
         "1:41 spec.label_heads [data.label]\n");
    const auto heads = [](const char* name, const std::string& fields, const std::string& labels,
                          const std::string& expected) {
        addCase(name,
                "data { train { csv { files: \"a\" } } label { heads { " + labels + " } } }\n" +
                    "train_spec { max_steps: 1 }\n" +
                    "estimator { baseline_estimator { head { multi_head { " + fields + " } } } }\n",
                expected);
    };
    const std::string multi = "estimator.baseline_estimator.head.multi_head.";
    const std::string a = "head { name: \"a\" column: \"u\" } ";
    heads("good heads", "heads { regression_head { name: \"a\" } }", a, "");
    heads("head without name", "heads { regression_head { } }", a,
          "1:66 spec.label_nameless_heads [data.label.heads.head[a].name]\n"
          "3:62 spec.head_name [" +
              multi + "heads[0].regression_head]\n");
    heads("head without label of its own",
          "heads { regression_head { name: \"a\" } } heads { regression_head { name: \"b\" } }", a,
          "1:45 spec.head_without_label [data.label.heads]\n");
    heads("label of another head", "heads { regression_head { name: \"b\" } }",
          a + "head { name: \"b\" column: \"v\" }",
          "1:66 spec.label_unknown_head [data.label.heads.head[a].name]\n");
    heads("weights of other heads",
          "heads { regression_head { name: \"a\" } } head_weights: [1, 2]", a,
          "3:94 spec.head_weights [" + multi + "head_weights]\n");
    heads("heads within heads",
          "heads { multi_head { heads { regression_head { name: \"a\" } } } }", a,
          "1:66 spec.label_nameless_heads [data.label.heads.head[a].name]\n"
          "3:54 spec.nested_head [" +
              multi + "heads[0]]\n");
}

} // namespace

void addErrorsOfModels()
{
    addColumnsAndWhatTheyUse();
    addCategories();
    addNumbers();
    addEstimatorsAndTheirColumns();
    addTrees();
    addEstimatorsArguments();
    addTreesThatGrowLeafByLeaf();
    addClusterCases();
    addSdcaCases();
    addHeadCases();
}

} // namespace cannery::tests
