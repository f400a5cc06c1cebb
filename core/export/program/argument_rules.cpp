// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/argument_rules.h"

#include <algorithm>

namespace cannery::exporting {

namespace {

constexpr CallableRow kCallables[] = {
    {"NumericColumn", "tf.feature_column.numeric_column"},
    {"BucketizedColumn", "tf.feature_column.bucketized_column"},
    {"VocabularyListColumn", "tf.feature_column.categorical_column_with_vocabulary_list"},
    {"VocabularyFileColumn", "tf.feature_column.categorical_column_with_vocabulary_file"},
    {"HashBucketColumn", "tf.feature_column.categorical_column_with_hash_bucket"},
    {"IdentityColumn", "tf.feature_column.categorical_column_with_identity"},
    {"CrossedColumn", "tf.feature_column.crossed_column"},
    {"WeightedColumn", "tf.feature_column.weighted_categorical_column"},
    {"IndicatorColumn", "tf.feature_column.indicator_column"},
    {"EmbeddingColumn", "tf.feature_column.embedding_column"},
    {"SharedEmbeddings", "tf.feature_column.shared_embeddings", "2.15", true},
    {"SequenceNumericColumn", "tf.feature_column.sequence_numeric_column"},
    {"SequenceVocabularyListColumn",
     "tf.feature_column.sequence_categorical_column_with_vocabulary_list"},
    {"SequenceVocabularyFileColumn",
     "tf.feature_column.sequence_categorical_column_with_vocabulary_file"},
    {"SequenceHashBucketColumn", "tf.feature_column.sequence_categorical_column_with_hash_bucket"},
    {"SequenceIdentityColumn", "tf.feature_column.sequence_categorical_column_with_identity"},
    {"LinearClassifier", "tf.estimator.LinearClassifier"},
    {"LinearRegressor", "tf.estimator.LinearRegressor"},
    {"LinearEstimator", "tf.estimator.LinearEstimator"},
    {"DNNClassifier", "tf.estimator.DNNClassifier"},
    {"DNNRegressor", "tf.estimator.DNNRegressor"},
    {"DNNEstimator", "tf.estimator.DNNEstimator"},
    {"DNNLinearCombinedClassifier", "tf.estimator.DNNLinearCombinedClassifier"},
    {"DNNLinearCombinedRegressor", "tf.estimator.DNNLinearCombinedRegressor"},
    {"DNNLinearCombinedEstimator", "tf.estimator.DNNLinearCombinedEstimator"},
    {"BaselineClassifier", "tf.estimator.BaselineClassifier"},
    {"BaselineRegressor", "tf.estimator.BaselineRegressor"},
    {"BaselineEstimator", "tf.estimator.BaselineEstimator"},
    {"BoostedTreesClassifier", "tf.estimator.BoostedTreesClassifier", "2.8"},
    {"BoostedTreesRegressor", "tf.estimator.BoostedTreesRegressor", "2.8"},
    {"BoostedTreesEstimator", "tf.estimator.BoostedTreesEstimator", "2.8"},
    {"KMeans", "tf.compat.v1.estimator.experimental.KMeans"},
    {"RNNClassifier", "tf.estimator.experimental.RNNClassifier"},
    {"RNNEstimator", "tf.estimator.experimental.RNNEstimator"},
    {"BinaryClassHead", "tf.estimator.BinaryClassHead"},
    {"MultiClassHead", "tf.estimator.MultiClassHead"},
    {"MultiLabelHead", "tf.estimator.MultiLabelHead"},
    {"RegressionHead", "tf.estimator.RegressionHead"},
    {"PoissonRegressionHead", "tf.estimator.PoissonRegressionHead"},
    {"LogisticRegressionHead", "tf.estimator.LogisticRegressionHead"},
    {"MultiHead", "tf.estimator.MultiHead"},
    {"SgdOptimizer", "tf.keras.optimizers.legacy.SGD"},
    {"AdagradOptimizer", "tf.keras.optimizers.legacy.Adagrad"},
    {"AdamOptimizer", "tf.keras.optimizers.legacy.Adam"},
    {"NadamOptimizer", "tf.keras.optimizers.legacy.Nadam"},
    {"RmspropOptimizer", "tf.keras.optimizers.legacy.RMSprop"},
    {"FtrlOptimizer", "tf.keras.optimizers.legacy.Ftrl"},
    {"AdadeltaOptimizer", "tf.keras.optimizers.legacy.Adadelta"},
    {"AdamaxOptimizer", "tf.keras.optimizers.legacy.Adamax"},
    {"LinearSDCA", "tf.estimator.experimental.LinearSDCA", "2.15", false, true},
    {"ExponentialDecay", "tf.compat.v1.train.exponential_decay"},
    {"PolynomialDecay", "tf.compat.v1.train.polynomial_decay"},
    {"CosineDecay", "tf.compat.v1.train.cosine_decay"},
    {"PiecewiseConstant", "tf.compat.v1.train.piecewise_constant"},
    {"InverseTimeDecay", "tf.compat.v1.train.inverse_time_decay"},
    {"NaturalExpDecay", "tf.compat.v1.train.natural_exp_decay"},
    {"CosineDecayRestarts", "tf.compat.v1.train.cosine_decay_restarts"},
    {"LinearCosineDecay", "tf.compat.v1.train.linear_cosine_decay"},
    {"NoisyLinearCosineDecay", "tf.compat.v1.train.noisy_linear_cosine_decay"},
    {"ZerosInitializer", "tf.zeros_initializer"},
    {"OnesInitializer", "tf.ones_initializer"},
    {"ConstantInitializer", "tf.constant_initializer"},
    {"RandomUniformInitializer", "tf.random_uniform_initializer"},
    {"RandomNormalInitializer", "tf.random_normal_initializer"},
    {"TruncatedNormalInitializer", "tf.compat.v1.truncated_normal_initializer"},
    {"GlorotUniformInitializer", "tf.compat.v1.glorot_uniform_initializer"},
    {"GlorotNormalInitializer", "tf.compat.v1.glorot_normal_initializer"},
    {"RunConfig", "tf.estimator.RunConfig"},
    {"MirroredStrategy", "tf.distribute.MirroredStrategy"},
    {"CentralStorageStrategy", "tf.distribute.experimental.CentralStorageStrategy"},
    {"MultiWorkerMirroredStrategy", "tf.distribute.MultiWorkerMirroredStrategy"},
    {"ParameterServerStrategy", "tf.compat.v1.distribute.experimental.ParameterServerStrategy"},
    {"WarmStartVocabulary", "tf.estimator.VocabInfo"},
    {"MeanPrediction", "tf.keras.metrics.Mean"},
    {"MeanAbsoluteError", "tf.keras.metrics.MeanAbsoluteError"},
    {"MeanSquaredError", "tf.keras.metrics.MeanSquaredError"},
    {"RootMeanSquaredError", "tf.keras.metrics.RootMeanSquaredError"},
    {"MeanAbsolutePercentageError", "tf.keras.metrics.MeanAbsolutePercentageError"},
    {"Accuracy", "tf.keras.metrics.BinaryAccuracy"},
    {"Precision", "tf.keras.metrics.Precision"},
    {"Recall", "tf.keras.metrics.Recall"},
    {"Auc", "tf.keras.metrics.AUC"},
    {"RecallAtPrecision", "tf.keras.metrics.RecallAtPrecision"},
    {"PrecisionAtRecall", "tf.keras.metrics.PrecisionAtRecall"},
    {"F1Score", "F1Score"},
    {"R2Score", "R2Score"},
    {"TopKAccuracy", "tf.keras.metrics.SparseTopKCategoricalAccuracy"},
    {"LogLoss", "tf.keras.metrics.BinaryCrossentropy"},
};

constexpr std::string_view kOurs = "it is Cannery's own";

constexpr FieldRow kFields[] = {
    {"Precision.threshold", FieldRule::Rename, "thresholds"},
    {"F1Score.average", FieldRule::Always},
    {"F1Score.threshold", FieldRule::Always},
    {"Recall.threshold", FieldRule::Rename, "thresholds"},
    {"RunConfig.threads", FieldRule::Skip},
    {"RunConfig.cache_memory_mb", FieldRule::Skip},
    {"RunConfig.cache_file", FieldRule::Skip},
    {"RunConfig.insights", FieldRule::Skip},
    {"RunConfig.eval_distribute", FieldRule::Skip},
    {"ConstantInitializer.value", FieldRule::Skip},
    {"VocabularyListColumn.vocabulary_list", FieldRule::Skip},
    {"CrossedColumn.key", FieldRule::Skip},
    {"RegressionHead.inverse_link_fn", FieldRule::Skip},
    {"NumericColumn.normalizer", FieldRule::Skip},
    {"NumericColumn.default_value", FieldRule::Skip},
    {"SequenceNumericColumn.normalizer", FieldRule::Skip},
    {"SequenceVocabularyListColumn.vocabulary_list", FieldRule::Skip},
    {"WarmStartVocabulary.var_name", FieldRule::Skip},
    {"WarmStartVocabulary.backup_initializer", FieldRule::Skip},
    {"WarmStartVocabulary.num_oov_buckets", FieldRule::Always},
    {"MirroredStrategy.cross_device_ops", FieldRule::Skip},
    {"CentralStorageStrategy.parameter_device", FieldRule::Skip},
    {"MultiWorkerMirroredStrategy.communication_options", FieldRule::Skip},
    {"ParameterServerStrategy.snapshot_secs", FieldRule::Skip},
    {"ParameterServerStrategy.dense", FieldRule::Refuse, kOurs},
    {"ParameterServerStrategy.embedding", FieldRule::Refuse, kOurs},
    {"ParameterServerStrategy.variable_partitioner", FieldRule::Refuse,
     "TensorFlow cuts variables by an argument of each estimator of its first version only"},
    {"SharedEmbeddings.trainable", FieldRule::Skip},
    {"RNNClassifier.units", FieldRule::Skip},
    {"RNNClassifier.cell_type", FieldRule::Always},
    {"RNNClassifier.stacked_cells", FieldRule::Skip},
    {"RNNEstimator.head", FieldRule::Skip},
    {"RNNEstimator.sequence_mask", FieldRule::Skip},
    {"RNNEstimator.units", FieldRule::Skip},
    {"RNNEstimator.cell_type", FieldRule::Always},
    {"RNNEstimator.stacked_cells", FieldRule::Skip},
    {"BoostedTreesClassifier.n_batches_per_layer", FieldRule::Always},
    {"BoostedTreesRegressor.n_batches_per_layer", FieldRule::Always},
    {"BoostedTreesEstimator.n_batches_per_layer", FieldRule::Always},
    {"BoostedTreesClassifier.histogram", FieldRule::Refuse, kOurs},
    {"BoostedTreesRegressor.histogram", FieldRule::Refuse, kOurs},
    {"BoostedTreesEstimator.histogram", FieldRule::Refuse, kOurs},
};

} // namespace

const CallableRow* callableOf(std::string_view message)
{
    const auto* row = std::find_if(std::begin(kCallables), std::end(kCallables),
                                   [&](const CallableRow& r) { return r.message == message; });
    return row == std::end(kCallables) ? nullptr : row;
}

std::span<const FieldRow> fieldRules()
{
    return kFields;
}

const FieldRow* ruleOf(std::string_view field)
{
    const auto* row = std::find_if(std::begin(kFields), std::end(kFields),
                                   [&](const FieldRow& r) { return r.field == field; });
    return row == std::end(kFields) ? nullptr : row;
}

} // namespace cannery::exporting
