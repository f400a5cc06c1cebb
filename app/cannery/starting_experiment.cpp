// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/starting_experiment.h"

#include "core/base/catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace cannery::app {

namespace {

constexpr ErrorKind kUnknownLabel{"data.unknown_label", "The table has no label column '{}'.{}"};
constexpr ErrorKind kLabelEmpty{"data.label_empty",
                                "The column '{}' cannot be a label: it has only one value."};
constexpr ErrorKind kLabelTooManyClasses{
    "data.label_too_many_classes",
    "The column '{}' cannot be a label: it has {} different texts; a label is a number or one of "
    "at most {} classes."};
constexpr ErrorKind kLabelMissing{
    "data.label_missing",
    "The label column '{}' is empty in {} of the rows; remove these rows first."};
constexpr ErrorKind kEstimatorLabelMismatch{
    "data.estimator_label_mismatch",
    "The estimator '{}' does not fit the label '{}', which makes a {}."};
constexpr ErrorKind kLabelOfClusters{"command.usage.label_of_clusters",
                                     "The estimator '{0}' learns without a label: leave out "
                                     "--label, and give --leave-out {1} if the "
                                     "clusters are not to depend on it."};
constexpr ErrorKind kNothingToCluster{
    "new.nothing_to_cluster",
    "No column is left to find clusters in: they are made of numbers and of categories with few "
    "values."};
constexpr ErrorKind kLabelLeftOut{
    "command.usage.label_left_out",
    "The label '{}' cannot be left out: it is what the model predicts. Name another column."};
constexpr ErrorKind kUnknownLeftOut{"command.usage.unknown_column",
                                    "The table has no column '{}' to leave out.{}"};
constexpr ErrorKind kTreesOfLists{
    "new.trees_of_lists",
    "Boosted trees read one category per cell, and '{0}' has lists. Leave it out with --leave-out "
    "{0}, or choose another estimator."};
constexpr ErrorKind kNothingToLearnFrom{
    "new.nothing_to_learn_from", "No column is left to predict '{}' from; see what was left out, "
                                 "with --dry-run --estimator baseline."};

/// The fraction held back to measure a first model; it is designed on the other rows.
constexpr double kEvalFraction = 0.1;
/// For a small table, where each row held back makes the model worse, and where the design is
/// chosen by cross-validation anyway.
constexpr double kEvalFractionOfFew = 0.05;
constexpr std::uint64_t kFewRows = 1500;
/// With fewer rows in a class, the smaller part would hardly get two.
constexpr std::uint64_t kFewestForSmallPart = 40;
/// With fewer rows, some are only held back if there are kFewestOfColumn per column.
constexpr std::uint64_t kFewestToHoldBackFrom = 300;
/// With even fewer, an evaluation would mean nothing.
constexpr std::uint64_t kFewestOfFewColumns = 100;
constexpr std::uint64_t kFewestOfColumn = 10;
constexpr std::uint64_t kMostClasses = 100;
constexpr std::uint64_t kMostIntegerClasses = 20;
/// Larger vocabularies are hashed, and some words share a bucket.
constexpr std::uint64_t kLargestVocabulary = 1000;
/// Then about one category in twelve shares its bucket.
constexpr std::uint64_t kBucketsOfCategory = 12;
constexpr std::uint64_t kLargestIndicator = 16;
constexpr std::uint64_t kFewestListBuckets = 100;
constexpr std::uint64_t kMostListBuckets = 10'000;
constexpr std::int64_t kListDimension = 8;

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

/// The label's scale and offset, rounded by at most a hundredth of its deviation.
LabelChoice numberLabel(const data::ColumnStatistics& label)
{
    LabelChoice choice;
    if (label.deviation > 0 && std::isfinite(label.deviation)) {
        choice.scale = roundedWithin(label.deviation, label.deviation / 100);
        choice.offset = roundedWithin(label.mean, label.deviation / 100);
    }
    return choice;
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
        return numberLabel(label);
    }
    if (label.distinct > kMostClasses || label.top.size() < label.distinct) {
        return fail(ErrorCode::InvalidArgument, kLabelTooManyClasses, label.name, label.distinct,
                    kMostClasses);
    }
    LabelChoice choice{.task = label.distinct == 2 ? LabelTask::Binary : LabelTask::MultiClass,
                       .classes = static_cast<std::int64_t>(label.distinct)};
    std::vector<std::string> values = valuesOf(label);
    if (!isInteger(label.dtype) || !areClassIds(values)) {
        std::sort(values.begin(), values.end());
        choice.vocabulary = std::move(values);
        choice.readAsText = number;
    }
    return choice;
}

std::string taskName(const LabelChoice& label)
{
    switch (label.task) {
    case LabelTask::Binary:
        return "binary classification";
    case LabelTask::MultiClass:
        return fmt::format("classification into {} classes", label.classes);
    case LabelTask::Regression:
        break;
    }
    return "regression";
}

spec::FeatureColumn& addColumn(spec::Experiment& experiment, const std::string& name)
{
    spec::FeatureColumn& column = *experiment.add_feature_column();
    column.set_name(name);
    return column;
}

void addScaled(spec::Experiment& experiment, const std::string& column, const ColumnRule& rule,
               ModelColumns& columns)
{
    spec::NumericColumn& scaled = *addColumn(experiment, column).mutable_numeric_column();
    scaled.set_key(column);
    if (rule.kind == ColumnRule::Kind::Logarithm) {
        spec::Log& log = *scaled.mutable_normalizer()->mutable_log();
        log.set_offset(rule.logOffset);
        log.set_subtract(rule.logMean);
        log.set_divide(rule.logDeviation);
    } else {
        scaled.mutable_normalizer()->mutable_z_score();
    }
    columns.plain.push_back(column);
    columns.deep.push_back(column);
}

void addBuckets(spec::Experiment& experiment, const std::string& column, const ColumnRule& rule,
                ModelColumns& columns)
{
    if (rule.boundaries.empty()) {
        return;
    }
    addColumn(experiment, column + "_raw").mutable_numeric_column()->set_key(column);
    const std::string name = column + "_buckets";
    spec::BucketizedColumn& buckets = *addColumn(experiment, name).mutable_bucketized_column();
    buckets.set_source_column(column + "_raw");
    for (const double boundary : rule.boundaries) {
        buckets.add_boundaries(boundary);
    }
    if (rule.kind == ColumnRule::Kind::Tails) {
        columns.plain.push_back(name);
        columns.deep.push_back(name);
    } else {
        columns.buckets.push_back(name);
    }
}

void setWords(spec::FeatureColumn& made, const data::ColumnStatistics& column)
{
    const bool isText = !isNumber(column.dtype);
    if (column.distinct <= kLargestVocabulary && column.top.size() == column.distinct) {
        auto& vocabulary = *made.mutable_categorical_column_with_vocabulary_list();
        vocabulary.set_key(column.name);
        for (const std::string& value : valuesOf(column)) {
            vocabulary.add_vocabulary_list(value);
        }
        if (!isText) {
            vocabulary.set_dtype(spec::DataType::int64);
        }
        return;
    }
    auto& hashed = *made.mutable_categorical_column_with_hash_bucket();
    hashed.set_key(column.name);
    hashed.set_hash_bucket_size(static_cast<std::int64_t>(column.distinct * kBucketsOfCategory));
    if (!isText) {
        hashed.set_dtype(spec::DataType::int64);
    }
}

void addCategory(spec::Experiment& experiment, const data::ColumnStatistics& column,
                 ModelColumns& columns)
{
    const std::string& category = column.name;
    setWords(addColumn(experiment, category), column);
    columns.plain.push_back(category);
    const bool indicator = column.distinct <= kLargestIndicator;
    const std::string name = category + (indicator ? "_indicator" : "_embedding");
    spec::FeatureColumn& dense = addColumn(experiment, name);
    if (indicator) {
        dense.mutable_indicator_column()->set_categorical_column(category);
    } else {
        auto& embedding = *dense.mutable_embedding_column();
        embedding.set_categorical_column(category);
        embedding.set_dimension(
            std::max<std::int64_t>(2, std::llround(1.6 * std::pow(column.distinct, 0.25))));
    }
    columns.deep.push_back(name);
}

/// A feature of the values of each cell, in hash buckets: they are not counted one by one.
void addList(const data::ColumnSchema& schema, const data::ColumnStatistics& column,
             StartingExperiment& result)
{
    if (isFloating(*schema.listOf)) {
        result.leftOut.push_back({schema.name, "lists of numbers that are no categories"});
        return;
    }
    const auto dtype = static_cast<spec::DataType::Name>(*schema.listOf);
    spec::Feature& feature = *result.experiment.mutable_data()->add_feature();
    feature.set_name(schema.name);
    feature.mutable_split()->set_column(schema.name);
    feature.mutable_split()->set_separator(std::string(1, data::kListSeparator));
    feature.mutable_split()->set_dtype(dtype);
    auto& hashed =
        *addColumn(result.experiment, schema.name).mutable_categorical_column_with_hash_bucket();
    hashed.set_key(schema.name);
    hashed.set_dtype(dtype);
    hashed.set_hash_bucket_size(static_cast<std::int64_t>(std::clamp<std::uint64_t>(
        column.distinct * kBucketsOfCategory, kFewestListBuckets, kMostListBuckets)));
    result.columns.plain.push_back(schema.name);
    const std::string name = schema.name + "_embedding";
    auto& embedding = *addColumn(result.experiment, name).mutable_embedding_column();
    embedding.set_categorical_column(schema.name);
    embedding.set_dimension(kListDimension);
    result.columns.deep.push_back(name);
    result.taken.push_back({schema.name, "lists: each value in a hash bucket"});
}

/// The default for missing numbers, written out so that users see it.
void describeColumn(spec::Experiment& experiment, const data::ColumnSchema& schema,
                    const ColumnRule& rule)
{
    if (!rule.defaultValue && schema.missingTokens.empty()) {
        return;
    }
    spec::Column& entry = *experiment.mutable_data()->add_column();
    entry.set_name(schema.name);
    for (const std::string& token : schema.missingTokens) {
        entry.add_missing_token(token);
    }
    if (rule.defaultValue) {
        entry.set_default_value(*rule.defaultValue);
    }
}

void addColumns(const TableFacts& facts, const EstimatorChoice& estimator,
                StartingExperiment& result)
{
    for (std::size_t i = 0; i < facts.schema.columns.size(); ++i) {
        const data::ColumnSchema& schema = facts.schema.columns[i];
        const data::ColumnStatistics& column = facts.statistics.columns[i];
        if (schema.name == facts.label) {
            continue;
        }
        if (std::find(facts.leaveOut.begin(), facts.leaveOut.end(), schema.name) !=
            facts.leaveOut.end()) {
            result.leftOut.push_back({schema.name, "as you asked"});
            continue;
        }
        const bool areClusters = estimator.family == ModelFamily::Clusters;
        if (schema.listOf && areClusters) {
            result.leftOut.push_back({schema.name, "lists: no distance is defined between them"});
            continue;
        }
        if (schema.listOf && estimator.family != ModelFamily::Baseline) {
            addList(schema, column, result);
            continue;
        }
        const ColumnRule rule = ruleOf(schema, column, facts.statistics.rows);
        if (rule.kind == ColumnRule::Kind::LeftOut) {
            result.leftOut.push_back({schema.name, rule.remark});
            continue;
        }
        if (estimator.family == ModelFamily::Baseline) {
            continue;
        }
        if (areClusters && rule.isCategory() && column.distinct > kLargestIndicator) {
            result.leftOut.push_back(
                {schema.name, fmt::format("{} categories: too many for a distance between rows",
                                          column.distinct)});
            continue;
        }
        if (!rule.remark.empty()) {
            result.taken.push_back({schema.name, rule.remark});
        }
        describeColumn(result.experiment, schema, rule);
        if (rule.isScaled()) {
            addScaled(result.experiment, schema.name, rule, result.columns);
        }
        if (rule.isCategory()) {
            addCategory(result.experiment, column, result.columns);
        }
        if (rule.kind != ColumnRule::Kind::Category) {
            addBuckets(result.experiment, schema.name, rule, result.columns);
        }
    }
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

Result<void> checkLeftOut(const TableFacts& facts)
{
    const std::vector<std::string> names = facts.schema.names();
    for (const std::string& column : facts.leaveOut) {
        if (column == facts.label) {
            return fail(ErrorCode::InvalidArgument, kLabelLeftOut, column);
        }
        if (std::find(names.begin(), names.end(), column) == names.end()) {
            return fail(ErrorCode::InvalidArgument, kUnknownLeftOut, column,
                        suggestion(column, names));
        }
    }
    return {};
}

double evalFraction(std::uint64_t rows, const data::ColumnStatistics& label, bool classification)
{
    std::uint64_t rarest = rows;
    if (classification) {
        for (const data::ValueCount& value : label.top) {
            rarest = std::min(rarest, value.count);
        }
    }
    const bool isSmallPartEnough =
        rows >= kFewestToHoldBackFrom && rows < kFewRows && rarest >= kFewestForSmallPart;
    return isSmallPartEnough ? kEvalFractionOfFew : kEvalFraction;
}

bool areSomeHeldBack(const data::TableStatistics& statistics)
{
    const std::uint64_t rows = statistics.rows;
    return rows >= kFewestToHoldBackFrom ||
           (rows >= kFewestOfFewColumns && rows >= kFewestOfColumn * statistics.columns.size());
}

void setData(spec::Experiment& experiment, const data::TableStatistics& statistics,
             const data::ColumnStatistics& label, bool classification)
{
    if (!areSomeHeldBack(statistics)) {
        return;
    }
    auto& split = *experiment.mutable_data()->mutable_split()->mutable_fraction();
    split.set_eval_fraction(evalFraction(statistics.rows, label, classification));
    split.set_seed(1);
    split.set_stratify(classification);
}

/// All columns, and no label.
Result<StartingExperiment> clustering(const TableFacts& facts, const EstimatorChoice& estimator)
{
    if (!facts.label.empty()) {
        return fail(ErrorCode::InvalidArgument, kLabelOfClusters, facts.estimator, facts.label);
    }
    CANNERY_TRY(checkLeftOut(facts));
    StartingExperiment result{.family = estimator.family, .task = "clustering"};
    addColumns(facts, estimator, result);
    if (result.columns.deep.empty()) {
        return fail(ErrorCode::InvalidArgument, kNothingToCluster);
    }
    return result;
}

} // namespace

Result<StartingExperiment> makeStartingExperiment(const TableFacts& facts)
{
    CANNERY_TRY_ASSIGN(const EstimatorChoice estimator, chooseEstimator(facts.estimator));
    if (estimator.family == ModelFamily::Clusters) {
        return clustering(facts, estimator);
    }
    CANNERY_TRY_ASSIGN(const data::ColumnStatistics* labelColumn, labelStatistics(facts));
    CANNERY_TRY(checkLeftOut(facts));
    CANNERY_TRY_ASSIGN(const LabelChoice label, chooseLabel(*labelColumn, estimator.classifier));
    const bool classification = label.task != LabelTask::Regression;
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
    result.label = label;
    result.family = estimator.family;
    addColumns(facts, estimator, result);
    if (estimator.family == ModelFamily::Trees && experiment.data().feature_size() > 0) {
        return fail(ErrorCode::InvalidArgument, kTreesOfLists, experiment.data().feature(0).name());
    }
    const bool empty = result.columns.plain.empty();
    if (empty && estimator.family != ModelFamily::Baseline) {
        return fail(ErrorCode::InvalidArgument, kNothingToLearnFrom, facts.label);
    }
    setData(experiment, facts.statistics, *labelColumn, classification);
    return result;
}

} // namespace cannery::app
