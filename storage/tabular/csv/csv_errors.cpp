// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_errors.h"

#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/text_decoder.h"

#include <algorithm>

namespace cannery::storage {

namespace {

std::string columnName(const RowProblemPlace& place, std::uint32_t column)
{
    if (column < place.columnNames.size() && !place.columnNames[column].empty()) {
        return place.columnNames[column];
    }
    return fmt::format("{}", column + 1);
}

std::string fieldCount(std::size_t count)
{
    return fmt::format("{} field{}", count, count == 1 ? "" : "s");
}

std::string hexByte(const std::string& text)
{
    return text.empty() ? std::string("??")
                        : fmt::format("{:02X}", static_cast<unsigned char>(text.front()));
}

} // namespace

std::string printable(std::string_view text)
{
    std::string shown;
    // Control characters are shown by their codes: a terminal would obey them.
    for (const char character : withoutMarks(text)) {
        const auto byte = static_cast<unsigned char>(character);
        if (character == '\n') {
            shown += "\\n";
        } else if (character == '\t') {
            shown += "\\t";
        } else if (byte < 0x20U || byte == 0x7FU) {
            shown += fmt::format("\\x{:02x}", byte);
        } else {
            shown.push_back(character);
        }
    }
    return shown;
}

Error rowError(const RowProblem& problem, const RowProblemPlace& place)
{
    constexpr ErrorCode kInvalid = ErrorCode::InvalidArgument;
    const std::string detail = printable(problem.detail);
    const std::string column = columnName(place, problem.column);
    switch (problem.fault) {
    case RowFault::FieldCount:
        return error(kInvalid, kFieldCount, place.path, place.line, fieldCount(problem.column),
                     place.columnNames.size(), detail);
    case RowFault::TextAfterQuote:
        return error(kInvalid, kTextAfterQuote, place.path, place.line, column, detail);
    case RowFault::OpenQuote:
        return error(kInvalid, kOpenQuote, place.path, place.line, column);
    case RowFault::InvalidUtf8:
        return error(kInvalid, kInvalidUtf8, place.path, place.line, hexByte(problem.detail),
                     column);
    case RowFault::InvalidText:
        return error(kInvalid, kInvalidText, place.path, place.line, detail, column);
    case RowFault::NotANumber:
        return error(kInvalid, kNotANumber, place.path, place.line, detail, column, place.dtype);
    case RowFault::TooLarge:
        return error(kInvalid, kTooLarge, place.path, place.line, detail, column, place.dtype);
    case RowFault::Missing:
        return error(kInvalid, kMissing, place.path, place.line, column);
    case RowFault::FieldLength:
        break;
    case RowFault::NulByte:
        return error(kInvalid, kNulByte, place.path, place.line, column);
    }
    return error(kInvalid, kFieldLength, place.path, place.line, column, kCsvCellBytes.value(),
                 kCsvCellBytes.variable);
}

BadRow badRowOf(const RowProblem& problem, const RowProblemPlace& place, std::size_t file,
                std::uint64_t offset)
{
    BadRow row{file, place.line, offset, rowError(problem, place)};
    if (problem.fault == RowFault::FieldCount || problem.isOnlyCell) {
        const bool isNarrow = problem.isOnlyCell || problem.column < place.columnNames.size();
        row.width = isNarrow ? BadRow::Width::Narrower : BadRow::Width::Wider;
        row.path = place.path;
        row.text = printable(problem.detail);
        row.columns = place.columnNames.size();
    }
    return row;
}

Error badRowsError(const std::vector<BadRow>& rows, std::uint64_t count, bool isAll,
                   std::uint64_t goodRows)
{
    const BadRow& one = rows.front();
    const bool isAllOdd = std::all_of(rows.begin(), rows.end(), [](const BadRow& row) {
        return row.width != BadRow::Width::AsTable;
    });
    // Not a single row fits: the delimiter or the header is wrong, and a list of rows would hide
    // that.
    if (goodRows == 0 && count > 1 && isAll && isAllOdd) {
        return error(ErrorCode::InvalidArgument, kNoRowFits, one.path, one.columns, one.line,
                     one.text);
    }
    Error first = one.error;
    constexpr std::size_t kListed = 5;
    for (std::size_t i = 1; i < std::min(rows.size(), kListed); ++i) {
        first.notes.push_back(rows[i].error.sentence);
    }
    // "At least", because a pass that stops early has not seen all of them.
    if (count > 1) {
        first.notes.push_back(fmt::format("{}{} bad rows", isAll ? "" : "at least ", count));
    }
    return first;
}

} // namespace cannery::storage
