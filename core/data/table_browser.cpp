// SPDX-License-Identifier: Apache-2.0
#include "core/data/table_browser.h"

#include "core/base/catalog.h"
#include "core/base/check.h"
#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "core/data/data_errors.h"
#include "storage/io/files.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kRowsMoved{
    "data.rows_moved", "{} no longer has the rows that were read from it. Read the table again."};
constexpr ErrorKind kNotReady{"data.rows_not_ready",
                              "These rows have not been read yet. Ask again later."};
constexpr ErrorKind kTooManyRows{"data.too_many_rows",
                                 "The table has {} rows; at most {} can be filtered or sorted. "
                                 "Browse a part of its files."};
constexpr std::uint64_t kMostNumbered = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kGuarded = "the rows that are browsed";

/// Cuts the cell to at most `most` bytes, without splitting a character.
void shorten(std::string& cell, std::size_t most)
{
    if (cell.size() <= most) {
        return;
    }
    // A character of several bytes is dropped whole.
    cell.resize(wholeCharacters(cell, most).size());
    cell += "…";
}

} // namespace

std::string_view name(BrowseStep step)
{
    switch (step) {
    case BrowseStep::Reading:
        return "reading";
    case BrowseStep::Filtering:
        return "filtering";
    case BrowseStep::Keying:
        return "keying";
    case BrowseStep::Sorting:
        return "sorting";
    }
    return "reading";
}

TableBrowser::TableBrowser(spec::Data data, std::unique_ptr<DataSource> source,
                           std::unique_ptr<RowReader> rows)
    : m_data(std::move(data)), m_source(std::move(source)), m_rows(std::move(rows))
{
    std::uint64_t bytes = 0;
    for (const std::string& file : m_source->files()) {
        // Sizes are for the progress alone; a file that is gone is reported when it is read.
        bytes += storage::fileSize(file).value_or(0);
        // Ends of all files so far: a place in the table is one number.
        m_fileEnds.push_back(bytes);
    }
}

TableBrowser::~TableBrowser() = default;

Result<std::unique_ptr<TableBrowser>> TableBrowser::create(spec::Data data,
                                                           std::unique_ptr<DataSource> source)
{
    CANNERY_TRY_ASSIGN(std::unique_ptr<RowReader> rows, source->rowReader());
    return std::unique_ptr<TableBrowser>(
        new TableBrowser(std::move(data), std::move(source), std::move(rows)));
}

BrowseExtent TableBrowser::extent() const
{
    const std::lock_guard lock(m_mutex);
    return m_extent;
}

/// An estimate for compressed files, whose text is longer than the file.
std::uint64_t TableBrowser::bytesBefore(const storage::TableChunk& chunk) const
{
    const std::uint64_t begin = chunk.file == 0 ? 0 : m_fileEnds[chunk.file - 1];
    return std::min(begin + chunk.textEnd, m_fileEnds[chunk.file]);
}

void TableBrowser::add(const storage::TableChunk& chunk, const TableScan& scan)
{
    const std::lock_guard lock(m_mutex);
    // Index, extent and refused rows change under one lock: pages are read by other threads
    // meanwhile.
    m_index.add(chunk);
    m_extent.rows = m_index.rows();
    for (RefusedRow& row : scan.stream().refused(m_refused.size())) {
        m_refused.push_back(std::move(row));
    }
    m_extent.refused = m_refused.size();
}

Result<void> TableBrowser::read(const TableRead& request)
{
    return guardMemory(kGuarded, [&]() -> Result<void> {
        // A later reading, as for statistics, leaves the index alone, so pages stay available.
        const bool isKnown = extent().isWhole;
        CANNERY_TRY_ASSIGN(TableScan scan,
                           TableScan::start(m_data, *m_source,
                                            {.threads = request.work.threads,
                                             .withStatistics = request.withStatistics,
                                             .maxRefused = kMostRefused}));
        if (!isKnown) {
            const std::lock_guard lock(m_mutex);
            m_index = {};
            m_refused.clear();
            m_extent = {};
        }
        while (true) {
            if (request.work.stop.stop_requested()) {
                return fail(ErrorCode::Cancelled, kBrowseCancelled);
            }
            CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, scan.next());
            if (!chunk) {
                break;
            }
            if (!isKnown) {
                // First the text of the rows must be readable again, then the index may name them.
                CANNERY_TRY(m_rows->reach(chunk->file, chunk->textEnd));
                add(*chunk, scan);
            }
            request.work.progress({.step = BrowseStep::Reading,
                                   .done = bytesBefore(*chunk),
                                   .total = m_fileEnds.back()});
            // The caller has enough. The extent stays what it is: not the whole table.
            if (!request.seen(scan)) {
                return {};
            }
        }
        if (!isKnown) {
            std::vector<RefusedRow> rest = scan.stream().refused(m_refused.size());
            const std::lock_guard lock(m_mutex);
            std::move(rest.begin(), rest.end(), std::back_inserter(m_refused));
            // The list has a limit; the report counts all refused rows.
            m_extent.refused = scan.stream().report().badRowCount;
            m_extent.isWhole = true;
        }
        request.seen(scan);
        return {};
    });
}

std::shared_ptr<const RowOrder> TableBrowser::find(const RowQuery& query) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = std::find_if(m_prepared.begin(), m_prepared.end(),
                                    [&](const Prepared& one) { return one.query == query; });
    if (found == m_prepared.end()) {
        return nullptr;
    }
    // The one used last is in front, so keep() drops the one that was not used for the longest
    // time.
    std::rotate(m_prepared.begin(), found, std::next(found));
    return m_prepared.front().order;
}

void TableBrowser::keep(const RowQuery& query, RowOrder order)
{
    const std::lock_guard lock(m_mutex);
    m_prepared.push_front({query, std::make_shared<const RowOrder>(std::move(order))});
    if (m_prepared.size() > kKept) {
        m_prepared.pop_back();
    }
}

bool TableBrowser::isReady(const RowQuery& query, std::uint64_t first, std::uint64_t count) const
{
    if (query.filter.empty() && query.sort.empty()) {
        // Rows that were read can be shown while the rest is read.
        const BrowseExtent known = extent();
        return known.isWhole || (count <= known.rows && first <= known.rows - count);
    }
    return find(query) != nullptr;
}

/// Refused rows have no number, and any of its cells can make a row refused: so if there are such
/// rows, every pass reads all columns.
Result<void> TableBrowser::pass(const std::vector<ColumnRequest>& columns, BrowseStep step,
                                const BrowseWork& work, const UseChunk& use) const
{
    const BrowseExtent known = extent();
    CANNERY_CHECK(known.isWhole);
    // A RowOrder holds 32 bits for each row.
    if (known.rows > kMostNumbered) {
        // Such an order would need twice the memory of the rows' numbers.
        return fail(ErrorCode::OutOfRange, kTooManyRows, known.rows, kMostNumbered);
    }
    ChunkRequest request{.columns = columns, .threads = work.threads};
    for (const ColumnSchema& column : m_source->schema().columns) {
        const bool isRequested =
            std::any_of(columns.begin(), columns.end(),
                        [&](const ColumnRequest& one) { return one.column == column.name; });
        if (known.refused > 0 && !isRequested) {
            request.columns.push_back({.column = column.name});
        }
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<ChunkStream> stream, m_source->read(request));
    std::uint64_t rows = 0;
    while (true) {
        if (work.stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, kBrowseCancelled);
        }
        // Only rows that are accepted have numbers.
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            break;
        }
        rows += chunk->rows;
        // The files have changed since they were indexed: row numbers would be wrong, so nothing is
        // found.
        if (rows > known.rows) {
            break;
        }
        CANNERY_TRY(use(*chunk));
        work.progress({.step = step, .done = rows, .total = known.rows});
    }
    return rows == known.rows
               ? Result<void>()
               : fail(ErrorCode::FailedPrecondition, kRowsMoved, m_source->files().front());
}

Result<RowOrder> TableBrowser::filter(const std::string& text, const BrowseWork& work) const
{
    auto filter = RowFilter::parse(text, m_source->schema());
    if (!filter) {
        return tl::make_unexpected(std::move(filter.error().error));
    }
    RowOrder found;
    if (filter->isEmpty()) {
        // All rows, in their order.
        found.rows.resize(extent().rows);
        std::iota(found.rows.begin(), found.rows.end(), 0U);
        return found;
    }
    CANNERY_TRY(pass(filter->columns(), BrowseStep::Filtering, work,
                     [&](const storage::TableChunk& chunk) -> Result<void> {
                         const std::vector<std::uint8_t> matches = filter->match(chunk);
                         for (std::size_t row = 0; row < chunk.rows; ++row) {
                             if (matches[row] != 0) {
                                 found.rows.push_back(
                                     static_cast<std::uint32_t>(chunk.firstRow + row));
                             }
                         }
                         return {};
                     }));
    // The order is kept for as long as the table is open.
    found.rows.shrink_to_fit();
    return found;
}

Result<RowOrder> TableBrowser::sort(const RowQuery& query, const BrowseWork& work) const
{
    const TableSchema& schema = m_source->schema();
    const ColumnSchema* column = schema.find(query.sort);
    if (column == nullptr) {
        return fail(ErrorCode::NotFound, kNoSuchColumn, m_source->files().front(), query.sort,
                    suggestion(query.sort, schema.names()));
    }
    // prepare() has made the filter's order. It ascends, so one walk along the chunks finds its
    // rows.
    const std::shared_ptr<const RowOrder> filtered =
        query.filter.empty() ? nullptr : find({.filter = query.filter});
    RowSorter sorter;
    std::size_t next = 0;
    std::vector<std::uint8_t> wanted;
    CANNERY_TRY(pass({comparedColumn(*column)}, BrowseStep::Keying, work,
                     [&](const storage::TableChunk& chunk) -> Result<void> {
                         if (filtered) {
                             wanted.assign(chunk.rows, 0);
                             for (; next < filtered->rows.size() &&
                                    filtered->rows[next] < chunk.firstRow + chunk.rows;
                                  ++next) {
                                 wanted[filtered->rows[next] - chunk.firstRow] = 1;
                             }
                         }
                         return sorter.add(*chunk.find(column->name),
                                           static_cast<std::uint32_t>(chunk.firstRow), wanted);
                     }));
    return std::move(sorter).sort(work);
}

Result<void> TableBrowser::prepare(const RowQuery& query, const BrowseWork& work)
{
    return guardMemory(kGuarded, [&]() -> Result<void> {
        const RowQuery filtered{.filter = query.filter};
        // The order of the filter alone is kept, as another column may be sorted by next.
        if (!query.filter.empty() && !find(filtered)) {
            CANNERY_TRY_ASSIGN(RowOrder found, filter(query.filter, work));
            keep(filtered, std::move(found));
        }
        if (query.sort.empty() || find(query)) {
            // Prepared before, perhaps in the other direction.
            return {};
        }
        const RowQuery ascending{.filter = query.filter, .sort = query.sort};
        if (!find(ascending)) {
            CANNERY_TRY_ASSIGN(RowOrder order, sort(query, work));
            keep(ascending, std::move(order));
        }
        if (query.isDescending) {
            // Descending is the ascending order reversed, without a second sort.
            keep(query, find(ascending)->descending());
        }
        return {};
    });
}

Result<RowsPage> TableBrowser::page(const RowQuery& query, std::uint64_t first,
                                    std::uint64_t count) const
{
    return guardMemory(kGuarded, [&]() -> Result<RowsPage> {
        RowsPage page{.first = first};
        const BrowseExtent known = extent();
        const bool isPlain = query.filter.empty() && query.sort.empty();
        const std::shared_ptr<const RowOrder> order = isPlain ? nullptr : find(query);
        if (!isPlain && !order) {
            return fail(ErrorCode::Unavailable, kNotReady);
        }
        page.total = order ? order->rows.size() : known.rows;
        // Shown as preliminary while the table is read.
        page.isSoFar = !known.isWhole;
        const std::uint64_t wanted = std::min(count, kMostRows);
        // A page has a limit, whatever is asked for.
        for (std::uint64_t place = first; place < page.total && place - first < wanted; ++place) {
            page.numbers.push_back(order ? order->rows[place] : place);
        }
        CANNERY_TRY_ASSIGN(page.texts, textsOf(page.numbers));
        return page;
    });
}

Result<std::vector<std::vector<std::string>>>
TableBrowser::textsOf(const std::vector<std::uint64_t>& numbers) const
{
    std::vector<std::size_t> slots(numbers.size());
    std::iota(slots.begin(), slots.end(), std::size_t{0});
    // In the order of the file, so that each range is read once however the page is sorted.
    std::sort(slots.begin(), slots.end(),
              [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
    std::vector<std::vector<std::string>> texts(numbers.size());
    RowIndex::Place read;
    std::vector<std::vector<std::string>> rows;
    for (const std::size_t slot : slots) {
        RowIndex::Place place;
        {
            // Held for the look-up only: reading the rows below takes longer, and reads other
            // members.
            const std::lock_guard lock(m_mutex);
            // The index is emptied when a table is read again.
            if (numbers[slot] >= m_index.rows()) { // being read again
                return fail(ErrorCode::Unavailable, kNotReady);
            }
            place = m_index.placeOf(numbers[slot]);
        }
        if (rows.empty() || place.range != read.range) {
            CANNERY_TRY_ASSIGN(rows, m_rows->read(place.range));
            read = place;
        }
        const std::uint64_t at = numbers[slot] - place.firstRow;
        if (at >= rows.size()) {
            return fail(ErrorCode::FailedPrecondition, kRowsMoved, m_source->files().front());
        }
        texts[slot] = rows[at];
        for (std::string& cell : texts[slot]) {
            shorten(cell, kCellBytes);
        }
    }
    return texts;
}

std::vector<RefusedRow> TableBrowser::refused(std::size_t first, std::size_t count) const
{
    const std::lock_guard lock(m_mutex);
    const std::size_t begin = std::min(first, m_refused.size());
    const std::size_t end = begin + std::min(count, m_refused.size() - begin);
    return {m_refused.begin() + static_cast<std::ptrdiff_t>(begin),
            m_refused.begin() + static_cast<std::ptrdiff_t>(end)};
}

Result<std::string> TableBrowser::textOf(const RefusedRow& row) const
{
    return m_rows->rowText(row.file, row.offset);
}

} // namespace cannery::data
