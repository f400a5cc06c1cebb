// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/schema_inference.h"
#include "storage/tabular/csv/csv_discovery.h"
#include "storage/tabular/csv/csv_reader.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::storage;

namespace {

/// All rows as one text, or the id of the error.
std::string rowsOf(const CsvFiles& files, const std::vector<CsvColumn>& columns,
                   std::size_t blockBytes)
{
    CsvReader reader(files, {.columns = columns,
                             .badRows = BadRowPolicy::Skip,
                             .keepLines = true,
                             .blockBytes = blockBytes});
    std::string text;
    while (true) {
        const auto chunk = reader.next();
        if (!chunk) {
            return text + chunk.error().id;
        }
        if (!*chunk) {
            return text;
        }
        FUZZ_REQUIRE((*chunk)->rows > 0 && (*chunk)->lines.size() == (*chunk)->rows);
        for (const TableColumn& column : (*chunk)->columns) {
            FUZZ_REQUIRE(column.size() == (*chunk)->rows);
        }
        for (std::size_t row = 0; row < (*chunk)->rows; ++row) {
            text += std::to_string((*chunk)->lines[row]) + ":";
            for (const TableColumn& column : (*chunk)->columns) {
                text += column.isValid(row) ? "v" : "m";
                if (const auto* strings = std::get_if<StringColumn>(&column.values)) {
                    text += (*strings)[row];
                }
            }
        }
    }
}

void readTable(const std::string& path, const DialectHints& hints)
{
    const auto found = discoverCsv({.patterns = {path}, .hints = hints});
    if (!found) {
        return;
    }
    (void)readRawRows(found->files, 10);
    const auto schema =
        data::inferSchema(found->files, {.missingTokens = std::vector<std::vector<std::string>>(
                                             found->files.columnNames.size(), {"?"}),
                                         .badRows = BadRowPolicy::Skip});
    if (!schema) {
        return;
    }
    std::vector<CsvColumn> columns;
    for (const data::ColumnSchema& column : schema->columns) {
        columns.push_back({.name = column.name,
                           .index = column.index,
                           .dtype = column.suggestedNotation ? DType::Float64 : column.dtype,
                           .notation = column.suggestedNotation.value_or(
                               data::usualNotation(found->files.dialect))});
    }
    if (!columns.empty()) {
        FUZZ_REQUIRE(rowsOf(found->files, columns, 64) == rowsOf(found->files, columns, 1U << 20U));
    }
}

} // namespace

/// A CSV file: dialect, header, types, rows; the block size does not affect the result.
void fuzzCsv(std::string_view bytes)
{
    static FuzzFile file;
    const std::string& path = file.with(bytes);
    detectDialect(bytes, true, {});
    readTable(path, {});
    readTable(path, {.delimiter = ';', .hasHeader = false, .encoding = TextEncoding::Latin1});
    readTable(path, {.encoding = TextEncoding::Utf16, .decimalComma = true});
    readTable(path, {.delimiter = ',', .encoding = TextEncoding::Cp949, .decimalComma = true});
    readTable(path, {.delimiter = '|', .encoding = TextEncoding::Gb18030});
}

} // namespace cannery::tests
