#include "app/cannery/starting_experiment.h"

#include "core/base/catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace cannery::app {

namespace {

constexpr ErrorKind kUnknownLabel{"data.unknown_label",
                                  "The table has no column '{}' for a label.{}"};
constexpr ErrorKind kLabelEmpty{"data.label_empty",
                                "The column '{}' cannot be a label: it has only one value."};
constexpr ErrorKind kLabelTooManyClasses{
    "data.label_too_many_classes",
    "The column '{}' cannot be a label: it holds {} different texts; a label is a number or one of "
    "at most {} classes."};
constexpr ErrorKind kLabelMissing{
    "data.label_missing", "The label column '{}' is missing in {} rows; remove these rows first."};
constexpr ErrorKind kEstimatorLabelMismatch{
    "data.estimator_label_mismatch",
    "The estimator '{}' does not fit the label '{}', which makes a {}."};
constexpr ErrorKind kUnknownEstimator{"command.usage", "There is no estimator '{}'.{}"};

constexpr std::uint64_t kMostClasses = 100;
constexpr std::uint64_t kMostIntegerClasses = 20;
constexpr std::uint64_t kLargestVocabulary = 100;
constexpr std::uint64_t kLargestIndicator = 16;
constexpr int kBucketQuantiles[] = {20, 40, 60, 80};

enum class Task
{
    Binary,
    MultiClass,
    Regression
};

enum class Family
{
    Baseline,
    Linear,
    Dnn,
    Combined
};

struct FamilyRow
{
    std::string_view key;
    Family family;
};

constexpr FamilyRow kFamilies[] = {
    {"baseline", Family::Baseline},
    {"linear", Family::Linear},
    {"dnn", Family::Dnn},
    {"dnn_linear_combined", Family::Combined},
};

struct LabelChoice
{
    Task task = Task::Regression;
    std::vector<std::string> vocabulary; ///< empty: class ids 0..n-1, or a number
    std::int64_t classes = 0;
    bool readAsText = false; ///< integers that are not 0..n-1 become texts of a vocabulary
};

struct EstimatorChoice
{
    Family family = Family::Combined;
    std::optional<bool> classifier; ///< what the name demanded
};

bool isNumber(DType dtype)
{
    return dtype != DType::String;
}

std::vector<std::string> valuesOf(const data::ColumnStatistics& column)
{
    std::vector<std::string> values;
    for (const data::ValueCount& value : column.top) {
        values.push_back(value.value);
    }
    return values;
}

/// Whether the values are exactly 0, 1, …, n-1.
bool areClassIds(const std::vector<std::string>& values)
{
    for (std::size_t id = 0; id < values.size(); ++id) {
        if (std::find(values.begin(), values.end(), std::to_string(id)) == values.end()) {
            return false;
        }
    }
    return true;
}

Result<LabelChoice> chooseLabel(const data::ColumnStatistics& label,
                                const std::optional<bool>& classifier)
{
    if (label.missing > 0) {
        return fail(ErrorCode::InvalidArgument, kLabelMissing, label.name, label.missing);
    }
    if (label.distinct < 2) {
        return fail(ErrorCode::InvalidArgument, kLabelEmpty, label.name);
    }
    const bool number = isNumber(label.dtype);
    const bool fewIntegers = isInteger(label.dtype) && label.distinct <= kMostIntegerClasses;
    const bool wantsClasses = classifier.value_or(!number || fewIntegers);
    if (!wantsClasses && number) {
        return LabelChoice{};
    }
    if (label.distinct > kMostClasses || label.top.size() < label.distinct) {
        return fail(ErrorCode::InvalidArgument, kLabelTooManyClasses, label.name, label.distinct,
                    kMostClasses);
    }
    LabelChoice choice{.task = label.distinct == 2 ? Task::Binary : Task::MultiClass,
                       .classes = static_cast<std::int64_t>(label.distinct)};
    std::vector<std::string> values = valuesOf(label);
    if (!isInteger(label.dtype) || !areClassIds(values)) {
        std::sort(values.begin(), values.end());
        choice.vocabulary = std::move(values);
        choice.readAsText = number;
    }
    return choice;
}

Result<EstimatorChoice> chooseEstimator(const std::string& wanted)
{
    if (wanted.empty() || wanted == "auto") {
        return EstimatorChoice{};
    }
    for (const FamilyRow& row : kFamilies) {
        if (wanted == row.key) {
            return EstimatorChoice{.family = row.family};
        }
        if (wanted == std::string(row.key) + "_classifier") {
            return EstimatorChoice{.family = row.family, .classifier = true};
        }
        if (wanted == std::string(row.key) + "_regressor") {
            return EstimatorChoice{.family = row.family, .classifier = false};
        }
    }
    return fail(ErrorCode::InvalidArgument, kUnknownEstimator, wanted,
                suggestion(wanted, estimatorChoices()));
}

std::string taskName(const LabelChoice& label)
{
    switch (label.task) {
    case Task::Binary:
        return "binary classification";
    case Task::MultiClass:
        return fmt::format("classification into {} classes", label.classes);
    case Task::Regression:
        break;
    }
    return "regression";
}

/// Rounds to what a person would write: four significant digits.
double rounded(double value)
{
    return std::stod(fmt::format("{:.4g}", value));
}

/// Handles of the columns made so far, by where they may be used.
struct ColumnHandles
{
    std::vector<std::string> wide;
    std::vector<std::string> deep;
    std::vector<std::string> linear; ///< for a linear model alone: numbers as they are
};

spec::FeatureColumn& addColumn(spec::Experiment& experiment, const std::string& name)
{
    spec::FeatureColumn& column = *experiment.add_feature_column();
    column.set_name(name);
    return column;
}

void addNumber(spec::Experiment& experiment, const data::ColumnStatistics& column, bool bucketize,
               ColumnHandles& handles)
{
    spec::NumericColumn& scaled = *addColumn(experiment, column.name).mutable_numeric_column();
    scaled.set_key(column.name);
    scaled.mutable_normalizer()->mutable_z_score();
    handles.deep.push_back(column.name);
    handles.linear.push_back(column.name);
    std::vector<double> boundaries;
    for (const int percent : kBucketQuantiles) {
        if (column.quantiles.size() == 101) {
            boundaries.push_back(rounded(column.quantiles[static_cast<std::size_t>(percent)]));
        }
    }
    boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
    if (!bucketize || boundaries.size() < 2) {
        return;
    }
    addColumn(experiment, column.name + "_raw").mutable_numeric_column()->set_key(column.name);
    spec::BucketizedColumn& buckets =
        *addColumn(experiment, column.name + "_buckets").mutable_bucketized_column();
    buckets.set_source_column(column.name + "_raw");
    for (const double boundary : boundaries) {
        buckets.add_boundaries(boundary);
    }
    handles.wide.push_back(column.name + "_buckets");
}

void addCategory(spec::Experiment& experiment, const data::ColumnStatistics& column, bool deep,
                 ColumnHandles& handles)
{
    spec::FeatureColumn& made = addColumn(experiment, column.name);
    if (column.distinct <= kLargestVocabulary && column.top.size() == column.distinct) {
        auto& vocabulary = *made.mutable_categorical_column_with_vocabulary_list();
        vocabulary.set_key(column.name);
        for (const std::string& value : valuesOf(column)) {
            vocabulary.add_vocabulary_list(value);
        }
    } else {
        auto& hashed = *made.mutable_categorical_column_with_hash_bucket();
        hashed.set_key(column.name);
        hashed.set_hash_bucket_size(static_cast<std::int64_t>(column.distinct * 2));
    }
    handles.wide.push_back(column.name);
    handles.linear.push_back(column.name);
    if (!deep) {
        return;
    }
    const bool indicator = column.distinct <= kLargestIndicator;
    const std::string name = column.name + (indicator ? "_indicator" : "_embedding");
    spec::FeatureColumn& dense = addColumn(experiment, name);
    if (indicator) {
        dense.mutable_indicator_column()->set_categorical_column(column.name);
    } else {
        auto& embedding = *dense.mutable_embedding_column();
        embedding.set_categorical_column(column.name);
        embedding.set_dimension(
            std::max<std::int64_t>(2, std::llround(1.6 * std::pow(column.distinct, 0.25))));
    }
    handles.deep.push_back(name);
}

bool isLearnable(data::ColumnKind kind)
{
    return kind == data::ColumnKind::Number || kind == data::ColumnKind::Category;
}

/// Missing numbers become the median, written where a person sees it.
void describeColumn(spec::Experiment& experiment, const data::ColumnSchema& schema,
                    const data::ColumnStatistics& column)
{
    const bool fillNumber = isNumber(schema.dtype) && (column.missing > 0 || column.nan > 0) &&
                            column.quantiles.size() == 101;
    if (!fillNumber && schema.missingTokens.empty()) {
        return;
    }
    spec::Column& entry = *experiment.mutable_data()->add_column();
    entry.set_name(schema.name);
    for (const std::string& token : schema.missingTokens) {
        entry.add_missing_token(token);
    }
    if (fillNumber) {
        const double median = rounded(column.quantiles[50]);
        entry.set_default_value(isInteger(schema.dtype) ? fmt::format("{}", std::llround(median))
                                                        : fmt::format("{}", median));
    }
}

template <typename Estimator>
void setColumns(Estimator& estimator, const std::vector<std::string>& columns)
{
    for (const std::string& column : columns) {
        estimator.add_feature_columns(column);
    }
}

template <typename Estimator>
void setCombinedColumns(Estimator& estimator, const ColumnHandles& handles)
{
    for (const std::string& column : handles.wide) {
        estimator.add_linear_feature_columns(column);
    }
    for (const std::string& column : handles.deep) {
        estimator.add_dnn_feature_columns(column);
    }
    estimator.add_dnn_hidden_units(64);
    estimator.add_dnn_hidden_units(32);
    estimator.mutable_dnn_optimizer()->mutable_adagrad()->set_learning_rate(0.05);
}

template <typename Estimator>
void setHiddenUnits(Estimator& estimator)
{
    estimator.add_hidden_units(64);
    estimator.add_hidden_units(32);
    estimator.mutable_optimizer()->mutable_adagrad()->set_learning_rate(0.05);
}

template <typename Estimator>
Estimator& asClassifier(Estimator& estimator, const LabelChoice& label)
{
    if (label.task == Task::MultiClass) {
        estimator.set_n_classes(label.classes);
    }
    for (const std::string& name : label.vocabulary) {
        estimator.add_label_vocabulary(name);
    }
    return estimator;
}

void setClassifier(spec::Estimator& estimator, Family family, const LabelChoice& label,
                   const ColumnHandles& handles)
{
    switch (family) {
    case Family::Baseline:
        asClassifier(*estimator.mutable_baseline_classifier(), label);
        break;
    case Family::Linear:
        setColumns(asClassifier(*estimator.mutable_linear_classifier(), label), handles.linear);
        break;
    case Family::Dnn:
        setColumns(asClassifier(*estimator.mutable_dnn_classifier(), label), handles.deep);
        setHiddenUnits(*estimator.mutable_dnn_classifier());
        break;
    case Family::Combined:
        setCombinedColumns(asClassifier(*estimator.mutable_dnn_linear_combined_classifier(), label),
                           handles);
        break;
    }
}

void setRegressor(spec::Estimator& estimator, Family family, const ColumnHandles& handles)
{
    switch (family) {
    case Family::Baseline:
        estimator.mutable_baseline_regressor();
        break;
    case Family::Linear:
        setColumns(*estimator.mutable_linear_regressor(), handles.linear);
        break;
    case Family::Dnn:
        setColumns(*estimator.mutable_dnn_regressor(), handles.deep);
        setHiddenUnits(*estimator.mutable_dnn_regressor());
        break;
    case Family::Combined:
        setCombinedColumns(*estimator.mutable_dnn_linear_combined_regressor(), handles);
        break;
    }
}

void setTraining(spec::Experiment& experiment, std::uint64_t rows, bool classification)
{
    auto& split = *experiment.mutable_data()->mutable_split()->mutable_fraction();
    split.set_eval_fraction(0.2);
    split.set_seed(1);
    split.set_stratify(classification);
    constexpr std::int64_t kBatch = 32;
    const auto steps =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(rows) * 20 / kBatch, 500, 20000) / 100 *
        100;
    experiment.mutable_train_spec()->set_max_steps(steps);
    experiment.mutable_train_spec()->mutable_input()->set_batch_size(kBatch);
    experiment.mutable_eval_spec()->set_steps(0);
    experiment.mutable_eval_spec()->set_throttle_secs(0);
    experiment.mutable_eval_spec()->mutable_input()->set_batch_size(512);
    experiment.mutable_eval_spec()->add_exporter()->mutable_best_exporter()->set_name("best");
    experiment.mutable_run_config()->set_tf_random_seed(1);
    experiment.mutable_run_config()->set_save_checkpoints_steps(
        std::max<std::int64_t>(100, steps / 5));
}

Result<const data::ColumnStatistics*> labelStatistics(const TableFacts& facts)
{
    const data::ColumnStatistics* label = facts.statistics.find(facts.label);
    if (label == nullptr) {
        return fail(ErrorCode::NotFound, kUnknownLabel, facts.label,
                    suggestion(facts.label, facts.schema.names()));
    }
    return label;
}

} // namespace

std::vector<std::string> estimatorChoices()
{
    std::vector<std::string> names{"auto"};
    for (const FamilyRow& row : kFamilies) {
        const std::string name(row.key);
        names.insert(names.end(), {name, name + "_classifier", name + "_regressor"});
    }
    return names;
}

Result<StartingExperiment> makeStartingExperiment(const TableFacts& facts)
{
    CANNERY_TRY_ASSIGN(const EstimatorChoice estimator, chooseEstimator(facts.estimator));
    CANNERY_TRY_ASSIGN(const data::ColumnStatistics* labelColumn, labelStatistics(facts));
    CANNERY_TRY_ASSIGN(const LabelChoice label, chooseLabel(*labelColumn, estimator.classifier));
    const bool classification = label.task != Task::Regression;
    if (estimator.classifier.value_or(classification) != classification) {
        return fail(ErrorCode::InvalidArgument, kEstimatorLabelMismatch, facts.estimator,
                    facts.label, taskName(label));
    }
    StartingExperiment result{.task = taskName(label)};
    spec::Experiment& experiment = result.experiment;
    experiment.mutable_data()->mutable_label()->set_column(facts.label);
    if (label.readAsText) {
        spec::Column& entry = *experiment.mutable_data()->add_column();
        entry.set_name(facts.label);
        entry.set_dtype(spec::DataType::string);
    }
    ColumnHandles handles;
    for (const data::ColumnSchema& schema : facts.schema.columns) {
        const data::ColumnStatistics* column = facts.statistics.find(schema.name);
        if (schema.name == facts.label || column == nullptr) {
            continue;
        }
        if (!isLearnable(schema.kind)) {
            result.leftOut.push_back(
                {schema.name, fmt::format("{}: {}", data::name(schema.kind), schema.kindReason)});
            continue;
        }
        if (estimator.family == Family::Baseline) {
            continue;
        }
        describeColumn(experiment, schema, *column);
        if (isNumber(schema.dtype)) {
            addNumber(experiment, *column, estimator.family == Family::Combined, handles);
        } else {
            addCategory(experiment, *column, estimator.family != Family::Linear, handles);
        }
    }
    if (classification) {
        setClassifier(*experiment.mutable_estimator(), estimator.family, label, handles);
    } else {
        setRegressor(*experiment.mutable_estimator(), estimator.family, handles);
    }
    setTraining(experiment, facts.statistics.rows, classification);
    return result;
}

} // namespace cannery::app
