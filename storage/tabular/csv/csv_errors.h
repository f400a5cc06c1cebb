// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "storage/tabular/cell_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

constexpr ErrorKind kCannotOpenTable{"csv.cannot_open", "Cannot open {}: {}."};
constexpr ErrorKind kCannotReadTable{"csv.cannot_read", "Cannot read {}: {}."};
constexpr ErrorKind kNoSuchFiles{
    "csv.no_such_files", "No file matches {}. Correct the path; it is relative to the experiment."};
constexpr ErrorKind kNoFilesNamed{"csv.no_files_named", "No file is named. Name at least one."};
constexpr ErrorKind kEmptyFile{"csv.empty_file",
                               "The file {} is empty. It needs a header and at least one row."};
constexpr ErrorKind kSkipsAll{
    "csv.skips_all", "{}: nothing is left behind the first {} lines, which skip_rows leaves out. "
                     "Leave out fewer."};
constexpr ErrorKind kRecordTooLong{"csv.record_too_long",
                                   "{}:{}: a record is longer than {} bytes. Is there an unclosed "
                                   "quote? If not, set the environment variable {} to more."};
constexpr ErrorKind kDuplicateColumn{
    "csv.duplicate_column",
    "{}:{}: column name \"{}\" occurs twice (columns {} and {}). Rename one of them in the file."};
constexpr ErrorKind kOtherHeader{
    "csv.other_header",
    "The header of {} differs from that of {}: {}. All files of a source need the same header."};
constexpr ErrorKind kTooManyColumns{"csv.too_many_columns",
                                    "{} has {} columns; at most {} are read. If this is intended, "
                                    "set the environment variable {} to more."};
constexpr ErrorKind kColumnNameCount{
    "csv.column_name_count",
    "{} column names are given, but {} has {} columns. Name every column."};
constexpr ErrorKind kNameNotUtf8{
    "csv.name_not_utf8", "{}:{}: the name of column {} is not valid UTF-8. Convert the file to "
                         "UTF-8, or set its encoding to the one it was saved in, such as "
                         "windows1252 or cp949."};
constexpr ErrorKind kNoConverter{
    "csv.no_converter", "{}: this system cannot convert {}. Install the gconv modules of its C "
                        "library, or convert the file to UTF-8."};

constexpr ErrorKind kFieldCount{
    "csv.field_count",
    "{}:{}: {} instead of {}: {}. Correct the line, or set bad_rows to SKIP to leave it out."};
constexpr ErrorKind kNoRowFits{
    "csv.no_row_fits",
    "{}: by the header there are {} columns, but none of the rows has as many cells; the first is "
    "on line {}: {}. Correct the header, set header to false to read the rows without it, or set "
    "field_delim to another delimiter."};
constexpr ErrorKind kTextAfterQuote{
    "csv.text_after_quote", "{}:{}: text follows the closing quote of column {}: {}. Double the "
                            "quotes inside a quoted cell, or set bad_rows to SKIP."};
constexpr ErrorKind kOpenQuote{"csv.open_quote",
                               "{}:{}: the quote opened in column {} is never closed. Close it, or "
                               "set use_quote_delim to false."};
constexpr ErrorKind kInvalidUtf8{"csv.invalid_utf8",
                                 "{}:{}: not valid UTF-8 (byte 0x{} in column {}). Convert the "
                                 "file to UTF-8, or set its encoding to the one it was saved in, "
                                 "such as windows1252 or cp949."};
constexpr ErrorKind kInvalidText{
    "csv.invalid_text",
    "{}:{}: not valid {} in column {}. Correct the file, set its encoding to the "
    "one it was saved in, or set bad_rows to SKIP."};
constexpr ErrorKind kNotANumber{
    "csv.not_a_number", "{}:{}: \"{}\" in column {} is not a valid {}. Correct it, name it as a "
                        "missing_token, give the column another dtype, or set bad_rows to SKIP."};
constexpr ErrorKind kTooLarge{
    "csv.too_large",
    "{}:{}: {} in column {} does not fit {}. Give the column a wider dtype, or string."};
constexpr ErrorKind kMissing{"csv.missing", "{}:{}: column {} is empty and has no default value. "
                                            "Give it a default_value, or set bad_rows to SKIP."};
constexpr ErrorKind kFieldLength{
    "csv.field_length", "{}:{}: a cell of column {} is longer than {} bytes. Leave the column out, "
                        "or set the environment variable {} to more."};
constexpr ErrorKind kNulByte{"csv.nul_byte",
                             "{}:{}: NUL byte in column {}. Is this a text file? Remove the byte, "
                             "or set bad_rows to SKIP."};

/// What the message of a bad row needs besides the problem itself.
struct RowProblemPlace
{
    const std::string& path;
    std::uint64_t line = 0;
    const std::vector<std::string>& columnNames;
    std::string dtype; ///< of the column, where relevant
};

/// The complete message of a bad row.
Error rowError(const RowProblem& problem, const RowProblemPlace& place);

/// A skipped row.
struct BadRow
{
    /// How many cells the record has, compared with the table. Empty ones do not count behind an
    /// only one.
    enum class Width
    {
        AsTable,
        Narrower,
        Wider
    };

    std::size_t file = 0;
    std::uint64_t line = 0;
    std::uint64_t offset = 0; ///< in its file's decoded text
    Error error;
    Width width = Width::AsTable;
    // If it differs:
    std::string path = {};
    std::string text = {};   ///< the record, printable and shortened
    std::size_t columns = 0; ///< of the table
};

/// A problem of a block of text that begins at a line and an offset of its file.
BadRow badRowOf(const RowProblem& problem, const RowProblemPlace& place, std::size_t file,
                std::uint64_t offset);

/// The error of the first bad row, with notes about the next ones and their number. `isAll`: there
/// are no further bad rows. `goodRows`: rows read so far; without any, leaving bad rows out is no
/// cure.
Error badRowsError(const std::vector<BadRow>& rows, std::uint64_t count, bool isAll,
                   std::uint64_t goodRows);

/// A cell or line for display in a message: line ends and other control bytes escaped.
std::string printable(std::string_view text);

} // namespace cannery::storage
