// SPDX-License-Identifier: Apache-2.0
#include "core/advice/starting_experiment.h"

#include "core/advice/cell_values.h"
#include "core/advice/date_features.h"
#include "core/advice/feature_names.h"
#include "core/advice/label_choice.h"
#include "core/advice/piece_features.h"
#include "core/advice/suggested_reading.h"
#include "core/base/catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace cannery::advice {

namespace {

constexpr ErrorKind kUnknownLabel{"data.unknown_label", "The table has no label column '{}'.{}"};
constexpr ErrorKind kEstimatorLabelMismatch{
    "data.estimator_label_mismatch",
    "The estimator '{}' does not fit the label '{}', which makes a {}."};
constexpr ErrorKind kLabelOfClusters{"command.usage.label_of_clusters",
                                     "The estimator '{0}' learns without a label: leave out "
                                     "--label, and give --leave-out {1} if the "
                                     "clusters are not to depend on it."};
constexpr ErrorKind kLabelNotation{"new.label_notation", "The label '{}' {}."};
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
    "new.nothing_to_learn_from",
    "No column is left to predict '{}' from{}. Give a table with other columns, or "
    "--estimator baseline for a model that needs none."};
/// Columns left out that an error names.
constexpr std::size_t kMostLeftOutNamed = 5;

/// The fraction held back to measure a first model; it is designed on the other rows.
constexpr double kEvalFraction = 0.1;
/// Of a small table a tenth would be too few rows to compare models.
constexpr double kEvalFractionOfFew = 0.2;
constexpr std::uint64_t kRowsForSmallSplit = 2000;
/// With fewer rows, some are only held back if there are kFewestOfColumn per column.
constexpr std::uint64_t kFewestToHoldBackFrom = 300;
/// With even fewer, an evaluation would mean nothing.
constexpr std::uint64_t kFewestOfFewColumns = 100;
constexpr std::uint64_t kFewestOfColumn = 10;
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

void addScaled(spec::Experiment& experiment, const std::string& feature, const ColumnRule& rule,
               ModelColumns& columns)
{
    spec::NumericColumn& scaled = *addColumn(experiment, feature).mutable_numeric_column();
    scaled.set_key(feature);
    if (rule.kind == ColumnRule::Kind::Logarithm) {
        spec::Log& log = *scaled.mutable_normalizer()->mutable_log();
        log.set_offset(rule.logOffset);
        log.set_subtract(rule.logMean);
        log.set_divide(rule.logDeviation);
    } else if (rule.kind == ColumnRule::Kind::Number) {
        scaled.mutable_normalizer()->mutable_z_score();
    }
    columns.plain.push_back(feature);
    columns.deep.push_back(feature);
}

void addBuckets(spec::Experiment& experiment, const std::string& feature, const ColumnRule& rule,
                FeatureNames& names, ModelColumns& columns)
{
    if (rule.boundaries.empty()) {
        return;
    }
    const std::string raw = names.columnName(feature + "_raw");
    addColumn(experiment, raw).mutable_numeric_column()->set_key(feature);
    const std::string name = names.columnName(feature + "_buckets");
    spec::BucketizedColumn& buckets = *addColumn(experiment, name).mutable_bucketized_column();
    buckets.set_source_column(raw);
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

void setWords(spec::FeatureColumn& made, const std::string& feature,
              const data::ColumnStatistics& column)
{
    const bool isText = !isNumber(column.dtype);
    if (column.distinct <= kLargestVocabulary && column.top.size() == column.distinct) {
        auto& vocabulary = *made.mutable_categorical_column_with_vocabulary_list();
        vocabulary.set_key(feature);
        for (const std::string& value : valuesOf(column)) {
            vocabulary.add_vocabulary_list(value);
        }
        if (!isText) {
            vocabulary.set_dtype(spec::DataType::int64);
        }
        return;
    }
    auto& hashed = *made.mutable_categorical_column_with_hash_bucket();
    hashed.set_key(feature);
    hashed.set_hash_bucket_size(static_cast<std::int64_t>(column.distinct * kBucketsOfCategory));
    if (!isText) {
        hashed.set_dtype(spec::DataType::int64);
    }
}

void addCategory(spec::Experiment& experiment, const std::string& category,
                 const data::ColumnStatistics& column, FeatureNames& names, ModelColumns& columns)
{
    setWords(addColumn(experiment, category), category, column);
    columns.plain.push_back(category);
    const bool indicator = column.distinct <= kLargestIndicator;
    const std::string name = names.columnName(category + (indicator ? "_indicator" : "_embedding"));
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
             FeatureNames& names, StartingExperiment& result)
{
    if (isFloating(*schema.listOf)) {
        result.leftOut.push_back({schema.name, "lists of numbers that are no categories"});
        return;
    }
    const auto dtype = static_cast<spec::DataType::Name>(*schema.listOf);
    spec::Feature& feature = *result.experiment.mutable_data()->add_feature();
    const std::string& made = names.featureOf(schema.name);
    feature.set_name(made);
    feature.mutable_split()->set_column(schema.name);
    feature.mutable_split()->set_separator(std::string(1, data::kListSeparator));
    feature.mutable_split()->set_dtype(dtype);
    auto& hashed =
        *addColumn(result.experiment, made).mutable_categorical_column_with_hash_bucket();
    hashed.set_key(made);
    hashed.set_dtype(dtype);
    hashed.set_hash_bucket_size(static_cast<std::int64_t>(std::clamp<std::uint64_t>(
        column.distinct * kBucketsOfCategory, kFewestListBuckets, kMostListBuckets)));
    result.columns.plain.push_back(made);
    const std::string name = names.columnName(made + "_embedding");
    auto& embedding = *addColumn(result.experiment, name).mutable_embedding_column();
    embedding.set_categorical_column(made);
    embedding.set_dimension(kListDimension);
    result.columns.deep.push_back(name);
    result.taken.push_back({schema.name, "lists: each value in a hash bucket"});
}

/// An array as one vector of a network. Trees and distances are for columns that mean something
/// each.
void addArray(const data::ColumnSchema& schema, const std::string& feature,
              StartingExperiment& result)
{
    const std::optional<ModelFamily> family = result.family;
    if (family == ModelFamily::Trees || family == ModelFamily::Clusters) {
        result.leftOut.push_back({schema.name, "pictures, which networks read"});
        return;
    }
    result.family = family.value_or(ModelFamily::Deep);
    result.readsArrays = true;
    // Whoever names an estimator gets that one.
    if (!family && schema.dense->shape.rank() == 3) {
        result.picture = feature;
    }
    spec::NumericColumn& column = *addColumn(result.experiment, feature).mutable_numeric_column();
    column.set_key(feature);
    for (const std::int64_t size : schema.dense->shape.dims) {
        column.add_shape(size);
    }
    result.columns.plain.push_back(feature);
    result.columns.deep.push_back(feature);
}

void warnOfSpellings(const data::ColumnStatistics& column, StartingExperiment& result)
{
    if (const std::string remark = spellingRemark(column); !remark.empty()) {
        result.warnings.push_back({column.name, remark});
    }
}

/// How the column is read, and the default for missing numbers, written out so that users see them.
void describeColumn(const TableFacts& facts, const data::ColumnSchema& schema,
                    const std::optional<std::string>& defaultValue, spec::Experiment& experiment)
{
    spec::Column entry;
    describeReading(facts.schema, schema, entry);
    if (defaultValue) {
        entry.set_default_value(*defaultValue);
    }
    if (entry.ByteSizeLong() > 0) {
        entry.set_name(schema.name);
        *experiment.mutable_data()->add_column() = std::move(entry);
    }
}

/// A column under a name that TensorFlow distinguishes from others.
void addRenamed(const std::string& column, const std::string& feature, StartingExperiment& result)
{
    spec::Feature& made = *result.experiment.mutable_data()->add_feature();
    made.set_name(feature);
    made.set_column(column);
    result.taken.push_back(
        {column, fmt::format("called {}, a name that TensorFlow tells from others", feature)});
}

std::string leftOutText(const std::vector<ColumnRemark>& columns)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(columns.size(), kMostLeftOutNamed); ++i) {
        text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", columns[i].column, columns[i].remark);
    }
    const bool isCut = columns.size() > kMostLeftOutNamed;
    return text + (isCut ? fmt::format(" and {} more", columns.size() - kMostLeftOutNamed) : "");
}

/// Whether the column is left out as asked, or is not one number or category a cell: lists, dates
/// and texts of several pieces have features of their own.
bool addOther(const TableFacts& facts, const data::ColumnSchema& schema,
              const data::ColumnStatistics& column, std::optional<ModelFamily> family,
              FeatureNames& names, StartingExperiment& result)
{
    if (std::find(facts.leaveOut.begin(), facts.leaveOut.end(), schema.name) !=
        facts.leaveOut.end()) {
        result.leftOut.push_back({schema.name, "as you asked"});
        return true;
    }
    const bool areClusters = family == ModelFamily::Clusters;
    if (schema.listOf && areClusters) {
        result.leftOut.push_back({schema.name, "lists: no distance is defined between them"});
        return true;
    }
    if (family == ModelFamily::Baseline) {
        return false;
    }
    if (schema.listOf) {
        addList(schema, column, names, result);
        return true;
    }
    const std::string& feature = names.featureOf(schema.name);
    if (schema.dense) {
        addArray(schema, feature, result);
        return true;
    }
    if (const DateFacts* dates = findDates(facts.dates, schema.name)) {
        addDateParts(*dates, feature, facts.schema.names(), result);
        return true;
    }
    const bool readsLists = !areClusters && family != ModelFamily::Trees;
    if (const PieceFacts* pieces = findPieces(facts.pieces, schema.name);
        pieces != nullptr && readsLists) {
        addPieces(*pieces, feature, result);
        return true;
    }
    return false;
}

void addColumns(const TableFacts& facts, const EstimatorChoice& estimator,
                StartingExperiment& result)
{
    FeatureNames names(facts.schema.names());
    for (std::size_t i = 0; i < facts.schema.columns.size(); ++i) {
        const data::ColumnSchema& schema = facts.schema.columns[i];
        const data::ColumnStatistics& column = facts.statistics.columns[i];
        if (schema.name == facts.label ||
            addOther(facts, schema, column, estimator.family, names, result)) {
            continue;
        }
        const bool areClusters = estimator.family == ModelFamily::Clusters;
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
        if (rule.isCategory()) {
            warnOfSpellings(column, result);
        }
        describeColumn(facts, schema, rule.defaultValue, result.experiment);
        const std::string& feature = names.featureOf(schema.name);
        if (names.isRenamed(schema.name)) {
            addRenamed(schema.name, feature, result);
        }
        if (rule.isScaled()) {
            addScaled(result.experiment, feature, rule, result.columns);
        }
        if (rule.isCategory()) {
            addCategory(result.experiment, feature, column, names, result.columns);
        }
        if (rule.kind != ColumnRule::Kind::Category) {
            addBuckets(result.experiment, feature, rule, names, result.columns);
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

bool areSomeHeldBack(const data::TableStatistics& statistics, std::uint64_t rows)
{
    return rows >= kFewestToHoldBackFrom ||
           (rows >= kFewestOfFewColumns && rows >= kFewestOfColumn * statistics.columns.size());
}

void setData(spec::Experiment& experiment, const data::TableStatistics& statistics,
             const data::ColumnStatistics& label, bool classification)
{
    const std::uint64_t rows = statistics.rows - unlabelledRows(label);
    if (!areSomeHeldBack(statistics, rows)) {
        return;
    }
    auto& split = *experiment.mutable_data()->mutable_split()->mutable_fraction();
    split.set_eval_fraction(rows < kRowsForSmallSplit ? kEvalFractionOfFew : kEvalFraction);
    split.set_seed(1);
    split.set_stratify(classification);
}

Result<void> checkNoLists(const spec::Data& data)
{
    for (const spec::Feature& feature : data.feature()) {
        if (feature.has_split()) {
            return fail(ErrorCode::InvalidArgument, kTreesOfLists, feature.name());
        }
    }
    return {};
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
    if (const data::ColumnSchema* known = facts.schema.find(facts.label);
        known != nullptr && !known->notationDoubt.empty()) {
        return fail(ErrorCode::InvalidArgument, kLabelNotation, facts.label, doubtText(*known));
    }
    CANNERY_TRY_ASSIGN(const LabelChoice label,
                       chooseLabel(facts, *labelColumn, estimator.classifier));
    const bool classification = label.task != LabelTask::Regression;
    if (estimator.classifier.value_or(classification) != classification) {
        return fail(ErrorCode::InvalidArgument, kEstimatorLabelMismatch, facts.estimator,
                    facts.label, taskName(label));
    }
    StartingExperiment result{.task = taskName(label)};
    spec::Experiment& experiment = result.experiment;
    experiment.mutable_data()->mutable_label()->set_column(facts.label);
    describeLabel(facts, label, experiment);
    leaveOutUnlabelled(*labelColumn, facts.statistics.rows, result);
    if (classification) {
        warnOfSpellings(*labelColumn, result);
    }
    result.label = label;
    result.family = estimator.family;
    addColumns(facts, estimator, result);
    if (estimator.family == ModelFamily::Trees) {
        CANNERY_TRY(checkNoLists(experiment.data()));
    }
    const bool empty = result.columns.plain.empty();
    if (empty && estimator.family != ModelFamily::Baseline) {
        return fail(ErrorCode::InvalidArgument, kNothingToLearnFrom, facts.label,
                    result.leftOut.empty() ? ": the table has no other"
                                           : "; left out: " + leftOutText(result.leftOut));
    }
    setData(experiment, facts.statistics, *labelColumn, classification);
    splitByTime(facts.dates, result);
    return result;
}

} // namespace cannery::advice
