// SPDX-License-Identifier: Apache-2.0
#include "core/spec/spec_resolver.h"

#include "core/spec/message_access.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>
#include <cmath>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr double kLinearLearningRate = 0.2;
constexpr double kLinearBesideDnnLearningRate = 0.005;
constexpr double kBaselineLearningRate = 0.3;
constexpr std::int64_t kSaveCheckpointsSecs = 600;
constexpr std::uint64_t kCrossHashKey = 0xDECAFCAFFEULL;

/// A field that another one takes the place of, so that its default must not be written out.
bool isSuperseded(const Message& message, const FieldDescriptor& field)
{
    const FieldDescriptor* steps = message.GetDescriptor()->FindFieldByName("run_every_steps");
    return field.name() == "run_every_secs" && steps != nullptr &&
           message.GetReflection()->HasField(message, steps);
}

void setDefault(Message& message, const FieldDescriptor& field)
{
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
        return reflection.SetInt64(&message, &field, field.default_value_int64());
    case FieldDescriptor::CPPTYPE_UINT64:
        return reflection.SetUInt64(&message, &field, field.default_value_uint64());
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection.SetDouble(&message, &field, field.default_value_double());
    case FieldDescriptor::CPPTYPE_BOOL:
        return reflection.SetBool(&message, &field, field.default_value_bool());
    case FieldDescriptor::CPPTYPE_ENUM:
        return reflection.SetEnum(&message, &field, field.default_value_enum());
    case FieldDescriptor::CPPTYPE_STRING:
        return reflection.SetString(&message, &field, field.default_value_string());
    default:
        return;
    }
}

/// Writes out every scalar that has a default, here and below.
void writeDefaults(Message& message, bool scheduled = false)
{
    const auto& descriptor = *message.GetDescriptor();
    const Reflection& reflection = *message.GetReflection();
    const bool hasSchedule = descriptor.full_name() == Optimizer::descriptor()->full_name() &&
                             dynamic_cast<Optimizer&>(message).has_learning_rate_schedule();
    for (int i = 0; i < descriptor.field_count(); ++i) {
        const FieldDescriptor& field = *descriptor.field(i);
        if (isMessage(field)) {
            const int count = field.is_repeated() ? reflection.FieldSize(message, &field) : 0;
            for (int element = 0; element < count; ++element) {
                writeDefaults(*reflection.MutableRepeatedMessage(&message, &field, element));
            }
            if (!field.is_repeated() && reflection.HasField(message, &field)) {
                writeDefaults(*reflection.MutableMessage(&message, &field),
                              hasSchedule && field.containing_oneof() != nullptr);
            }
            continue;
        }
        const bool wanted = field.has_default_value() && !field.is_repeated() &&
                            field.containing_oneof() == nullptr &&
                            !reflection.HasField(message, &field);
        if (wanted && !isSuperseded(message, field) &&
            !(scheduled && field.name() == "learning_rate")) {
            setDefault(message, field);
        }
    }
}

/// The optimizer of a Linear or Baseline part when none is chosen.
void defaultToFtrl(Optimizer& optimizer, double learningRate)
{
    if (optimizer.kind_case() != Optimizer::KIND_NOT_SET) {
        return;
    }
    FtrlOptimizer& ftrl = *optimizer.mutable_ftrl();
    if (!optimizer.has_learning_rate_schedule()) {
        ftrl.set_learning_rate(learningRate);
    }
}

void defaultToAdagrad(Optimizer& optimizer)
{
    if (optimizer.kind_case() == Optimizer::KIND_NOT_SET) {
        optimizer.mutable_adagrad();
    }
}

template <typename Combined>
void resolveCombined(const Experiment& experiment, Combined& estimator)
{
    const ColumnIndex index = experiment;
    std::size_t columns = 0; // shared embeddings are several
    for (const std::string& handle : estimator.linear_feature_columns()) {
        const auto names = tensorflowNames(index, handle);
        columns += names ? names->size() : 1;
    }
    if (columns > 0) {
        defaultToFtrl(
            *estimator.mutable_linear_optimizer(),
            std::min(kLinearBesideDnnLearningRate, 1.0 / std::sqrt(static_cast<double>(columns))));
    }
    if (!estimator.dnn_feature_columns().empty()) {
        defaultToAdagrad(*estimator.mutable_dnn_optimizer());
    }
}

template <typename HeadEstimator>
void resolveHead(HeadEstimator& estimator)
{
    if (!estimator.head().has_multi_head()) {
        return;
    }
    MultiHead& multi = *estimator.mutable_head()->mutable_multi_head();
    while (multi.head_weights_size() < multi.heads_size()) {
        multi.add_head_weights(1);
    }
}

void resolveEstimator(const Experiment& experiment, Estimator& estimator)
{
    const auto linear = [](auto& part) {
        defaultToFtrl(*part.mutable_optimizer(), kLinearLearningRate);
    };
    const auto dnn = [](auto& part) { defaultToAdagrad(*part.mutable_optimizer()); };
    const auto baseline = [](auto& part) {
        defaultToFtrl(*part.mutable_optimizer(), kBaselineLearningRate);
    };
    switch (estimator.kind_case()) {
    case Estimator::kLinearClassifier:
        return linear(*estimator.mutable_linear_classifier());
    case Estimator::kLinearRegressor:
        return linear(*estimator.mutable_linear_regressor());
    case Estimator::kLinearEstimator:
        resolveHead(*estimator.mutable_linear_estimator());
        return linear(*estimator.mutable_linear_estimator());
    case Estimator::kDnnClassifier:
        return dnn(*estimator.mutable_dnn_classifier());
    case Estimator::kDnnRegressor:
        return dnn(*estimator.mutable_dnn_regressor());
    case Estimator::kDnnEstimator:
        resolveHead(*estimator.mutable_dnn_estimator());
        return dnn(*estimator.mutable_dnn_estimator());
    case Estimator::kDnnLinearCombinedClassifier:
        return resolveCombined(experiment, *estimator.mutable_dnn_linear_combined_classifier());
    case Estimator::kDnnLinearCombinedRegressor:
        return resolveCombined(experiment, *estimator.mutable_dnn_linear_combined_regressor());
    case Estimator::kDnnLinearCombinedEstimator:
        resolveHead(*estimator.mutable_dnn_linear_combined_estimator());
        return resolveCombined(experiment, *estimator.mutable_dnn_linear_combined_estimator());
    case Estimator::kBaselineClassifier:
        return baseline(*estimator.mutable_baseline_classifier());
    case Estimator::kBaselineRegressor:
        return baseline(*estimator.mutable_baseline_regressor());
    case Estimator::kBaselineEstimator:
        resolveHead(*estimator.mutable_baseline_estimator());
        return baseline(*estimator.mutable_baseline_estimator());
    case Estimator::KIND_NOT_SET:
        return;
    }
}

/// Truncated normal of mean 0 and standard deviation 1/sqrt(dimension).
template <typename Embedding>
void resolveEmbedding(Embedding& embedding)
{
    if (embedding.initializer().kind_case() == Initializer::KIND_NOT_SET &&
        embedding.dimension() > 0) {
        TruncatedNormalInitializer& normal =
            *embedding.mutable_initializer()->mutable_truncated_normal();
        normal.set_mean(0);
        normal.set_stddev(1.0 / std::sqrt(static_cast<double>(embedding.dimension())));
    }
}

void resolveNormalizer(NumericColumn& column, const ResolveOptions& options)
{
    Normalizer& normalizer = *column.mutable_normalizer();
    const bool wantsZScore = normalizer.has_z_score() && !(normalizer.z_score().has_mean() &&
                                                           normalizer.z_score().has_stddev());
    const bool wantsRange = normalizer.has_min_max() &&
                            !(normalizer.min_max().has_min() && normalizer.min_max().has_max());
    if (!(wantsZScore || wantsRange) || !options.statistics) {
        return;
    }
    const auto statistics = options.statistics(column.key());
    if (!statistics) {
        return;
    }
    if (wantsZScore) {
        ZScore& score = *normalizer.mutable_z_score();
        score.set_mean(score.has_mean() ? score.mean() : statistics->mean);
        // A column of one value only is moved, not scaled.
        const double stddev = statistics->stddev > 0 ? statistics->stddev : 1;
        score.set_stddev(score.has_stddev() ? score.stddev() : stddev);
    } else {
        MinMax& range = *normalizer.mutable_min_max();
        range.set_min(range.has_min() ? range.min() : statistics->min);
        const double max = statistics->max > range.min() ? statistics->max : range.min() + 1;
        range.set_max(range.has_max() ? range.max() : max);
    }
}

void resolveColumn(const Experiment& experiment, FeatureColumn& column,
                   const ResolveOptions& options)
{
    switch (column.kind_case()) {
    case FeatureColumn::kNumericColumn: {
        NumericColumn& numeric = *column.mutable_numeric_column();
        if (numeric.shape().empty()) {
            numeric.add_shape(1);
        }
        if (numeric.has_normalizer()) {
            resolveNormalizer(numeric, options);
        }
        return;
    }
    case FeatureColumn::kCrossedColumn:
        if (column.crossed_column().hash_key() == 0) {
            column.mutable_crossed_column()->set_hash_key(kCrossHashKey);
        }
        return;
    case FeatureColumn::kCategoricalColumnWithVocabularyFile: {
        VocabularyFileColumn& file = *column.mutable_categorical_column_with_vocabulary_file();
        if (!file.has_default_value() && file.num_oov_buckets() == 0) {
            file.set_default_value(-1);
        }
        return;
    }
    case FeatureColumn::kEmbeddingColumn:
        return resolveEmbedding(*column.mutable_embedding_column());
    case FeatureColumn::kSharedEmbeddings: {
        SharedEmbeddings& shared = *column.mutable_shared_embeddings();
        resolveEmbedding(shared);
        const auto collection = sharedEmbeddingCollection(experiment, column.name());
        if (shared.shared_embedding_collection_name().empty() && collection) {
            shared.set_shared_embedding_collection_name(*collection);
        }
        return;
    }
    default:
        return;
    }
}

void resolveData(Data& data)
{
    if (data.has_split() && data.split().kind_case() == Split::KIND_NOT_SET) {
        data.mutable_split()->mutable_fraction();
    }
    for (Feature& feature : *data.mutable_feature()) {
        if (feature.has_stack() && feature.stack().shape().empty()) {
            feature.mutable_stack()->add_shape(feature.stack().columns_size());
        }
    }
}

void resolveTraining(Experiment& experiment, const ResolveOptions& options)
{
    RunConfig& config = *experiment.mutable_run_config();
    if (!config.has_tf_random_seed() && options.seed) {
        config.set_tf_random_seed(*options.seed);
    }
    if (!config.has_save_checkpoints_steps() && !config.has_save_checkpoints_secs()) {
        config.set_save_checkpoints_secs(kSaveCheckpointsSecs);
    }
    Input& input = *experiment.mutable_train_spec()->mutable_input();
    if (!input.has_shuffle_seed() && config.has_tf_random_seed()) {
        input.set_shuffle_seed(config.tf_random_seed());
    }
    const bool evaluates = experiment.data().has_eval() || experiment.data().has_split();
    if (evaluates || experiment.has_eval_spec()) {
        Input& rows = *experiment.mutable_eval_spec()->mutable_input();
        if (!rows.has_shuffle()) {
            rows.set_shuffle(false);
        }
        if (!rows.has_shuffle_seed() && rows.shuffle() && config.has_tf_random_seed()) {
            rows.set_shuffle_seed(config.tf_random_seed());
        }
    }
    if (experiment.strategy().kind_case() == Strategy::KIND_NOT_SET) {
        experiment.mutable_strategy()->mutable_one_device();
    }
    if (experiment.has_warm_start() && experiment.warm_start().vars_to_warm_start_case() ==
                                           WarmStart::VARS_TO_WARM_START_NOT_SET) {
        experiment.mutable_warm_start()->set_pattern(".*");
    }
}

} // namespace

Experiment resolve(const Experiment& experiment, const ResolveOptions& options)
{
    Experiment resolved = experiment;
    if (resolved.has_data()) {
        resolveData(*resolved.mutable_data());
    }
    for (FeatureColumn& column : *resolved.mutable_feature_column()) {
        resolveColumn(experiment, column, options);
    }
    if (resolved.has_estimator()) {
        resolveEstimator(experiment, *resolved.mutable_estimator());
    }
    resolveTraining(resolved, options);
    writeDefaults(resolved);
    return resolved;
}

} // namespace cannery::spec
