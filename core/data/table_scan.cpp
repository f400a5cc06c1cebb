// SPDX-License-Identifier: Apache-2.0
#include "core/data/table_scan.h"

#include "core/data/pipeline/feature_maker.h"
#include "core/data/typing/date_columns.h"

#include <utility>

namespace cannery::data {

namespace {

/// Separates the training rows from the others, if the data says how.
std::optional<RowSplitter> splitterOf(const spec::Data& data, const TableSchema& schema)
{
    if (!data.has_split()) {
        return std::nullopt;
    }
    const std::vector<std::string> labels = labelColumns(data);
    Result<RowSplitter> splitter =
        RowSplitter::create(data.split(), labels.empty() ? std::string() : labels.front(),
                            dateNotationOf(data, data.split().by_time().column()));
    // A split that is wrong is reported when it is used; browsing shows all rows.
    const bool isUsable =
        splitter && (splitter->column().empty() || schema.find(splitter->column()) != nullptr);
    return isUsable ? std::optional(std::move(*splitter)) : std::nullopt;
}

} // namespace

TableScan::TableScan(std::unique_ptr<ChunkStream> stream, LentThreads threads)
    : m_stream(std::move(stream)), m_threads(std::move(threads))
{}

Result<TableScan> TableScan::start(const spec::Data& data, const DataSource& source,
                                   const TableScanOptions& options)
{
    ChunkRequest request{// Offsets let a browser find the text of a row again.
                         .keepOffsets = true,
                         .maxRefused = options.maxRefused,
                         .threads = options.threads};
    for (const std::string& column : source.schema().names()) {
        request.columns.push_back({.column = column});
    }
    std::optional<RowSplitter> splitter =
        options.withStatistics ? splitterOf(data, source.schema()) : std::nullopt;
    if (splitter && !splitter->column().empty()) {
        request.columns.push_back(
            {.column = splitter->column(), .dtype = DType::String, .as = kSplitColumn});
    }
    CANNERY_TRY_ASSIGN(std::unique_ptr<ChunkStream> stream, source.read(request));
    TableScan scan(std::move(stream), options.threads);
    scan.m_splitter = std::move(splitter);
    if (options.withStatistics) {
        scan.m_statistics.emplace();
    }
    return scan;
}

Result<std::optional<storage::TableChunk>> TableScan::next()
{
    CANNERY_TRY_ASSIGN(std::optional<storage::TableChunk> chunk, m_stream->next());
    // Remembered, as the statistics are complete only now.
    m_isOver = !chunk;
    if (chunk && m_splitter) {
        CANNERY_TRY(countPart(*chunk));
    } else if (chunk && m_statistics) {
        CANNERY_TRY(m_statistics->add(*chunk, m_threads));
    }
    return chunk;
}

/// Collects statistics of the training rows only.
Result<void> TableScan::countPart(const storage::TableChunk& chunk)
{
    const bool byColumn = !m_splitter->column().empty(); // the last one
    CANNERY_TRY_ASSIGN(
        const SplitRows rows,
        m_splitter->split(chunk.rows, byColumn ? &chunk.columns.back().strings() : nullptr));
    m_otherRows += rows.eval.size();
    if (rows.train.empty()) {
        return {};
    }
    storage::TableChunk train{
        .rows = rows.train.size(), .firstRow = chunk.firstRow, .file = chunk.file};
    // Without the column that splits, which was added.
    for (std::size_t i = 0; i + (byColumn ? 1 : 0) < chunk.columns.size(); ++i) {
        train.columns.push_back(storage::gather(chunk.columns[i], rows.train));
    }
    return m_statistics->add(train, m_threads);
}

TableStatistics TableScan::statistics() const
{
    TableStatistics found = m_statistics ? m_statistics->finish() : TableStatistics();
    found.otherRows = m_otherRows;
    return found;
}

} // namespace cannery::data
