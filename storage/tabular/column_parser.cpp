// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/column_parser.h"

#include "core/base/utf8.h"
#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/long_decimal.h"
#include "storage/tabular/plain_decimal.h"
#include "storage/tabular/text_decoder.h"

#include <algorithm>
#include <type_traits>

namespace cannery::storage {

namespace {

std::string shortenedCell(std::string_view text)
{
    constexpr std::size_t kLimit = 80;
    return text.size() <= kLimit ? std::string(text) : std::string(text.substr(0, kLimit)) + "…";
}

/// The fast paths for reading a number; false if none of them applies.
template <typename T>
bool readQuickly(std::string_view text, T& value)
{
    if (parsePlain(text, value)) {
        return true;
    }
    if constexpr (std::is_floating_point_v<T>) {
        return parseLong(text, value);
    }
    return false;
}

} // namespace

ColumnParser::ColumnParser(const CsvColumn& plan, ParseContext& context, TableColumn& column)
    : m_plan(plan), m_context(context), m_column(column),
      m_reader(plan.dtype, plan.missingTokens, plan.notation)
{
    // A token such as -999 is a number: then every cell is compared with the tokens before it is
    // parsed. Otherwise the fast paths refuse tokens by themselves.
    m_isQuick = m_reader.readsPlainly() && !m_reader.hasNumberTokens();
}

void ColumnParser::parse(std::size_t begin, std::size_t end)
{
    switch (m_plan.dtype) {
    case DType::Float32:
        parseNumbers<float>(begin, end);
        break;
    case DType::Float64:
        parseNumbers<double>(begin, end);
        break;
    case DType::Int32:
    case DType::Int64:
        parseNumbers<std::int64_t>(begin, end);
        break;
    default:
        parseStrings(begin, end);
        break;
    }
}

template <typename T>
void ColumnParser::parseNumbers(std::size_t begin, std::size_t end)
{
    const CellTable& table = m_context.table;
    const char* text = table.text.data();
    const std::size_t stride = table.columns;
    const CellSpan* span = table.cells.data() + begin * stride + m_plan.index;
    // One pass down a column of the table of cells, with a row's number of cells as stride.
    T* values = m_column.as<T>().data();
    const bool isQuick = m_isQuick;
    for (std::size_t row = begin; row < end; ++row, span += stride) {
        const std::string_view cell(text + span->begin, span->length());
        T value;
        if (isQuick && readQuickly(cell, value) && fits(value)) [[likely]] {
            values[row] = value;
        } else {
            values[row] = parseOddNumber<T>(row, *span);
        }
    }
}

template <typename T>
bool ColumnParser::fits(T value) const
{
    if constexpr (std::is_same_v<T, std::int64_t>) {
        return m_plan.dtype == DType::Int64 || value == static_cast<std::int32_t>(value);
    }
    return true;
}

template <typename T>
T ColumnParser::parseOddNumber(std::size_t row, const CellSpan& span)
{
    const CellTable& table = m_context.table;
    const std::string_view cell = table.raw(span);
    const bool isLatin = table.hasHighBytes && m_context.dialect.encoding == TextEncoding::Latin1;
    if (isLatin) {
        // Marks, affixes and tokens are UTF-8.
        m_scratch = utf8FromLatin1(cell);
    }
    T value{};
    const CellRead read = isLatin ? m_reader.number(m_scratch, value)
                                  : m_reader.number(cell, value, CellReader::Padding::Readable);
    if (read.isMissing) {
        missing(row, span);
    } else if (read.fault == CellFault::TooLarge) {
        bad(row, span, RowFault::TooLarge);
    } else if (read.fault != CellFault::None) {
        // Bytes that are not text in the file's encoding get a sentence of their own, as the
        // number's would mislead.
        const std::size_t at = table.hasHighBytes ? findInvalidUtf8(cell) : cell.npos;
        const auto fault = at < cell.size() ? describeFault(cell.substr(at)) : std::nullopt;
        bad(row, span, fault ? RowFault::InvalidText : RowFault::NotANumber, fault.value_or(""));
    } else if (read.isOutOfRange) {
        warnOutOfRange(row, cell);
    }
    return value;
}

void ColumnParser::parseStrings(std::size_t begin, std::size_t end)
{
    const CellTable& table = m_context.table;
    StringColumn& strings = m_column.strings();
    const bool mayBeOdd = !m_plan.missingTokens.empty() || table.hasHighBytes || table.hasNul;
    for (std::size_t row = begin; row < end; ++row) {
        const CellSpan& span = table.cell(row, m_plan.index);
        // Not empty, not long, no doubled quotes: almost every cell.
        if (!mayBeOdd && (span.lengthAndFlags & ~CellSpan::kQuoted) - 1 < 4096) [[likely]] {
            strings.push_back({table.text.data() + span.begin, span.length()});
        } else {
            parseOddString(row, span, strings);
        }
    }
}

void ColumnParser::parseOddString(std::size_t row, const CellSpan& span, StringColumn& strings)
{
    const CellTable& table = m_context.table;
    const std::string_view text = table.value(span, m_context.dialect.quote, m_scratch);
    if (m_reader.isMissingText(text)) {
        missing(row, span);
        strings.push_back({});
    } else if (text.size() > kCsvCellBytes.least && text.size() > kCsvCellBytes.value()) {
        bad(row, span, RowFault::FieldLength);
        strings.push_back({});
    } else if (table.hasNul && text.find('\0') != std::string_view::npos) {
        bad(row, span, RowFault::NulByte);
        strings.push_back({});
    } else if (table.hasHighBytes) {
        appendEncoded(row, span, text, strings);
    } else {
        strings.push_back(text);
    }
}

void ColumnParser::appendEncoded(std::size_t row, const CellSpan& span, std::string_view text,
                                 StringColumn& strings)
{
    // All other encodings have been converted before the text was cut into cells.
    if (m_context.dialect.encoding == TextEncoding::Latin1) {
        strings.push_back(utf8FromLatin1(text));
    } else if (const std::size_t at = findInvalidUtf8(text); at != std::string_view::npos) {
        const auto fault = describeFault(text.substr(at));
        bad(row, span, fault ? RowFault::InvalidText : RowFault::InvalidUtf8,
            fault ? *fault : std::string(1, text[at])); // the reader adds the byte
        strings.push_back({});
    } else {
        strings.push_back(text);
    }
}

void ColumnParser::missing(std::size_t row, const CellSpan& span)
{
    if (m_plan.isRequired) {
        bad(row, span, RowFault::Missing);
    }
    m_column.markMissing(row, m_context.table.rowCount());
}

void ColumnParser::bad(std::size_t row, const CellSpan& span, RowFault fault,
                       const std::string& detail)
{
    CellTable& table = m_context.table;
    if (m_context.badRows.empty()) {
        m_context.badRows.resize(table.rowCount());
    }
    // One problem a row is enough, since the row is dropped from every column.
    if (m_context.badRows[row] != 0) {
        return;
    }
    m_context.badRows[row] = 1;
    table.addProblem({.fault = fault,
                      .recordBegin = table.rowBegins[row],
                      .at = span.begin,
                      .column = static_cast<std::uint32_t>(m_plan.index),
                      .detail = detail.empty() ? shortenedCell(table.raw(span)) : detail});
}

void ColumnParser::warnOutOfRange(std::size_t row, std::string_view text)
{
    ParseWarnings& warnings = m_context.warnings;
    if (warnings.outOfRange++ == 0) {
        const CellTable& table = m_context.table;
        warnings.firstOutOfRange = shortenedCell(text);
        // Lines are counted for the first one only, since this walks over the text before it.
        warnings.firstOutOfRangeLine = countLines(table.text.substr(0, table.rowBegins[row])) + 1;
    }
}

} // namespace cannery::storage
