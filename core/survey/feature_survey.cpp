// SPDX-License-Identifier: Apache-2.0
#include "core/survey/feature_survey.h"

#include "core/base/text_table.h"
#include "core/data/dataset.h"
#include "core/spec/column_kinds.h"
#include "core/spec/message_access.h"
#include "core/spec/tensorflow_names.h"
#include "core/survey/label_targets.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace cannery::survey {

namespace {

/// Distinct values that are counted: of all columns together, and of one.
constexpr std::size_t kMostOfAll = 200'000;
constexpr std::size_t kMostOfOne = 50'000;
constexpr std::size_t kLeastOfOne = 1'000;
/// The most frequent values of a column: in JSON, and printed.
constexpr std::size_t kListed = 100;
constexpr std::size_t kPrinted = 10;

bool isHashed(const spec::FeatureColumn& column)
{
    const auto* kind = spec::memberOf(column);
    // By the field: kinds of columns that are added later are found, too.
    return kind != nullptr && kind->GetDescriptor()->FindFieldByName("hash_bucket_size") != nullptr;
}

/// A column of the survey while its values are counted.
struct Counting
{
    HashedColumn result; ///< if its values cannot be counted
    std::optional<HashedValues> values;

    void give(const Error& error)
    {
        result.problem = error.sentence;
        values.reset();
    }
};

/// The first feature of the column that the table lacks; otherwise adds them to `features`.
std::string absentFeature(const spec::ColumnIndex& index, const std::string& column,
                          const data::Dataset& dataset, std::set<std::string>& features)
{
    // A column whose sources cannot be found is reported when it is built.
    const Result<std::vector<std::string>> names = spec::rawFeatures(index, column);
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
        if (dataset.find(name) == nullptr) {
            return name;
        }
    }
    if (names) {
        features.insert(names->begin(), names->end());
    }
    return {};
}

std::vector<Counting> startCounting(const spec::Experiment& resolved,
                                    features::ColumnBuilder& builder, const data::Dataset& dataset,
                                    std::set<std::string>& features)
{
    std::vector<const spec::FeatureColumn*> hashed;
    for (const spec::FeatureColumn& column : resolved.feature_column()) {
        if (isHashed(column)) {
            // Values of other columns are listed in the experiment.
            hashed.push_back(&column);
        }
    }
    // One limit for all columns bounds the memory; few columns may count more values each.
    const std::size_t limit =
        std::clamp(kMostOfAll / std::max<std::size_t>(1, hashed.size()), kLeastOfOne, kMostOfOne);
    std::vector<Counting> counting;
    for (const spec::FeatureColumn* column : hashed) {
        Counting one{.result = {.name = column->name()}, .values = {}};
        const std::string absent =
            absentFeature(builder.specs(), column->name(), dataset, features);
        // A problem of one column does not end the survey of the others.
        if (!absent.empty()) {
            // Named with the column, so that it can be corrected.
            one.result.problem = fmt::format("The table has no feature '{}'.", absent);
        } else if (Result<HashedValues> values = HashedValues::create(*column, builder, limit)) {
            one.values.emplace(std::move(*values));
        } else {
            one.give(values.error());
        }
        counting.push_back(std::move(one));
    }
    return counting;
}

void addValue(const SeenValue& value, reports::Value& written)
{
    if (const auto* text = std::get_if<std::string>(&value)) {
        written.set_text(*text);
    } else if (const auto* id = std::get_if<std::int64_t>(&value)) {
        written.set_integer(*id);
    }
}

void addColumn(const HashedColumn& column, reports::HashedColumn& row)
{
    row.set_column(column.name);
    if (!column.problem.empty()) {
        row.set_problem(column.problem);
        return;
    }
    reports::HashedCounts& counts = *row.mutable_counts();
    counts.mutable_inputs()->Assign(column.inputs.begin(), column.inputs.end());
    counts.set_buckets(column.buckets);
    counts.set_occurrences(column.occurrences);
    counts.set_distinct(column.distinct);
    counts.set_distinct_is_exact(column.uncounted == 0);
    counts.set_uncounted(column.uncounted);
    counts.set_buckets_used(column.bucketsUsed);
    counts.set_shared(column.shared);
    counts.set_shared_occurrences(column.sharedOccurrences);
    for (const HashedValue& value : column.values) {
        reports::HashedValue& written = *counts.add_values();
        for (const SeenValue& one : value.values) {
            addValue(one, *written.add_values());
        }
        written.set_count(value.count);
        written.set_bucket(value.bucket);
        written.set_shared(value.isShared);
        written.mutable_label()->Assign(value.means.begin(), value.means.end());
    }
}

std::string percentText(double share)
{
    return fmt::format("{:.1f} %", 100 * share);
}

std::string textOf(const SeenValue& value)
{
    if (const auto* text = std::get_if<std::string>(&value)) {
        return *text;
    }
    const auto* id = std::get_if<std::int64_t>(&value);
    return id == nullptr ? "(none)" : fmt::format("id {}", *id);
}

std::string sentenceOf(const HashedColumn& column)
{
    if (!column.problem.empty()) {
        return fmt::format("{}: {}", column.name, column.problem);
    }
    // Of no values none can be shared.
    const double shared = column.distinct > 0 ? static_cast<double>(column.shared) /
                                                    static_cast<double>(column.distinct)
                                              : 0;
    return fmt::format("{}: {}{} values of {} in {} of {} buckets; {} of them share a bucket "
                       "(expected: {})",
                       column.name, column.uncounted > 0 ? "at least " : "", column.distinct,
                       fmt::join(column.inputs, " × "), column.bucketsUsed, column.buckets,
                       percentText(shared), percentText(expectedSharing(column)));
}

} // namespace

Result<FeatureSurvey> surveyFeatures(const spec::Experiment& resolved,
                                     const std::filesystem::path& folder,
                                     const data::Dataset& trainData, const LentThreads& threads)
{
    features::ColumnBuilder builder(resolved, folder);
    std::set<std::string> names;
    std::vector<Counting> counting = startCounting(resolved, builder, trainData, names);
    LabelTargets targets = LabelTargets::of(resolved);
    FeatureSurvey survey{.areShares = targets.areShares()};
    // Without a name, read() would make every feature of the table.
    if (!names.empty()) {
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                           trainData.read({.features = {names.begin(), names.end()},
                                           .labels = data::LabelNeed::Optional,
                                           .threads = threads}));
        std::vector<float> labels;
        while (true) {
            CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> batch, stream->next());
            if (!batch) {
                break;
            }
            targets.read(*batch, trainData.files(), labels);
            const features::RawRows rows(*batch, trainData.files());
            for (Counting& one : counting) {
                if (one.values) {
                    // A column whose values cannot be read is given up, and the others go on.
                    if (const Result<void> added = one.values->add(rows, labels); !added) {
                        one.give(added.error());
                    }
                }
            }
        }
    }
    survey.targets = targets.names();
    for (Counting& one : counting) {
        // Columns are listed in the order of the experiment.
        survey.columns.push_back(one.values ? one.values->result(kListed) : std::move(one.result));
    }
    return survey;
}

double expectedSharing(const HashedColumn& column)
{
    if (column.distinct < 2 || column.buckets < 1) {
        return 0;
    }
    // The chance that at least one of n - 1 others falls into a value's bucket, 1 - (1 - 1 / b)^(n
    // - 1). log1p() keeps the digits that 1 - 1 / b would lose for many buckets.
    const double others = static_cast<double>(column.distinct) - 1;
    return column.buckets == 1
               ? 1
               : 1 - std::exp(others * std::log1p(-1 / static_cast<double>(column.buckets)));
}

reports::FeatureSurvey surveyReport(const FeatureSurvey& survey)
{
    reports::FeatureSurvey report;
    report.mutable_targets()->Assign(survey.targets.begin(), survey.targets.end());
    report.set_targets_are(survey.areShares ? "shares" : "means");
    for (const HashedColumn& column : survey.columns) {
        addColumn(column, *report.add_columns());
    }
    return report;
}

std::vector<std::string> surveyLines(const FeatureSurvey& survey)
{
    std::vector<std::string> lines;
    for (const HashedColumn& column : survey.columns) {
        lines.push_back(sentenceOf(column));
        std::vector<std::string> header{fmt::format("{}", fmt::join(column.inputs, " × ")), "rows",
                                        "bucket"};
        for (const std::string& target : survey.targets) {
            header.push_back(survey.areShares ? "share of " + target : "mean label");
        }
        std::vector<std::vector<std::string>> rows;
        // Fewer than in JSON, as a terminal is short.
        for (std::size_t i = 0; i < std::min(kPrinted, column.values.size()); ++i) {
            const HashedValue& value = column.values[i];
            std::vector<std::string> texts;
            for (const SeenValue& one : value.values) {
                texts.push_back(textOf(one));
            }
            rows.push_back({fmt::format("{}", fmt::join(texts, " × ")), std::to_string(value.count),
                            fmt::format("{}{}", value.bucket, value.isShared ? " (shared)" : "")});
            for (const double mean : value.means) {
                rows.back().push_back(survey.areShares ? percentText(mean)
                                                       : fmt::format("{:.4g}", mean));
            }
        }
        // A column without a value has no table.
        if (!rows.empty()) {
            const std::vector<std::string> table = alignedTable(header, rows);
            lines.insert(lines.end(), table.begin(), table.end());
        }
    }
    return lines;
}

} // namespace cannery::survey
