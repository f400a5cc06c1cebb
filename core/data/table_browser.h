// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/browse_work.h"
#include "core/data/data_source.h"
#include "core/data/row_filter.h"
#include "core/data/row_index.h"
#include "core/data/row_order.h"
#include "core/data/row_reader.h"
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
    std::string sort; ///< a column; empty: file order
    bool isDescending = false;

    bool operator==(const RowQuery&) const = default;
};

/// Some rows of a query.
struct RowsPage
{
    std::uint64_t first = 0;                     ///< place of the first one among the query's rows
    std::uint64_t total = 0;                     ///< the query's rows
    bool isSoFar = false;                        ///< more will be found
    std::vector<std::uint64_t> numbers;          ///< of each row in the table, from 0
    std::vector<std::vector<std::string>> texts; ///< of the schema's columns, as in the file
};

/// How much of the table is known.
struct BrowseExtent
{
    std::uint64_t rows = 0;
    std::uint64_t refused = 0; ///< rows left out
    bool isWhole = false;
};

struct TableRead
{
    BrowseWork work;
    bool withStatistics = false;
    /// Called after some rows have been added, and at the end; false ends the reading.
    std::function<bool(const TableScan&)> seen = [](const TableScan&) { return true; };
};

/// Shows pages of a table that may be much larger than memory: one pass finds where rows begin
/// (half a byte a row is kept), filters keep the numbers of their rows, sorted columns an order (4
/// bytes a row each; of the last kKept of either), and every page reads its own rows again. Any
/// thread may ask for pages while one reads or prepares.
class TableBrowser
{
public:
    static constexpr std::size_t kKept = 4;
    static constexpr std::size_t kMostRefused = 10'000; ///< rows left out that are listed
    static constexpr std::uint64_t kMostRows = 10'000;  ///< of a page
    static constexpr std::size_t kCellBytes = 4096;     ///< of a cell that are shown

    /// `data` says how rows are split, for statistics.
    static Result<std::unique_ptr<TableBrowser>> create(spec::Data data,
                                                        std::unique_ptr<DataSource> source);
    ~TableBrowser();

    const DataSource& source() const { return *m_source; }

    /// Reads the table from its beginning; the pages of its first rows are ready at once. A second
    /// call, after the first has read it all, only finds statistics. Errors: a file that cannot be
    /// read on, Cancelled. One call at a time.
    Result<void> read(const TableRead& request);
    BrowseExtent extent() const;

    /// Whether page() answers without further work.
    bool isReady(const RowQuery& query, std::uint64_t first, std::uint64_t count) const;
    /// Filters and sorts; the whole table must have been read. Errors: a filter or column that
    /// cannot be, Cancelled. One call at a time.
    Result<void> prepare(const RowQuery& query, const BrowseWork& work);
    /// Fewer rows at the end. Errors: Unavailable if the query is not ready, or no longer.
    Result<RowsPage> page(const RowQuery& query, std::uint64_t first, std::uint64_t count) const;

    /// Rows left out, from the `first`; at most kMostRefused are known.
    std::vector<RefusedRow> refused(std::size_t first, std::size_t count) const;
    /// The beginning of its text.
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
    std::vector<std::uint64_t> m_fileEnds; ///< bytes up to the end of each file, on the disk
    mutable std::mutex m_mutex;            ///< guards the following
    RowIndex m_index;
    std::vector<RefusedRow> m_refused;
    BrowseExtent m_extent;
    mutable std::deque<Prepared> m_prepared; ///< the last one used first
};

} // namespace cannery::data
