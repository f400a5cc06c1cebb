// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_parser.h"

#include "storage/tabular/column_parser.h"

#include <algorithm>

namespace cannery::storage {

void ParseWarnings::add(const ParseWarnings& other)
{
    // Blocks are merged in the order of the file, so that the first one found is the file's first.
    if (outOfRange == 0 && other.outOfRange != 0) {
        firstOutOfRangeLine = other.firstOutOfRangeLine;
        firstOutOfRange = other.firstOutOfRange;
    }
    outOfRange += other.outOfRange;
}

namespace {

constexpr std::size_t kTileCells = 2048;

/// Allocates space for all rows, so the loops write in place.
void sizeForRows(TableColumn& column, std::size_t rows)
{
    if (column.dtype == DType::String) {
        column.strings().reserve(rows, 0);
    } else {
        std::visit(
            [&](auto& list) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(list)>, StringColumn>) {
                    list.resize(rows);
                }
            },
            column.values);
    }
}

/// Tells the problems of notes that are filled up with delimiters. Those of the rows are in no
/// order.
void markOnlyCells(const ParseContext& context)
{
    const std::vector<std::uint32_t>& begins = context.table.rowBegins;
    for (RowProblem& problem : context.table.problems) {
        const auto row = std::lower_bound(begins.begin(), begins.end(), problem.recordBegin);
        problem.isOnlyCell =
            row != begins.end() && *row == problem.recordBegin &&
            context.table.hasOnlyFirst(static_cast<std::size_t>(row - begins.begin()));
    }
}

void dropBadRows(const ParseContext& context, TableChunk& chunk)
{
    markOnlyCells(context);
    std::vector<std::uint32_t> kept;
    std::vector<std::uint32_t> begins;
    for (std::uint32_t row = 0; row < chunk.rows; ++row) {
        if (context.badRows[row] == 0) {
            kept.push_back(row);
            begins.push_back(context.table.rowBegins[row]);
        }
    }
    // Copied once at the end, because bad rows are rare and the loops above should not test for
    // them.
    for (TableColumn& column : chunk.columns) {
        column = gather(column, kept);
    }
    chunk.rows = kept.size();
    context.table.rowBegins = std::move(begins);
    std::sort(
        context.table.problems.begin(), context.table.problems.end(),
        [](const RowProblem& a, const RowProblem& b) { return a.recordBegin < b.recordBegin; });
}

} // namespace

std::string utf8FromLatin1(std::string_view text)
{
    std::string converted;
    converted.reserve(text.size() + 8);
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x80U) {
            converted.push_back(character);
        } else {
            converted.push_back(static_cast<char>(0xC0U | byte >> 6U));
            converted.push_back(static_cast<char>(0x80U | (byte & 0x3FU)));
        }
    }
    return converted;
}

TableChunk parseCells(CellTable& table, const CsvDialect& dialect,
                      const std::vector<CsvColumn>& columns, ParseWarnings& warnings)
{
    TableChunk chunk;
    chunk.rows = table.rowCount();
    chunk.columns.reserve(columns.size());
    ParseContext context{table, dialect, warnings, {}};
    std::vector<ColumnParser> parsers;
    parsers.reserve(columns.size());
    for (const CsvColumn& plan : columns) {
        chunk.columns.push_back({plan.name, plan.dtype, emptyValues(plan.dtype), {}});
        sizeForRows(chunk.columns.back(), chunk.rows);
        parsers.emplace_back(plan, context, chunk.columns.back());
    }
    // Tiles of rows keep cells and text in the L1 cache while all columns process them.
    const std::size_t tile =
        std::clamp<std::size_t>(kTileCells / std::max<std::size_t>(1, table.columns), 8, 1024);
    for (std::size_t begin = 0; begin < chunk.rows; begin += tile) {
        for (ColumnParser& parser : parsers) {
            parser.parse(begin, std::min(begin + tile, chunk.rows));
        }
    }
    if (!context.badRows.empty()) {
        dropBadRows(context, chunk);
    }
    return chunk;
}

} // namespace cannery::storage
