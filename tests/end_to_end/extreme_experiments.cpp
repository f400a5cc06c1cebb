// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/extreme_experiments.h"

#include "tests/end_to_end/extreme_networks.h"
#include "tests/end_to_end/extreme_optimizers.h"

#include <QDir>
#include <QFile>
#include <QMap>

namespace cannery::tests {

namespace {

const char* const kData = R"(data {
  train { csv { files: "numbers.csv" skip_rows: 0 } }
  split { SPLIT }
  label { LABEL }
  column { name: "x" default_value: "0.5" }
  feature { name: "pair" stack { columns: ["x", "y"] shape: [2] } }
  feature { name: "words" split { column: "words" separator: "|" } }
  feature { name: "words2" split { column: "words2" separator: "|" } }
  feature { name: "weights" split { column: "weights" separator: "|" dtype: float32 } }
  feature { name: "weights2" split { column: "weights2" separator: "|" dtype: float32 } }
  feature { name: "ids" split { column: "tags2" separator: "|" dtype: int64 } }
}
feature_column { name: "x" numeric_column { key: "x" default_value: 0.5 normalizer { subtract_divide { subtract: 0.5 divide: 2 } } } }
feature_column { name: "z" numeric_column { key: "y" normalizer { z_score { mean: 0.5 stddev: 0.3 } } } }
feature_column { name: "m" numeric_column { key: "y" normalizer { min_max { min: 0 max: 1 } } } }
feature_column { name: "l" numeric_column { key: "y" normalizer { log { offset: 1 } } } }
feature_column { name: "tok" numeric_column { key: "id" } }
feature_column { name: "pair" numeric_column { key: "pair" shape: [2] default_value: [0, 0] } }
feature_column { name: "b" bucketized_column { source_column: "x" boundaries: [0.25, 0.75] } }
feature_column { name: "v" categorical_column_with_vocabulary_list { key: "colour" vocabulary_list: ["red", "green"] default_value: 0 } }
feature_column { name: "w" categorical_column_with_vocabulary_list { key: "colour" vocabulary_list: ["red", "green"] num_oov_buckets: 1 } }
feature_column { name: "f" categorical_column_with_vocabulary_file { key: "colour" vocabulary_file: "words.txt" vocabulary_size: 2 default_value: 1 } }
feature_column { name: "g" categorical_column_with_vocabulary_file { key: "colour" vocabulary_file: "words.txt" num_oov_buckets: 2 } }
feature_column { name: "h" categorical_column_with_hash_bucket { key: "colour" hash_bucket_size: 7 } }
feature_column { name: "i" categorical_column_with_identity { key: "id" num_buckets: 4 default_value: 0 } }
feature_column { name: "c" crossed_column { key { feature: "colour" } key { column: "b" } hash_bucket_size: 11 hash_key: 5 } }
feature_column { name: "e0" embedding_column { categorical_column: "v" dimension: 2 max_norm: 1.5 initializer { constant { value: 0.1 } } } }
feature_column { name: "e1" embedding_column { categorical_column: "h" dimension: 2 initializer { random_uniform { minval: -0.1 maxval: 0.1 seed: 2 } } } }
feature_column { name: "e2" embedding_column { categorical_column: "i" dimension: 2 initializer { random_normal { mean: 0 stddev: 0.1 seed: 2 } } } }
feature_column { name: "e3" embedding_column { categorical_column: "c" dimension: 2 initializer { truncated_normal { mean: 0 stddev: 0.1 seed: 2 } } } }
feature_column { name: "e4" embedding_column { categorical_column: "b" dimension: 2 initializer { glorot_uniform { seed: 2 } } } }
feature_column { name: "e5" embedding_column { categorical_column: "f" dimension: 2 initializer { glorot_normal { seed: 2 } } } }
feature_column { name: "s" shared_embeddings { categorical_columns: ["w", "g2"] dimension: 2 max_norm: 1.5 } }
feature_column { name: "t" categorical_column_with_hash_bucket { key: "words" hash_bucket_size: 9 } }
feature_column { name: "t2" categorical_column_with_hash_bucket { key: "words2" hash_bucket_size: 9 } }
feature_column { name: "w2" categorical_column_with_vocabulary_list { key: "colour" vocabulary_list: ["green", "red"] num_oov_buckets: 1 } }
feature_column { name: "u" weighted_categorical_column { categorical_column: "t" weight_feature_key: "weights" } }
feature_column { name: "n" indicator_column { categorical_column: "t" } }
feature_column { name: "e6" embedding_column { categorical_column: "u" dimension: 2 } }
feature_column { name: "g2" categorical_column_with_vocabulary_list { key: "shade" vocabulary_list: ["red", "green", "blue"] } }
feature_column { name: "sq" sequence_numeric_column { key: "weights" shape: [2] default_value: 0.5 normalizer { subtract_divide { subtract: 0.5 divide: 2 } } } }
feature_column { name: "sv" sequence_categorical_column_with_vocabulary_list { key: "words" vocabulary_list: ["a", "b"] default_value: 0 } }
feature_column { name: "so" sequence_categorical_column_with_vocabulary_list { key: "words2" vocabulary_list: ["a", "b"] num_oov_buckets: 2 } }
feature_column { name: "sf" sequence_categorical_column_with_vocabulary_file { key: "words" vocabulary_file: "letters.txt" vocabulary_size: 2 default_value: 1 } }
feature_column { name: "sg" sequence_categorical_column_with_vocabulary_file { key: "words2" vocabulary_file: "letters.txt" num_oov_buckets: 2 } }
feature_column { name: "sh" sequence_categorical_column_with_hash_bucket { key: "words" hash_bucket_size: 7 } }
feature_column { name: "si" sequence_categorical_column_with_identity { key: "ids" num_buckets: 4 default_value: 1 } }
feature_column { name: "svi" indicator_column { categorical_column: "sv" } }
feature_column { name: "soe" embedding_column { categorical_column: "so" dimension: 2 initializer { constant { value: 0.1 } } } }
feature_column { name: "sfi" indicator_column { categorical_column: "sf" } }
feature_column { name: "sgi" indicator_column { categorical_column: "sg" } }
feature_column { name: "she" embedding_column { categorical_column: "sh" dimension: 2 initializer { random_uniform { minval: -0.1 maxval: 0.1 seed: 2 } } } }
feature_column { name: "sii" indicator_column { categorical_column: "si" } }
)";

const char* const kTraining = R"(train_spec {
  max_steps: 3
  input { batch_size: 4 shuffle: true shuffle_seed: 3 num_epochs: 9 }
  HOOKS
}
eval_spec { steps: 2 start_delay_secs: 0 throttle_secs: 0 input { batch_size: 4 } EXPORTERS }
run_config {
  tf_random_seed: 1 save_summary_steps: 1 CHECKPOINTS keep_checkpoint_max: 2
  keep_checkpoint_every_n_hours: 1 log_step_count_steps: 1 threads: 1 cache_memory_mb: 1
  cache_file: "rows.cache" session_creation_timeout_secs: 60
}
)";

const char* const kMetricsOfThree =
    R"(metric { top_k_categorical_accuracy { k: 2 } } metric { f1_score { threshold: 0.5 } }
  metric { calibration_error { bins: 10 } } slice { columns: "colour" max_groups: 2 })";

const char* const kMetricsOfTwo =
    R"(metric { accuracy { threshold: 0.5 } } metric { precision { threshold: 0.5 } }
  metric { recall { threshold: 0.5 } } metric { confusion_matrix { threshold: 0.5 } }
  metric { name: "area" auc { num_thresholds: 200 } }
  metric { recall_at_precision { precision: 0.5 num_thresholds: 200 } }
  metric { precision_at_recall { recall: 0.5 num_thresholds: 200 } })";

/// The experiment of another source than the table that all others read.
const QString kLibsvm = "libsvm.cannery";
const QString kFixedWidth = "fixed_width.cannery";
const QString kPictures = "pictures.cannery";

/// An experiment without its data and its training.
struct Recipe
{
    const char* estimator;
    const char* label = R"(column: "label")";
    const char* hooks = "";
    const char* exporters = "";
    const char* checkpoints = "save_checkpoints_steps: 2";
    const char* more = "";
    const char* split = "fraction { eval_fraction: 0.25 seed: 3 }";
};

QMap<QString, Recipe> linearRecipes()
{
    return {
        {"linear.cannery",
         {R"(linear_classifier { feature_columns: ["x", "z", "b", "v", "i", "c"] n_classes: 3
  optimizer { ftrl { learning_rate: 0.1 } learning_rate_schedule { exponential_decay { learning_rate: 0.1 decay_steps: 2 decay_rate: 0.5 } } decay: 0.1 } })",
          R"(column: "class")", "", kMetricsOfThree}},
        {"linear_regressor.cannery",
         {R"(linear_regressor { feature_columns: ["pair", "m", "f"] label_dimension: 1
  optimizer { sgd { learning_rate: 0.01 momentum: 0.5 } clipnorm: 1 } })",
          R"(column: "amount")",
          "linear_start { l2_regularization_strength: 0.5 } "
          "hook { stop_if_lower_hook { metric_name: \"loss\" threshold: -1 min_steps: 1 "
          "run_every_secs: 0 } } saving_listener { command: [\"true\"] timeout_secs: 60 }",
          "", "save_checkpoints_secs: 1"}},
        {"linear_estimator.cannery",
         {R"(linear_estimator { feature_columns: ["x", "l", "g"] head { binary_class_head { thresholds: [0.3, 0.7] } }
  optimizer { adagrad { learning_rate: 0.1 } learning_rate_schedule { polynomial_decay { learning_rate: 0.1 decay_steps: 2 } } clipvalue: 1 } })",
          R"(column: "label")",
          "hook { stop_if_higher_hook { metric_name: \"loss\" threshold: 100 min_steps: 1 "
          "run_every_steps: 1 } } hook { profiler_hook { save_steps: 1 } }",
          "exporter { latest_exporter { name: \"late\" exports_to_keep: 1 warmup_rows: 1 "
          "assets_extra { name: \"note\" file: \"words.txt\" } } }"}},
        {"sdca.cannery",
         {R"(linear_classifier { feature_columns: ["x", "v", "t"] optimizer { linear_sdca { example_id_column: "row"
  num_loss_partitions: 2 num_table_shards: 2 symmetric_l1_regularization: 0.01 symmetric_l2_regularization: 1.5
  adaptive: true } } })"}},
        {"warm.cannery",
         {R"(linear_classifier { feature_columns: ["x", "w"] n_classes: 3 })", R"(column: "class")",
          "", "", "save_checkpoints_steps: 2",
          R"(warm_start { ckpt_to_initialize_from: "first" pattern: "linear/linear_model/x/.*"
  var_name_to_prev_var_name { var_name: "linear/linear_model/colour/weights" prev_var_name: "linear/linear_model/colour/weights" }
  var_name_to_vocab_info { var_name: "linear/linear_model/colour/weights" new_vocab: "words.txt" new_vocab_size: 2 num_oov_buckets: 1 old_vocab: "words.txt" old_vocab_size: 2 axis: 0 } }
)"}},
    };
}

QMap<QString, Recipe> deepRecipes()
{
    return {
        {"dnn.cannery",
         {R"(dnn_classifier { hidden_units: [4, 3] feature_columns: ["x", "e0", "e2"] n_classes: 2 dropout: 0.1
  optimizer { adam { learning_rate: 0.01 } learning_rate_schedule { cosine_decay { learning_rate: 0.1 decay_steps: 2 } } global_clipnorm: 1 } })",
          R"(column: "label")",
          "hook { stop_if_no_increase_hook { metric_name: \"accuracy\" "
          "max_steps_without_change: 100 min_steps: 1 run_every_secs: 0 } } "
          "hook { profiler_hook { save_secs: 1 output_dir: \"profiles\" } }",
          "exporter { best_exporter { name: \"best\" exports_to_keep: 1 warmup_rows: 1 "
          "assets_extra { name: \"note\" file: \"words.txt\" } } }"}},
        {"dnn_regressor.cannery",
         {R"(dnn_regressor { hidden_units: [4] feature_columns: ["z", "e1", "e4"] label_dimension: 1 dropout: 0.1
  optimizer { nadam { learning_rate: 0.01 } } })",
          R"(column: "amount")",
          "hook { stop_if_no_decrease_hook { metric_name: \"loss\" max_steps_without_change: 100 "
          "run_every_steps: 1 } } hook { in_memory_evaluator_hook { every_n_iter: 2 steps: 1 "
          "name: \"live\" } }",
          "exporter { final_exporter { name: \"last\" warmup_rows: 1 assets_extra { name: "
          "\"note\" file: \"words.txt\" } } }"}},
        {"dnn_estimator.cannery",
         {R"(dnn_estimator { hidden_units: [4] feature_columns: ["x", "s"] dropout: 0.1
  head { multi_label_head { n_classes: 3 thresholds: 0.5 } }
  optimizer { rmsprop { learning_rate: 0.01 } learning_rate_schedule { piecewise_constant { boundaries: [1, 2] values: [0.1, 0.01, 0.001] } } } })",
          R"(split { column: "tags" separator: "|" dtype: int64 })"}},
    };
}

QMap<QString, Recipe> combinedRecipes()
{
    return {
        {"combined.cannery",
         {R"(dnn_linear_combined_classifier { linear_feature_columns: ["x", "h"] dnn_feature_columns: ["e3", "e5"] dnn_hidden_units: [4] dnn_dropout: 0.1 n_classes: 3
  dnn_optimizer { sgd {} learning_rate_schedule { inverse_time_decay { learning_rate: 0.1 decay_steps: 2 decay_rate: 0.5 } } } })",
          R"(column: "class")"}},
        {"combined_regressor.cannery",
         {R"(dnn_linear_combined_regressor { linear_feature_columns: ["x"] dnn_feature_columns: ["z"] dnn_hidden_units: [4] dnn_dropout: 0.1 label_dimension: 1
  dnn_optimizer { sgd {} learning_rate_schedule { constant { learning_rate: 0.1 } } } })",
          R"(column: "amount")"}},
        {"combined_estimator.cannery",
         {R"(dnn_linear_combined_estimator { linear_feature_columns: ["x"] dnn_feature_columns: ["z"] dnn_hidden_units: [4] dnn_dropout: 0.1
  head { multi_head { head_weights: [1, 2]
    heads { regression_head { name: "r" label_dimension: 1 inverse_link_fn { scale: 2 offset: 0.5 } } }
    heads { poisson_regression_head { name: "p" label_dimension: 1 } } } } })",
          R"(heads { head { name: "r" column: "amount" } head { name: "p" column: "rate" } })"}},
    };
}

QMap<QString, Recipe> baselineRecipes()
{
    return {
        {"baseline.cannery",
         {R"(baseline_classifier { n_classes: 3 optimizer { ftrl {} } })", R"(column: "class")"}},
        {"baseline_regressor.cannery",
         {R"(baseline_regressor { label_dimension: 1 })", R"(column: "label")", "", "",
          "save_checkpoints_steps: 2",
          R"(strategy {
  multi_worker_mirrored { communication_options { timeout_seconds: 5 bytes_per_pack: 1000 } }
  virtual_shards: 1
}
)"}},
        {"baseline_estimator.cannery",
         {R"(baseline_estimator { head { multi_class_head { n_classes: 3 } } })",
          R"(column: "class")", "", "", "save_checkpoints_steps: 2",
          R"(strategy {
  parameter_server { snapshot_secs: 1 variable_partitioner { max_partitions: 2 min_slice_size: 4 } }
}
)"}},
    };
}

/// A linear classifier of three classes with this optimizer.
Recipe optimizedBy(const char* estimator)
{
    return {estimator, R"(column: "class")"};
}

QMap<QString, Recipe> optimizerRecipes()
{
    QMap<QString, Recipe> all{
        {"adadelta.cannery",
         {R"(linear_classifier { feature_columns: ["x"] n_classes: 3
  optimizer { adadelta { learning_rate: 0.1 } learning_rate_schedule { natural_exp_decay { learning_rate: 0.1 decay_steps: 2 decay_rate: 0.5 } warmup_steps: 1 warmup_start: 0.01 } moving_average_decay: 0.5 } })",
          R"(column: "class")", R"(class_weight { label: "1" weight: 2 })"}},
        {"adamax.cannery", optimizedBy(R"(linear_classifier { feature_columns: ["x"] n_classes: 3
  optimizer { adamax { learning_rate: 0.1 } learning_rate_schedule { cosine_decay_restarts { learning_rate: 0.1 first_decay_steps: 1 m_mul: 0.5 } } } })")},
        {"adamw.cannery", optimizedBy(R"(linear_classifier { feature_columns: ["x"] n_classes: 3
  optimizer { adamw { learning_rate: 0.1 } learning_rate_schedule { linear_cosine_decay { learning_rate: 0.1 decay_steps: 3 } } } })")},
        {"proximal_adagrad.cannery",
         optimizedBy(R"(linear_classifier { feature_columns: ["x"] n_classes: 3
  optimizer { proximal_adagrad { learning_rate: 0.1 } learning_rate_schedule { noisy_linear_cosine_decay { learning_rate: 0.1 decay_steps: 3 } } } })")},
        {"proximal.cannery", optimizedBy(R"(linear_classifier { feature_columns: ["x"] n_classes: 3
  optimizer { proximal_gradient_descent { learning_rate: 0.1 } } })")},
    };
    const QMap<QString, const char*> ofKeras = kerasOptimizers();
    for (auto at = ofKeras.begin(); at != ofKeras.end(); ++at) {
        all[at.key()] = optimizedBy(at.value());
    }
    return all;
}

QMap<QString, Recipe> treeRecipes()
{
    return {
        {"trees.cannery",
         {R"(boosted_trees_classifier { feature_columns: ["b", "n", "i"] n_classes: 2 n_batches_per_layer: 1
  n_trees: 2 max_depth: 2 learning_rate: 0.3 l1_regularization: 0.001 l2_regularization: 0.1 tree_complexity: 0.001
  min_node_weight: 0.001 center_bias: true pruning_mode: pre quantile_sketch_epsilon: 0.1 })"}},
        {"trees_histogram.cannery",
         {R"(boosted_trees_classifier { feature_columns: ["z", "v", "b"] n_classes: 2 n_trees: 3 max_depth: 4
  learning_rate: 0.3 l1_regularization: 0.001 l2_regularization: 0.1 tree_complexity: 0.001 min_node_weight: 0.001
  center_bias: true pruning_mode: pre
  histogram { max_leaves: 4 max_bins: 16 min_rows_per_leaf: 1 row_fraction: 0.9 column_fraction: 0.7
    monotone { column: "z" falling: true } early_stopping_evals: 1 } })"}},
        {"trees_regressor.cannery",
         {R"(boosted_trees_regressor { feature_columns: ["x", "m", "v"] label_dimension: 1 n_batches_per_layer: 1
  n_trees: 2 max_depth: 2 learning_rate: 0.3 l1_regularization: 0.001 l2_regularization: 0.1 tree_complexity: 0.001
  min_node_weight: 0.001 center_bias: true pruning_mode: post quantile_sketch_epsilon: 0.1 })",
          R"(column: "amount")"}},
        {"trees_estimator.cannery",
         {R"(boosted_trees_estimator { feature_columns: ["pair", "c"] n_batches_per_layer: 1
  head { binary_class_head {} }
  n_trees: 2 max_depth: 2 learning_rate: 0.3 l1_regularization: 0.001 l2_regularization: 0.1 tree_complexity: 0.001
  min_node_weight: 0.001 center_bias: true pruning_mode: pre quantile_sketch_epsilon: 0.1 })",
          R"(column: "label")", "", kMetricsOfTwo}},
    };
}

QMap<QString, Recipe> clusterRecipes()
{
    return {
        {"kmeans.cannery", {R"(kmeans { num_clusters: 2 feature_columns: ["x", "z"] seed: 4
  mini_batch_steps_per_iteration: 2 kmeans_plus_plus_num_retries: 1 relative_tolerance: 0.000001
  initial_clusters { kmeans_plus_plus {} } })"}},
        {"kmeans_given.cannery", {R"(kmeans { num_clusters: 2 feature_columns: ["x", "m"]
  initial_clusters { given { value: [0.1, 0.9, 0.8, 0.2] } } })"}},
    };
}

/// A baseline, whose training leaves the sweep out.
Recipe sweptBy(const char* sweep)
{
    return {.estimator = "baseline_classifier { n_classes: 3 }",
            .label = R"(column: "class")",
            .more = sweep,
            .split = "fold { folds: 4 fold: 1 seed: 2 }"};
}

QMap<QString, Recipe> sweepRecipes()
{
    return {
        {"sweep_folds.cannery", sweptBy(R"(sweep {
  parameter { field: "train_spec.input.batch_size" range { min: 2 max: 8 integer: true points: 3 } }
  k_fold { folds: 3 seed: 1 } parallel_runs: 2
}
)")},
        {"sweep_random.cannery", sweptBy(R"(sweep {
  parameter { field: "train_spec.input.batch_size" choice { value: "4" } }
  random { trials: 2 seed: 1 }
}
)")},
        {"sweep_asha.cannery", sweptBy(R"(sweep {
  parameter { field: "train_spec.input.batch_size" choice { value: "4" } }
  asha { trials: 2 seed: 1 min_steps: 1 reduction_factor: 2 }
}
)")},
        {"sweep_tpe.cannery", sweptBy(R"(sweep {
  parameter { field: "train_spec.input.batch_size" choice { value: "4" } }
  tpe { trials: 2 seed: 1 startup_trials: 1 }
}
)")},
    };
}

QMap<QString, Recipe> recurrentRecipes()
{
    return {
        {"rnn.cannery",
         {R"(rnn_classifier { sequence_feature_columns: ["sfi", "sgi", "she"] context_feature_columns: ["x"] units: [3]
  cell_type: lstm n_classes: 3 })",
          R"(column: "class")"}},
        {"rnn_ids.cannery",
         {R"(rnn_classifier { sequence_feature_columns: ["sii"] units: [3] n_classes: 2
  optimizer { adam { learning_rate: 0.01 } } })",
          R"(column: "label")"}},
        {"rnn_words.cannery",
         {R"(rnn_classifier { sequence_feature_columns: ["svi", "soe"] units: [3] cell_type: gru n_classes: 2 })",
          R"(column: "label")"}},
        {"rnn_estimator.cannery",
         {R"(rnn_estimator { head { regression_head { label_dimension: 1 } } sequence_feature_columns: ["sq"]
  units: [3, 2] cell_type: gru optimizer { sgd { learning_rate: 0.1 } } })",
          R"(column: "amount")"}},
        {"rnn_steps.cannery",
         {R"(rnn_classifier { sequence_feature_columns: ["sfi", "she"] context_feature_columns: ["x"] units: [3] cell_type: lstm
  n_classes: 4 label_vocabulary: ["a", "b", "c", "d"] weight_column { feature: "weights2" }
  return_sequences: true sequence_mask: "steps" })",
          R"(split { column: "words2" })"}},
        {"rnn_step_numbers.cannery",
         {R"(rnn_estimator { head { regression_head { label_dimension: 1 weight_column { feature: "weights" } } }
  sequence_feature_columns: ["sfi"] units: [3] return_sequences: true sequence_mask: "steps" })",
          R"(split { column: "weights2" dtype: float32 })"}},
    };
}

/// Each layer with every number, on the way to the logits.
QMap<QString, Recipe> networkRecipes()
{
    return {
        {"network.cannery",
         {R"(custom_estimator { head { regression_head { label_dimension: 1 } }
  feature_columns: ["x", "n"]
  graph {
    layer { name: "in" input_layer { feature_columns: ["x", "n"] } }
    layer { name: "wide" dense { units: 32 activation: tanh } }
    layer { name: "normal" batch_normalization { momentum: 0.9 epsilon: 0.01 } }
    layer { name: "dropped" dropout { rate: 0.1 } }
    layer { name: "image" reshape { target_shape: [4, 4, 2] } }
    layer { name: "conv" conv_2d { filters: 4 kernel_size: [2, 2] strides: [1, 1] padding: same
                                   dilation_rate: [1, 1] groups: 2 activation: elu } }
    layer { name: "channels" depthwise_conv_2d { kernel_size: [2, 2] stride: 1 padding: same
                                                 depth_multiplier: 1 dilation_rate: [1, 1] } }
    layer { name: "product" inputs: ["conv", "channels"] multiply {} }
    layer { name: "sum" inputs: ["product", "conv"] add {} }
    layer { name: "largest" max_pooling_2d { pool_size: [2, 2] strides: [1, 1] padding: same } }
    layer { name: "mean" average_pooling_2d { pool_size: [2, 2] strides: [1, 1] padding: same } }
    layer { name: "each" inputs: ["mean"] global_average_pooling_2d {} }
    layer { name: "top" inputs: ["mean"] global_max_pooling_2d { keepdims: true } }
    layer { name: "flat" flatten {} }
    layer { name: "both" inputs: ["each", "flat"] concatenate {} }
    layer { name: "gelu" activation { function: gelu } }
    layer { name: "logits" dense { units: 1 } }
  }
  optimizer { adam { learning_rate: 0.01 } } })",
          R"(column: "amount")"}},
    };
}

QMap<QString, Recipe> recipes()
{
    QMap<QString, Recipe> all = linearRecipes();
    all.insert(deepRecipes());
    all.insert(combinedRecipes());
    all.insert(baselineRecipes());
    all.insert(optimizerRecipes());
    all.insert(treeRecipes());
    all.insert(clusterRecipes());
    all.insert(networkRecipes());
    for (const ExtremeNetwork& network : extremeNetworks()) {
        all.insert(network.file, {network.estimator, network.label});
    }
    all.insert(sweepRecipes());
    all.insert(recurrentRecipes());
    return all;
}

QByteArray numbers()
{
    QByteArray text = "x,y,colour,shade,id,label,class,tags,amount,rate,words,words2,weights,"
                      "weights2,word,tags2,tone,row\n";
    const char* colours[] = {"red", "green", "blue"};
    const char* tags[] = {"0|1", "2", "1", "0|2"};
    const char* words[] = {"a|b,c|a,0.5|2,1|1.5,no,1", "c,d,1,2,yes,0|2",
                           "b|b|d,a|b|b,3|1|0.25,1|2|1,yes,2|1", "a,b,2,0.5,no,0"};
    for (int i = 0; i < 16; ++i) {
        text += QByteArray::number(i * 7 % 16 / 16.0) + "," +
                QByteArray::number(i * 5 % 16 / 16.0) + "," + colours[i % 3] + "," +
                colours[i * 2 % 3] + "," + QByteArray::number(i % 4) + "," +
                QByteArray::number(i % 2) + "," + QByteArray::number(i % 3) + "," + tags[i % 4] +
                "," + QByteArray::number(i * 3 % 16 / 16.0) + "," +
                QByteArray::number(i * 11 % 16 / 16.0) + "," + words[i % 4] + "," + colours[i % 3] +
                ",r" + QByteArray::number(i) + "\n";
    }
    return text;
}

/// Circles and squares, among them a photograph that lies on its side and a picture of 16 bits.
void writePictures(const ProjectFixture& project)
{
    const QString goldens = CANNERY_SOURCE_DIR "/tests/golden/images/";
    for (const char* part : {"train", "validation"}) {
        for (const char* shape : {"circle", "square"}) {
            const QString folder = QString("pictures/%1/%2").arg(part, shape);
            QDir(project.path(".")).mkpath(folder);
            for (int i = 0; i < 6; ++i) {
                const QString name = QString("%1.png").arg(3 * i, 2, 10, QChar('0'));
                QFile::copy(goldens + QString("shapes/%1/%2/").arg(part, shape) + name,
                            project.path(folder + '/' + name));
            }
        }
        const QString circles = project.path(QString("pictures/%1/circle/").arg(part));
        QFile::copy(goldens + "files/orientation_6.jpg", circles + "photograph.jpg");
        QFile::copy(goldens + "files/rgb_16.png", circles + "wide.png");
    }
    project.write(kPictures,
                  "data { train { image_folder { path: \"pictures\" split: \"train\" height: 5 "
                  "width: 6 channels: 3 central_crop: 0.75 resize: bicubic antialias: true fit: "
                  "crop range: unit } } label { column: \"label\" } }\n"
                  "feature_column { name: \"x\" numeric_column { key: \"image\" shape: [5, 6, 3] "
                  "} }\n"
                  "estimator { linear_classifier { feature_columns: [\"x\"] label_vocabulary: "
                  "[\"circle\", \"square\"] } }\n"
                  "train_spec { max_steps: 3 input { batch_size: 4 } }\n");
}

} // namespace

QStringList extremeExperiments()
{
    return recipes().keys() + QStringList{kLibsvm, kFixedWidth, kPictures};
}

void writeExtremeExperiments(const ProjectFixture& project)
{
    project.write("numbers.csv", numbers());
    project.write("words.txt", "red\ngreen\n");
    project.write("letters.txt", "a\nb\nc\n");
    project.write("rows.svm", QByteArray("0 1:0.5 3:2\n1 2:1 3:0.25\n").repeated(8));
    project.write(kLibsvm, "data { train { libsvm { files: \"rows.svm\" features: 3 } } "
                           "label { column: \"label\" } }\n"
                           "feature_column { name: \"x\" numeric_column { key: \"f3\" } }\n"
                           "estimator { linear_classifier { feature_columns: [\"x\"] } }\n"
                           "train_spec { max_steps: 3 input { batch_size: 4 } }\n");
    project.write("rows.fwf",
                  "x   y z   label\n" + QByteArray("a b 1 0.5 0\nc   2     1\n").repeated(8));
    project.write(kFixedWidth,
                  "data { train { fixed_width { files: \"rows.fwf\" column_start: [0, 4, 6, 10] "
                  "header: true } } label { column: \"label\" } }\n"
                  "feature_column { name: \"x\" numeric_column { key: \"y\" } }\n"
                  "estimator { linear_classifier { feature_columns: [\"x\"] } }\n"
                  "train_spec { max_steps: 3 input { batch_size: 4 } }\n");
    writePictures(project);
    const QMap<QString, Recipe> all = recipes();
    for (auto recipe = all.begin(); recipe != all.end(); ++recipe) {
        QByteArray training = kTraining;
        training.replace("HOOKS", recipe->hooks).replace("EXPORTERS", recipe->exporters);
        training.replace("CHECKPOINTS", recipe->checkpoints);
        project.write(
            recipe.key(),
            QByteArray(kData).replace("LABEL", recipe->label).replace("SPLIT", recipe->split) +
                "estimator { " + recipe->estimator + " }\n" + training + recipe->more);
    }
}

} // namespace cannery::tests
