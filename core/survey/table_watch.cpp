// SPDX-License-Identifier: Apache-2.0
#include "core/survey/table_watch.h"

#include "core/base/iso_time.h"
#include "core/data/typing/date_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace cannery::survey {

namespace {

constexpr std::size_t kMostTimeColumns = 8;
constexpr std::size_t kTimesKept = 4096;
constexpr std::int64_t kSecondsADay = 86'400;

std::string cellText(const storage::TableColumn& column, std::size_t row)
{
    return std::visit(
        [row](const auto& values) {
            if constexpr (std::is_same_v<std::decay_t<decltype(values)>, StringColumn>) {
                return std::string(values[row]);
            } else {
                return fmt::format("{}", values[row]);
            }
        },
        column.values);
}

/// The columns of dates, and the one that splits the rows by time.
std::vector<data::ColumnSchema> timeColumns(const spec::Data& data, const data::TableSchema& schema)
{
    std::vector<data::ColumnSchema> times;
    for (const data::ColumnSchema& column : schema.columns) {
        const bool isDate =
            column.kind == data::ColumnKind::Date && times.size() < kMostTimeColumns;
        // The column of the split counts even if its type is not that of dates.
        if (isDate || column.name == data.split().by_time().column()) {
            times.push_back(column);
        }
    }
    return times;
}

} // namespace

void TableWatch::Times::add(const storage::TableColumn& cells)
{
    for (std::size_t row = 0; row < cells.size() && areTimes; ++row) {
        if (!cells.isValid(row)) {
            continue;
        }
        const std::optional<data::DateTime> date = data::readDate(cellText(cells, row), notation);
        // One cell that is not a date ends it: the column may mix several things.
        areTimes = date && date->hasDate;
        if (areTimes) {
            areDays = areDays && date->time.seconds % kSecondsADay == 0;
            seconds.add(static_cast<double>(date->time.seconds));
        }
    }
}

std::optional<ColumnTimes> TableWatch::Times::quantiles() const
{
    const std::vector<double> values = areTimes ? seconds.quantiles(100) : std::vector<double>();
    // No row had a value.
    if (values.empty()) {
        return std::nullopt;
    }
    ColumnTimes times{.column = column};
    for (const double value : values) {
        const std::int64_t whole = std::llround(value);
        // Whole days stay whole when they are rounded.
        times.quantiles.push_back(
            isoTimeText(areDays ? std::llround(value / kSecondsADay) * kSecondsADay : whole));
    }
    return times;
}

TableWatch::TableWatch(const spec::Experiment& experiment, const data::Dataset& trainData,
                       std::vector<std::string> compared, const LentThreads& threads)
    : m_threads(threads), m_leaks(experiment.data().label().column(), isClassified(experiment),
                                  plainFeatures(experiment, trainData)),
      m_compared(std::move(compared)), m_evalRows({.topValues = kListedValues})
{
    for (const data::ColumnSchema& column : timeColumns(experiment.data(), trainData.schema())) {
        m_times.push_back({.column = column.name,
                           .notation = column.dateNotation.value_or(
                               data::dateNotationOf(experiment.data(), column.name)),
                           .seconds = data::QuantileSketch(kTimesKept)});
    }
}

const std::vector<std::size_t>& TableWatch::comparedIn(data::DataPart part,
                                                       const storage::TableChunk& chunk)
{
    // Chunks of a part all have the same columns.
    const auto [found, isNew] = m_places.try_emplace(part);
    if (isNew) {
        std::unordered_map<std::string_view, std::size_t> places;
        for (std::size_t i = 0; i < chunk.columns.size(); ++i) {
            places.emplace(chunk.columns[i].name, i);
        }
        for (const std::string& column : m_compared) {
            if (const auto place = places.find(column); place != places.end()) {
                found->second.push_back(place->second);
            }
        }
    }
    return found->second;
}

Result<void> TableWatch::see(data::DataPart part, const storage::TableChunk& chunk)
{
    m_leaks.add(chunk);
    if (const std::vector<std::size_t>& places = comparedIn(part, chunk);
        !places.empty() && places.size() == m_compared.size()) {
        m_twins.add(part, chunk, places, m_threads);
    }
    for (Times& times : m_times) {
        if (const storage::TableColumn* cells = chunk.find(times.column)) {
            times.add(*cells);
        }
    }
    if (part == data::DataPart::Eval) {
        m_hasEvalRows = true;
        CANNERY_TRY(m_evalRows.add(chunk, m_threads));
    }
    return {};
}

RowFindings TableWatch::findings(const data::TableStatistics& statistics) const
{
    RowFindings findings{
        .statistics = &statistics, .leaks = m_leaks.leaks(), .twins = m_twins.found()};
    for (const Times& times : m_times) {
        if (std::optional<ColumnTimes> found = times.quantiles()) {
            findings.times.push_back(*std::move(found));
        }
    }
    return findings;
}

std::optional<data::TableStatistics> TableWatch::evalStatistics() const
{
    return m_hasEvalRows ? std::optional(m_evalRows.finish()) : std::nullopt;
}

} // namespace cannery::survey
