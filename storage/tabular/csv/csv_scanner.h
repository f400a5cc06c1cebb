// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/cell_table.h"
#include "storage/tabular/csv/csv_dialect.h"
#include "storage/tabular/text_bytes.h"

#include <cstddef>
#include <string_view>

namespace cannery::storage {

/// Bytes that must be readable before and after every text passed to the scanner and the parsers;
/// they are never part of a value.
inline constexpr std::size_t kTextPadding = 64;

/// The byte order mark of UTF-8 files; not part of the first name.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Splits whole records into cells, 64 bytes at a time. The text begins at a record; its end ends
/// the last record. Grammar: record = field *(delimiter field) (LF | CRLF | CR); field = plain |
/// quote *(any | quote quote) quote. A quote inside a plain field is an ordinary character. Blank
/// lines are skipped if there is more than one column, and so are lines of nothing but delimiters
/// and repetitions of the header; a delimiter too many at the end of a line is dropped. Records
/// with a number of fields other than `table.columns`, or with text after a closing quote, become
/// problems instead of rows. In dialects that are separated by blanks, a delimiter is a run of
/// spaces and tabs, and those at both ends of a line do not count. With an escape character, the
/// one behind it is ordinary, but for a line end outside quotes. If `table.columns` is 0, it is set
/// to the number of fields of the first record; if that is more than kCsvColumns allows, the record
/// is not a row. Appends to `table`, whose text it sets.
void scanCells(std::string_view text, const CsvDialect& dialect, CellTable& table);

/// Where the whole records of a text end, and whether a quote is open there.
struct RecordsEnd
{
    std::size_t end = 0;       ///< bytes of whole records from the beginning of the text
    bool quoteIsOpen = false;  ///< the rest of the text begins a quoted field that is not closed
    std::size_t openQuote = 0; ///< offset of that quote
};

/// Finds the last record end in a text that begins at a record. A final CR counts only if `isLast`,
/// since an LF may follow.
RecordsEnd findRecordsEnd(std::string_view text, const CsvDialect& dialect, bool isLast);

/// Offset after the first record, or npos if the text does not contain a whole one.
std::size_t firstRecordEnd(std::string_view text, const CsvDialect& dialect, bool isLast);

} // namespace cannery::storage
