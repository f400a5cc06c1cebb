// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/browse_work.h"
#include "core/data/rows/row_filter.h"
#include "core/data/rows/row_index.h"
#include "core/data/rows/row_order.h"
#include "core/data/rows/row_reader.h"
#include "core/data/sources/data_source.h"
#include "core/data/table_scan.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cannery::data {

/// Which rows, in which order: by default all of them in file order.
struct RowQuery
{
    std::string filter;
    std::string sort; ///< a column; file order if empty
    bool isDescending = false;

    bool operator==(const RowQuery&) const = default;
};

/// Some rows of a query.
struct RowsPage
{
    std::uint64_t first = 0;                     ///< its place among the query's rows, from 0
    std::uint64_t total = 0;                     ///< the query's rows
    bool isSoFar = false;                        ///< the table has not been read to its end
    std::vector<std::uint64_t> numbers;          ///< of each row in the table, from 0
    std::vector<std::vector<std::string>> texts; ///< of the schema's columns, as in the file
};

/// How much of the table is known.
struct BrowseExtent
{
    std::uint64_t rows = 0;
    std::uint64_t refused = 0; ///< rows that were left out
    bool isWhole = false;
};

struct TableRead
{
    BrowseWork work;
    bool withStatistics = false;
    /// Called after every chunk, and at the end; false stops reading.
    std::function<bool(const TableScan&)> seen = [](const TableScan&) { return true; };
};

/// Shows pages of a table that may be much larger than memory. One pass finds where rows begin
/// (half a byte per row); the last kKept filters and orders keep the numbers of their rows (4 bytes
/// each); every page reads its own rows again. Any thread may ask for pages while another reads or
/// prepares.
class TableBrowser
{
public:
    static constexpr std::size_t kKept = 4;
    static constexpr std::size_t kMostRefused = 10'000; ///< of the rows left out, listed
    static constexpr std::uint64_t kMostRows = 10'000;  ///< of a page
    static constexpr std::size_t kCellBytes = 4096;     ///< shown of a cell

    /// `data` says how rows are split, for statistics.
    static Result<std::unique_ptr<TableBrowser>> create(spec::Data data,
                                                        std::unique_ptr<DataSource> source);
    ~TableBrowser();

    const DataSource& source() const { return *m_source; }

    /// Reads the table from its beginning; pages are ready as soon as their rows have been read.
    /// Once all has been read, further calls only collect statistics. Errors: those of the files,
    /// Cancelled. One call at a time.
    Result<void> read(const TableRead& request);
    BrowseExtent extent() const;

    /// Whether page() answers without further work.
    bool isReady(const RowQuery& query, std::uint64_t first, std::uint64_t count) const;
    /// Filters and sorts; the whole table must have been read. Errors: an invalid filter, an
    /// unknown column, Cancelled. One call at a time.
    Result<void> prepare(const RowQuery& query, const BrowseWork& work);
    /// At most `count` rows. Errors: Unavailable unless the query is ready.
    Result<RowsPage> page(const RowQuery& query, std::uint64_t first, std::uint64_t count) const;

    /// The rows left out, from the `first`-th on; at most kMostRefused are known.
    std::vector<RefusedRow> refused(std::size_t first, std::size_t count) const;
    /// The row's text, or its beginning.
    Result<std::string> textOf(const RefusedRow& row) const;

private:
    struct Prepared
    {
        RowQuery query;
        std::shared_ptr<const RowOrder> order;
    };

    TableBrowser(spec::Data data, std::unique_ptr<DataSource> source,
                 std::unique_ptr<RowReader> rows);
    void add(const storage::TableChunk& chunk, const TableScan& scan);
    std::uint64_t bytesBefore(const storage::TableChunk& chunk) const;
    std::shared_ptr<const RowOrder> find(const RowQuery& query) const;
    void keep(const RowQuery& query, RowOrder order);
    Result<RowOrder> filter(const std::string& text, const BrowseWork& work) const;
    Result<RowOrder> sort(const RowQuery& query, const BrowseWork& work) const;
    using UseChunk = std::function<Result<void>(const storage::TableChunk& chunk)>;
    Result<void> pass(const std::vector<ColumnRequest>& columns, BrowseStep step,
                      const BrowseWork& work, const UseChunk& use) const;
    Result<std::vector<std::vector<std::string>>>
    textsOf(const std::vector<std::uint64_t>& numbers) const;

    spec::Data m_data;
    std::unique_ptr<DataSource> m_source;
    std::unique_ptr<RowReader> m_rows;
    std::vector<std::uint64_t> m_fileEnds; ///< bytes on disk up to the end of each file
    mutable std::mutex m_mutex;            ///< guards the following
    RowIndex m_index;
    std::vector<RefusedRow> m_refused;
    BrowseExtent m_extent;
    mutable std::deque<Prepared> m_prepared; ///< the most recently used first
};

} // namespace cannery::data
