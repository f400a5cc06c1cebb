// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/rows/row_splitter.h"
#include "core/data/sources/data_source.h"
#include "core/data/statistics.h"
#include "core/spec/data.pb.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace cannery::data {

struct TableScanOptions
{
    LentThreads threads;
    bool withStatistics = false;
    std::size_t maxRefused = 100; ///< rows left out to describe
};

/// A pass over all columns and rows of a table, with the statistics so far of the training rows, as
/// in Dataset::statistics(). One thread.
class TableScan
{
public:
    /// `data` says how rows are split; an impossible split is ignored. The source must outlive the
    /// scan.
    static Result<TableScan> start(const spec::Data& data, const DataSource& source,
                                   const TableScanOptions& options);

    /// The next rows, with offsets; nothing at the end.
    Result<std::optional<storage::TableChunk>> next();

    const ChunkStream& stream() const { return *m_stream; }
    bool hasStatistics() const { return m_statistics.has_value(); }
    /// Whether next() has reached the end.
    bool isOver() const { return m_isOver; }
    /// Of the rows so far.
    TableStatistics statistics() const;

private:
    TableScan(std::unique_ptr<ChunkStream> stream, LentThreads threads);

    Result<void> countPart(const storage::TableChunk& chunk);

    std::unique_ptr<ChunkStream> m_stream;
    LentThreads m_threads;
    std::optional<StatisticsCollector> m_statistics;
    std::optional<RowSplitter> m_splitter;
    std::uint64_t m_otherRows = 0;
    bool m_isOver = false;
};

} // namespace cannery::data
