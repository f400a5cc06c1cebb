// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/column_parser.h"

#include "core/base/utf8.h"
#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/long_decimal.h"
#include "storage/tabular/number_parser.h"
#include "storage/tabular/plain_decimal.h"
#include "storage/tabular/text_decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

NumberStatus readAny(std::string_view text, float& value)
{
    return parseFloat(text, value);
}

NumberStatus readAny(std::string_view text, double& value)
{
    return parseDouble(text, value);
}

NumberStatus readAny(std::string_view text, std::int64_t& value)
{
    return parseInteger(text, value);
}

} // namespace

ColumnParser::ColumnParser(const CsvColumn& plan, ParseContext& context, TableColumn& column)
    : m_plan(plan), m_context(context), m_column(column), m_tokens(plan.missingTokens),
      m_notation(plan.notation)
{
    if (plan.dtype == DType::String) {
        return;
    }
    float asFloat = 0;
    double asDouble = 0;
    std::int64_t asInteger = 0;
    // A token such as -999 is a number: then every cell is compared with the tokens before it is
    // parsed. Otherwise the fast paths refuse tokens by themselves.
    for (std::string& token : m_tokens) {
        token = trimmed(token);
        const PaddedText padded(token);
        m_tokensFirst = m_tokensFirst || readQuickly(padded.view(), asFloat) ||
                        readQuickly(padded.view(), asDouble) ||
                        readQuickly(padded.view(), asInteger);
    }
}

void ColumnParser::parse(std::size_t begin, std::size_t end)
{
    // An integer has no decimal mark.
    const bool isPlain =
        m_plan.notation.isPlain() || (isInteger(m_plan.dtype) && m_notation.isSimple());
    switch (m_plan.dtype) {
    case DType::Float32:
        isPlain ? parseNumbers<float>(begin, end) : parseWrittenNumbers<float>(begin, end);
        break;
    case DType::Float64:
        isPlain ? parseNumbers<double>(begin, end) : parseWrittenNumbers<double>(begin, end);
        break;
    case DType::Int32:
    case DType::Int64:
        isPlain ? parseNumbers<std::int64_t>(begin, end)
                : parseWrittenNumbers<std::int64_t>(begin, end);
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
    const bool tokensFirst = m_tokensFirst;
    for (std::size_t row = begin; row < end; ++row, span += stride) {
        const std::string_view cell(text + span->begin, span->length());
        T value;
        if (!tokensFirst && readQuickly(cell, value) && fits(value)) [[likely]] {
            values[row] = value;
        } else {
            values[row] = parseOddNumber<T>(row, *span, cell);
        }
    }
}

template <typename T>
void ColumnParser::parseWrittenNumbers(std::size_t begin, std::size_t end)
{
    const CellTable& table = m_context.table;
    const bool isLatin = m_context.dialect.encoding == TextEncoding::Latin1 && table.hasHighBytes;
    T* values = m_column.as<T>().data();
    for (std::size_t row = begin; row < end; ++row) {
        const CellSpan& span = table.cell(row, m_plan.index);
        const std::string_view cell = table.raw(span);
        if (isLatin) {
            m_scratch = utf8FromLatin1(cell);
        }
        const auto number = m_notation.rewritten(isLatin ? std::string_view(m_scratch) : cell);
        const std::string_view bare = trimmed(cell);
        T value{};
        if (bare.empty() || isToken(bare)) {
            missing(row, span);
            values[row] = value;
            continue;
        }
        const NumberStatus status = number ? readAny(*number, value) : NumberStatus::NotANumber;
        values[row] = settle(row, span, cell, status, value);
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
T ColumnParser::parseOddNumber(std::size_t row, const CellSpan& span, std::string_view text)
{
    const std::string_view bare = trimmed(text);
    if (bare.empty() || isToken(bare)) {
        missing(row, span);
        return T{};
    }
    T value{};
    const NumberStatus status = readAny(text, value);
    return settle(row, span, text, status, value);
}

template <typename T>
T ColumnParser::settle(std::size_t row, const CellSpan& span, std::string_view text,
                       NumberStatus status, T value)
{
    // NaN is a missing value in a column of numbers, however it is spelled.
    if (status == NumberStatus::NotANumber && spellsNan(text)) {
        missing(row, span);
        return T{};
    }
    if (status == NumberStatus::NotANumber) {
        // Bytes that are not text in the file's encoding get a sentence of their own, as the
        // number's would mislead.
        const std::size_t at = m_context.table.hasHighBytes ? findInvalidUtf8(text) : text.npos;
        const auto fault = at < text.size() ? describeFault(text.substr(at)) : std::nullopt;
        bad(row, span, fault ? RowFault::InvalidText : RowFault::NotANumber, fault.value_or(""));
        return T{};
    }
    if constexpr (std::is_same_v<T, std::int64_t>) {
        if (status == NumberStatus::OutOfRange || !fits(value)) {
            bad(row, span, RowFault::TooLarge);
            return T{};
        }
    } else if (status == NumberStatus::OutOfRange) {
        warnOutOfRange(row, text);
    } else if (std::isnan(value)) {
        missing(row, span);
        return T{};
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
    if (text.empty() || isToken(text)) {
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

bool ColumnParser::isToken(std::string_view text) const
{
    return std::find(m_tokens.begin(), m_tokens.end(), text) != m_tokens.end();
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
