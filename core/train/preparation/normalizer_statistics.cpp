// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/normalizer_statistics.h"

#include "core/base/memory_guard.h"
#include "core/base/string_column.h"
#include "core/features/raw_plan.h"
#include "core/train/preparation/normalizer_check.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

namespace cannery::train {
namespace {

/// Whether its values are not those of its columns: lists, and parts of dates.
bool isMade(const spec::Experiment& experiment, const data::FeatureInfo& feature)
{
    return feature.sparse ||
           std::any_of(experiment.data().feature().begin(), experiment.data().feature().end(),
                       [&](const spec::Feature& made) {
                           return made.has_date_part() && made.name() == feature.name;
                       });
}

/// Columns of the table behind the feature columns that have a normalizer.
std::vector<std::string> tableColumns(const spec::Experiment& experiment,
                                      const data::Dataset& dataset)
{
    std::vector<std::string> columns;
    for (const spec::NormalizedColumn& column : spec::normalizedColumns(experiment)) {
        const data::FeatureInfo* feature = dataset.find(column.feature);
        // A feature of several columns shares one normalizer, so it takes all of them.
        if (feature != nullptr && !isMade(experiment, *feature)) {
            for (const std::string& name : feature->columns) {
                if (std::find(columns.begin(), columns.end(), name) == columns.end()) {
                    columns.push_back(name);
                }
            }
        }
    }
    return columns;
}

/// Whether the column, which may be null, has a number; a column of texts has none.
bool hasNumbers(const data::ColumnStatistics* column)
{
    return column != nullptr && column->dtype != DType::String &&
           column->count > column->nan + column->infinite;
}

/// Sums of one number round, and a mean beside it would leave a deviation to divide by.
spec::ColumnStatistics withoutRounding(spec::ColumnStatistics statistics)
{
    // NaN bounds are not equal either.
    if (!(statistics.max > statistics.min)) {
        statistics.mean = statistics.min;
        statistics.stddev = 0;
    }
    return statistics;
}

/// Statistics of a feature over all the columns it is made from.
std::optional<spec::ColumnStatistics> merged(const data::FeatureInfo& feature,
                                             const data::TableStatistics& table)
{
    double count = 0;
    double sum = 0;
    spec::ColumnStatistics all;
    for (const std::string& name : feature.columns) {
        const data::ColumnStatistics* column = table.find(name);
        if (!hasNumbers(column)) {
            continue;
        }
        const auto values = static_cast<double>(column->count - column->nan - column->infinite);
        all.min = count == 0 ? column->min : std::min(all.min, column->min);
        all.max = count == 0 ? column->max : std::max(all.max, column->max);
        count += values;
        // Weighed by the number of values, as columns may have gaps.
        sum += values * column->mean;
    }
    if (count == 0) {
        return std::nullopt;
    }
    all.mean = sum / count;
    double squares = 0;
    for (const std::string& name : feature.columns) {
        if (const data::ColumnStatistics* column = table.find(name); hasNumbers(column)) {
            const auto values = static_cast<double>(column->count - column->nan - column->infinite);
            const double shift = column->mean - all.mean;
            // The spread within a column, and that of its mean from the whole.
            squares += values * (column->deviation * column->deviation + shift * shift);
        }
    }
    all.stddev = std::sqrt(squares / count);
    return withoutRounding(all);
}

/// Adds numbers one by one, by Welford's method.
struct Moments
{
    double count = 0;
    double squares = 0; ///< of the distances from the mean
    spec::ColumnStatistics numbers;

    void add(double value)
    {
        // Infinities would take every other number to 0.
        if (!std::isfinite(value)) {
            return;
        }
        numbers.min = count == 0 ? value : std::min(numbers.min, value);
        numbers.max = count == 0 ? value : std::max(numbers.max, value);
        count += 1;
        const double shift = value - numbers.mean;
        numbers.mean += shift / count;
        squares += shift * (value - numbers.mean);
    }
};

/// Of a feature whose values are made of cells: all its numbers together, in the order of the rows.
Result<std::optional<spec::ColumnStatistics>>
ofLists(const data::Dataset& rows, const std::string& feature, const LentThreads& threads)
{
    CANNERY_TRY_ASSIGN(
        const std::unique_ptr<data::FeatureStream> stream,
        rows.read({.features = {feature}, .labels = data::LabelNeed::None, .threads = threads}));
    Moments moments;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> batch, stream->next());
        if (!batch) {
            // Lists are few: one pass for each is enough.
            break;
        }
        std::visit(
            [&](const auto& elements) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                    const std::vector<std::uint8_t>& valid = batch->features.at(0).valid;
                    for (std::size_t i = 0; i < elements.size(); ++i) {
                        // A missing element has no number.
                        if (valid.empty() || valid[i] != 0) {
                            moments.add(static_cast<double>(elements[i]));
                        }
                    }
                }
            },
            batch->features.at(0).elements);
    }
    if (moments.count == 0) {
        return std::nullopt;
    }
    moments.numbers.stddev = std::sqrt(moments.squares / moments.count);
    return withoutRounding(moments.numbers);
}

/// Whether a normalizer's divisor would come from a single distinct number.
bool hasNoDeviation(const spec::Normalizer& normalizer, const spec::ColumnStatistics& statistics)
{
    // A number that the experiment gives is not computed from the data.
    const spec::ZScore& score = normalizer.z_score();
    const spec::MinMax& range = normalizer.min_max();
    const bool divides = (normalizer.has_z_score() && !score.has_stddev()) ||
                         (normalizer.has_min_max() && !(range.has_min() || range.has_max()));
    return divides && !(statistics.max > statistics.min);
}

/// (x - subtract) / divide for both ends of a column, or the logarithm of its lower end.
bool mayBeExtreme(const spec::Normalizer& normalizer, const spec::ColumnStatistics& statistics)
{
    double subtract = normalizer.subtract_divide().subtract();
    double divide = normalizer.subtract_divide().divide();
    if (normalizer.has_log()) {
        // The logarithm has no bounds of its own; only its argument can leave its range.
        return statistics.min + normalizer.log().offset() <= 0;
    }
    if (normalizer.has_z_score()) {
        const spec::ZScore& score = normalizer.z_score();
        subtract = score.has_mean() ? score.mean() : statistics.mean;
        divide = score.has_stddev() ? score.stddev() : statistics.stddev;
    } else if (normalizer.has_min_max()) {
        const spec::MinMax& range = normalizer.min_max();
        subtract = range.has_min() ? range.min() : statistics.min;
        divide = (range.has_max() ? range.max() : statistics.max) - subtract;
    }
    const double most =
        std::max(std::fabs(statistics.min - subtract), std::fabs(statistics.max - subtract));
    // Negated, so that a NaN counts as extreme.
    return !(most <= kExtremeNormalized * std::fabs(divide));
}

} // namespace

NormalizerStatistics::NormalizerStatistics(const spec::Experiment& experiment,
                                           const data::Dataset& trainData, LentThreads threads,
                                           const std::vector<KnownStatistics>& known)
    : m_experiment(experiment), m_trainData(trainData), m_threads(std::move(threads))
{
    for (const KnownStatistics& one : known) {
        // Of a file of encoded rows, which is of the same data.
        m_known.emplace(one.feature, one.numbers);
    }
}

std::optional<spec::ColumnStatistics> NormalizerStatistics::of(std::string_view feature)
{
    std::optional<spec::ColumnStatistics> known = found(feature);
    const data::FeatureInfo* info = m_trainData.find(std::string(feature));
    if (known || m_failure || info == nullptr) {
        return known;
    }
    // No training row has a number: what stands for a missing one becomes 0.
    const data::ColumnSchema* column = m_trainData.schema().find(info->columns.front());
    // A default that is a text does not count.
    const double stand =
        column == nullptr ? 0
                          : features::numberFromText(column->defaultValue.value_or("")).value_or(0);
    return spec::ColumnStatistics{.mean = stand, .stddev = 0, .min = stand, .max = stand};
}

std::optional<spec::ColumnStatistics> NormalizerStatistics::found(std::string_view feature)
{
    if (const auto known = m_known.find(feature); known != m_known.end()) {
        return known->second;
    }
    const data::FeatureInfo* info = m_trainData.find(std::string(feature));
    if (info != nullptr && isMade(m_experiment, *info)) {
        return ofList(*info);
    }
    // All columns are read in one pass, at the first question.
    if (!m_table && !m_failure) {
        Result<data::TableStatistics> table =
            m_trainData.statistics(tableColumns(m_experiment, m_trainData), m_threads);
        if (table) {
            m_table = std::move(*table);
        } else {
            m_failure = std::move(table).error();
        }
    }
    if (!m_table || info == nullptr) {
        return std::nullopt;
    }
    // Kept even if the column has no number, so that it is not read again.
    return m_known.emplace(feature, merged(*info, *m_table)).first->second;
}

std::optional<spec::ColumnStatistics> NormalizerStatistics::ofList(const data::FeatureInfo& feature)
{
    if (m_failure) {
        return std::nullopt;
    }
    auto found = guardMemory("the statistics of the table",
                             [&] { return ofLists(m_trainData, feature.name, m_threads); });
    if (!found) {
        m_failure = std::move(found).error();
        return std::nullopt;
    }
    return m_known.emplace(feature.name, *found).first->second;
}

std::vector<KnownStatistics> NormalizerStatistics::known() const
{
    std::vector<KnownStatistics> all;
    for (const auto& [feature, numbers] : m_known) {
        all.push_back({.feature = feature, .numbers = numbers});
    }
    return all;
}

std::vector<Error> NormalizerStatistics::withoutDeviation()
{
    std::vector<Error> problems;
    forEach([&](const spec::NormalizedColumn& column, const spec::ColumnStatistics& statistics) {
        if (hasNoDeviation(column.normalizer, statistics)) {
            problems.push_back(noDeviation(column, statistics.min));
        }
    });
    return problems;
}

bool NormalizerStatistics::mayHaveExtremes()
{
    bool may = false;
    forEach([&](const spec::NormalizedColumn& column, const spec::ColumnStatistics& statistics) {
        may = may || mayBeExtreme(column.normalizer, statistics);
    });
    return may;
}

void NormalizerStatistics::forEach(
    const std::function<void(const spec::NormalizedColumn&, const spec::ColumnStatistics&)>& visit)
{
    for (const spec::NormalizedColumn& column : spec::normalizedColumns(m_experiment)) {
        if (const auto known = found(column.feature)) {
            visit(column, *known);
        }
    }
}

} // namespace cannery::train
