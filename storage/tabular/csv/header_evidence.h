// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/cell_table.h"
#include "storage/tabular/csv/csv_dialect.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// Whether a record is a header, and why.
struct HeaderVerdict
{
    bool isHeader = false;
    bool isSure = false; ///< what it holds does not fit the columns below
    std::string reason;
};

/// Judges the first row of a table: it is a header if what it holds does not fit the columns below
/// it. Names may be numbers, such as years or 0, 1, 2, … Rows like the first are its repetitions.
HeaderVerdict detectHeader(const CellTable& table, const CsvDialect& dialect);

/// Whether the first row of a table describes its columns (units, types, explanations): it has
/// texts where the rows below have numbers, and no number among them.
bool describesColumns(const CellTable& table, const CsvDialect& dialect);

/// Whether cells can be the names of columns: all are texts, and all are different.
bool areNames(const std::vector<std::string>& cells, const CsvDialect& dialect);

/// Whether a cell is a number, possibly with a decimal comma if cells are not cut at commas. The
/// text needs the padding of the number parsers.
bool looksNumeric(std::string_view text, char delimiter);

} // namespace cannery::storage
