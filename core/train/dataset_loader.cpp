// SPDX-License-Identifier: Apache-2.0
#include "core/train/dataset_loader.h"

#include "core/base/memory_guard.h"
#include "core/spec/spec_resolver.h"
#include "core/train/normalizer_check.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace cannery::train {
namespace {

/// Physical columns behind the numeric columns that have a normalizer.
std::vector<std::string> normalizedColumns(const spec::Experiment& experiment,
                                           const data::Dataset& dataset)
{
    std::vector<std::string> columns;
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        if (!column.has_numeric_column() || !column.numeric_column().has_normalizer()) {
            continue;
        }
        if (const data::FeatureInfo* feature = dataset.find(column.numeric_column().key())) {
            for (const std::string& name : feature->columns) {
                if (std::find(columns.begin(), columns.end(), name) == columns.end()) {
                    columns.push_back(name);
                }
            }
        }
    }
    return columns;
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
        if (column == nullptr || column->count == column->nan + column->infinite) {
            continue;
        }
        const auto values = static_cast<double>(column->count - column->nan - column->infinite);
        all.min = count == 0 ? column->min : std::min(all.min, column->min);
        all.max = count == 0 ? column->max : std::max(all.max, column->max);
        count += values;
        sum += values * column->mean;
    }
    if (count == 0) {
        return std::nullopt;
    }
    all.mean = sum / count;
    double squares = 0;
    for (const std::string& name : feature.columns) {
        if (const data::ColumnStatistics* column = table.find(name)) {
            const auto values = static_cast<double>(column->count - column->nan - column->infinite);
            const double shift = column->mean - all.mean;
            squares += values * (column->deviation * column->deviation + shift * shift);
        }
    }
    all.stddev = std::sqrt(squares / count);
    return all;
}

/// Answers the resolver; reads the rows at its first question.
class NormalizerStatistics
{
public:
    NormalizerStatistics(const spec::Experiment& experiment, const data::Dataset& dataset)
        : m_experiment(experiment), m_dataset(dataset)
    {}

    std::optional<spec::ColumnStatistics> of(std::string_view feature)
    {
        if (!m_table && !m_failure) {
            Result<data::TableStatistics> table =
                m_dataset.statistics(normalizedColumns(m_experiment, m_dataset));
            if (table) {
                m_table = std::move(*table);
            } else {
                m_failure = std::move(table).error();
            }
        }
        const data::FeatureInfo* info = m_dataset.find(std::string(feature));
        return m_table && info != nullptr ? merged(*info, *m_table) : std::nullopt;
    }

    const std::optional<Error>& failure() const { return m_failure; }
    /// The statistics that were asked for; nothing when nobody did.
    const std::optional<data::TableStatistics>& table() const { return m_table; }

private:
    const spec::Experiment& m_experiment;
    const data::Dataset& m_dataset;
    std::optional<data::TableStatistics> m_table;
    std::optional<Error> m_failure;
};

/// The first column whose normalizer takes its numbers from a single one.
std::optional<Error> missingDeviation(const spec::FeatureColumn& column,
                                      const spec::ColumnStatistics& statistics)
{
    const spec::NumericColumn& numeric = column.numeric_column();
    const spec::ZScore& score = numeric.normalizer().z_score();
    const spec::MinMax& range = numeric.normalizer().min_max();
    const bool divides =
        (numeric.normalizer().has_z_score() && !score.has_stddev()) ||
        (numeric.normalizer().has_min_max() && !(range.has_min() || range.has_max()));
    if (!divides || statistics.max > statistics.min) {
        return std::nullopt;
    }
    return noDeviation(column.name(), numeric.key(), statistics.min);
}

/// (x - subtract) / divide of both ends of a column, or the logarithm of its lower one.
bool mayBeExtreme(const spec::Normalizer& normalizer, const spec::ColumnStatistics& statistics)
{
    double subtract = normalizer.subtract_divide().subtract();
    double divide = normalizer.subtract_divide().divide();
    if (normalizer.has_log()) {
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
    return !(most <= kExtremeNormalized * std::fabs(divide));
}

/// What there is no memory for, where there is none.
constexpr std::string_view kGuarded = "the rows of the table";

struct EncodedChunk
{
    data::FeatureBatch raw;
    Result<void> done;
    features::EncodedRows rows;
};

void encodeAll(std::vector<EncodedChunk>& chunks, const features::FeatureEncoder& encoder,
               features::Labels labels, const std::vector<std::string>& files)
{
    const auto encodeOne = [&](EncodedChunk& chunk) {
        chunk.done = guardMemory(
            kGuarded, [&] { return encoder.encode(chunk.raw, labels, files, chunk.rows); });
    };
    std::vector<std::jthread> others;
    others.reserve(chunks.size());
    std::size_t started = 1;
    try {
        for (; started < chunks.size(); ++started) {
            others.emplace_back([&encodeOne, &chunk = chunks[started]] { encodeOne(chunk); });
        }
    } catch (const std::system_error&) {
        // The system gives no more threads: the rest is for this one.
    }
    encodeOne(chunks.front());
    for (std::size_t i = started; i < chunks.size(); ++i) {
        encodeOne(chunks[i]);
    }
}

} // namespace

Result<spec::Experiment> resolveWithStatistics(const spec::Experiment& experiment,
                                               const std::string& folder,
                                               std::optional<std::int64_t> seed)
{
    CANNERY_TRY_ASSIGN(const data::Dataset trainData,
                       data::Dataset::open(experiment.data(), folder, data::DataPart::Train));
    return resolveWithStatistics(experiment, trainData, seed);
}

Result<spec::Experiment> resolveWithStatistics(const spec::Experiment& experiment,
                                               const data::Dataset& trainData,
                                               std::optional<std::int64_t> seed)
{
    return guardMemory(kGuarded, [&]() -> Result<spec::Experiment> {
        NormalizerStatistics statistics(experiment, trainData);
        spec::Experiment resolved = spec::resolve(
            experiment,
            {.statistics = [&](std::string_view feature) { return statistics.of(feature); },
             .seed = seed});
        if (statistics.failure()) {
            return tl::make_unexpected(*statistics.failure());
        }
        for (const spec::FeatureColumn& column : experiment.feature_column()) {
            if (!statistics.table() || !column.numeric_column().has_normalizer()) {
                continue;
            }
            const auto known = statistics.of(column.numeric_column().key());
            if (auto flat = known ? missingDeviation(column, *known) : std::nullopt) {
                return tl::make_unexpected(*std::move(flat));
            }
        }
        resolved.mutable_data()->clear_column();
        for (spec::Column& column : trainData.resolvedColumns()) {
            *resolved.mutable_data()->add_column() = std::move(column);
        }
        return resolved;
    });
}

Result<NormalizedColumns> NormalizedColumns::read(const spec::Experiment& experiment,
                                                  const data::Dataset& trainData)
{
    return guardMemory(kGuarded, [&]() -> Result<NormalizedColumns> {
        NormalizedColumns columns;
        NormalizerStatistics statistics(experiment, trainData);
        for (const spec::FeatureColumn& column : experiment.feature_column()) {
            if (!column.numeric_column().has_normalizer()) {
                continue;
            }
            if (const auto known = statistics.of(column.numeric_column().key())) {
                columns.m_columns.push_back({&column, *known});
            }
            if (statistics.failure()) {
                return tl::make_unexpected(*statistics.failure());
            }
        }
        return columns;
    });
}

std::vector<Error> NormalizedColumns::withoutDeviation() const
{
    std::vector<Error> problems;
    for (const Column& column : m_columns) {
        if (auto flat = missingDeviation(*column.spec, column.statistics)) {
            problems.push_back(*std::move(flat));
        }
    }
    return problems;
}

bool NormalizedColumns::mayHaveExtremes() const
{
    return std::any_of(m_columns.begin(), m_columns.end(), [](const Column& column) {
        return mayBeExtreme(column.spec->numeric_column().normalizer(), column.statistics);
    });
}

Result<LoadedRows> loadRows(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                            const LoadOptions& options)
{
    return guardMemory(kGuarded, [&]() -> Result<LoadedRows> {
        const bool needsLabels = options.labels == features::Labels::Needed;
        const auto threads = static_cast<std::size_t>(std::max(1, options.threads));
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                           dataset.read({.features = encoder.featureKeys(),
                                         .labels = needsLabels ? data::LabelNeed::Required
                                                               : data::LabelNeed::Optional,
                                         .threads = threads}));
        LoadedRows loaded{.rows = features::EncodedDataset(encoder.layout(),
                                                           {.memoryLimit = options.memoryLimit})};
        std::vector<EncodedChunk> chunks;
        for (bool atEnd = false; !atEnd;) {
            chunks.clear();
            while (chunks.size() < threads && !atEnd) {
                CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> raw, stream->next());
                atEnd = !raw;
                if (raw) {
                    chunks.push_back({.raw = *std::move(raw)});
                }
            }
            if (chunks.empty()) {
                break;
            }
            encodeAll(chunks, encoder, options.labels, dataset.files());
            for (EncodedChunk& chunk : chunks) {
                CANNERY_TRY(std::move(chunk.done));
                CANNERY_TRY(loaded.rows.append(chunk.rows));
                if (options.extremes != nullptr) {
                    options.extremes->look(chunk.raw, chunk.rows, dataset.files());
                }
            }
        }
        loaded.report = stream->report();
        return loaded;
    });
}

bool hasEvalData(const spec::Experiment& experiment)
{
    return experiment.data().has_eval() || experiment.data().has_split();
}

} // namespace cannery::train
