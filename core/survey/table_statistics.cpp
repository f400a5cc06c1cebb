// SPDX-License-Identifier: Apache-2.0
#include "core/survey/table_statistics.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace cannery::survey {

namespace {

/// Enough of the most frequent values to write a whole vocabulary.
constexpr std::size_t kTopValues = 1000;
/// For all columns together; those of wide tables get fewer, except for the label.
constexpr std::size_t kMostTopValues = 1'000'000;

Result<TableFindings> statisticsOf(const data::DataSource& source,
                                   std::vector<data::ColumnRequest> columns)
{
    // Shared by the columns, so that memory does not grow with their number.
    const std::size_t topValues = std::min(kTopValues, kMostTopValues / columns.size());
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream,
                       source.read({.columns = std::move(columns)}));
    data::StatisticsCollector collector({.topValues = topValues});
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            return TableFindings{.statistics = collector.finish(), .report = stream->report()};
        }
        collector.add(*chunk);
    }
}

} // namespace

Result<TableFindings> statisticsWithLabel(const data::DataSource& source, const std::string& label)
{
    const std::vector<std::string> names = source.schema().names();
    std::vector<data::ColumnRequest> columns;
    for (const std::string& name : names) {
        columns.push_back({.column = name});
    }
    CANNERY_TRY_ASSIGN(TableFindings all, statisticsOf(source, std::move(columns)));
    const auto found = std::find(names.begin(), names.end(), label);
    // The label's values are all needed, so that classes can be listed.
    if (names.size() * kTopValues > kMostTopValues && found != names.end()) {
        CANNERY_TRY_ASSIGN(TableFindings alone, statisticsOf(source, {{.column = label}}));
        all.statistics.columns[static_cast<std::size_t>(found - names.begin())] =
            std::move(alone.statistics.columns.front());
    }
    return all;
}

Result<data::ColumnStatistics> textsOf(const data::DataSource& source, const std::string& column)
{
    // A label that does not exist is reported elsewhere.
    if (source.schema().find(column) == nullptr) {
        return data::ColumnStatistics();
    }
    CANNERY_TRY_ASSIGN(TableFindings read,
                       statisticsOf(source, {{.column = column, .dtype = DType::String}}));
    return std::move(read.statistics.columns.front());
}

} // namespace cannery::survey
