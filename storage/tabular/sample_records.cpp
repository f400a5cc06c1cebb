// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/sample_records.h"

#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/line_cutter.h"

#include <algorithm>
#include <bit>
#include <map>

namespace cannery::storage {

namespace {

/// Counts the fields of records.
class WidthSink
{
public:
    WidthSink(std::string_view text, std::size_t most) : m_text(text), m_most(most) {}

    bool isDone() const { return m_records.size() >= m_most; }
    void run(std::size_t, std::uint64_t ends, std::size_t)
    {
        m_fields += static_cast<std::size_t>(std::popcount(ends));
    }
    void cell(std::size_t, std::uint32_t) { ++m_fields; }
    void fault(RowFault, std::size_t) {}
    void unclosed(std::size_t, std::size_t) {}
    void skipped(std::size_t) {}
    void record(std::size_t begin, std::size_t lineEnd, std::size_t next)
    {
        const std::string_view line = m_text.substr(begin, lineEnd - begin);
        const bool isBlank =
            m_fields == 1 && line.find_first_not_of(" \t") == std::string_view::npos;
        // Neither blank lines nor those of delimiters only, which spreadsheets write below a table.
        if (!isBlank && line.size() + 1 != m_fields && !isDone()) {
            m_records.push_back({begin, lineEnd, next, m_fields});
        }
        m_fields = 0;
    }

    std::vector<SampleRecord> take() { return std::move(m_records); }

private:
    std::string_view m_text;
    std::size_t m_most;
    std::size_t m_fields = 0;
    std::vector<SampleRecord> m_records;
};

} // namespace

std::vector<SampleRecord> recordsOf(std::string_view text, bool isWhole, const CsvDialect& dialect,
                                    std::size_t most)
{
    const std::string_view records = text.substr(0, findRecordsEnd(text, dialect, isWhole).end);
    WidthSink sink(records, most);
    cutRecords(records, dialect, sink);
    return sink.take();
}

std::size_t usualWidth(const std::vector<SampleRecord>& records, std::size_t from)
{
    std::map<std::size_t, std::size_t> counts;
    for (std::size_t i = from; i < records.size(); ++i) {
        ++counts[records[i].fields];
    }
    if (counts.empty()) {
        return 0;
    }
    const auto usual =
        std::max_element(counts.begin(), counts.end(),
                         // Of equally frequent widths, the greater: std::map is in ascending order.
                         [](const auto& a, const auto& b) { return a.second <= b.second; });
    // The first record is likely the header, so its width wins a tie.
    const std::size_t first = records[from].fields;
    return first > 1 && counts[first] == usual->second ? first : usual->first;
}

std::size_t countOfWidth(const std::vector<SampleRecord>& records, std::size_t from,
                         std::size_t fields)
{
    return static_cast<std::size_t>(std::count_if(
        records.begin() + static_cast<std::ptrdiff_t>(std::min(from, records.size())),
        records.end(), [&](const SampleRecord& one) { return one.fields == fields; }));
}

std::vector<std::string> cellsOf(std::string_view record, const CsvDialect& dialect)
{
    CellTable table;
    scanCells(record, dialect, table);
    std::vector<std::string> cells;
    std::string scratch;
    for (std::size_t i = 0; i < table.columns && table.rowCount() > 0; ++i) {
        cells.emplace_back(table.value(table.cell(0, i), dialect.quote, scratch));
    }
    return cells;
}

CellTable rowsOf(std::string_view text, const std::vector<SampleRecord>& records, std::size_t first,
                 std::size_t columns, const CsvDialect& dialect, std::size_t most)
{
    CellTable table;
    table.columns = columns;
    if (first >= records.size()) {
        return table;
    }
    const std::size_t last = std::min(first + most, records.size()) - 1;
    const std::size_t begin = records[first].begin;
    scanCells(text.substr(begin, records[last].next - begin), dialect, table);
    return table;
}

} // namespace cannery::storage
