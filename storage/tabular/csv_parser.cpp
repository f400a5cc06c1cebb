#include "storage/tabular/csv_parser.h"

#include "storage/tabular/csv_scanner.h"
#include "storage/tabular/number_parser.h"
#include "storage/tabular/plain_decimal.h"

#include <algorithm>
#include <limits>

namespace cannery::storage {

void ParseWarnings::add(const ParseWarnings& other)
{
    if (outOfRange == 0 && other.outOfRange != 0) {
        firstOutOfRangeLine = other.firstOutOfRangeLine;
        firstOutOfRange = other.firstOutOfRange;
    }
    outOfRange += other.outOfRange;
}

namespace {

constexpr std::uint32_t kMaxCellBytes = 16U << 20U;

std::string shortened(std::string_view text)
{
    constexpr std::size_t kLimit = 80;
    return text.size() <= kLimit ? std::string(text) : std::string(text.substr(0, kLimit)) + "…";
}

/// What all column loops of one text share.
struct ParseContext
{
    CellTable& table;
    const CsvDialect& dialect;
    ParseWarnings& warnings;
    bool hasHighBytes = false;
    std::vector<std::uint8_t> badRows; ///< empty until the first bad row
};

/// Reads one column of the file into a typed column.
class ColumnParser
{
public:
    ColumnParser(const CsvColumn& plan, ParseContext& context, TableColumn& column)
        : m_plan(plan), m_context(context), m_column(column)
    {
        double ignored = 0;
        for (const std::string& token : plan.missingTokens) {
            const PaddedText padded(token);
            m_tokensFirst =
                m_tokensFirst || parseDouble(padded.view(), ignored) != NumberStatus::NotANumber;
        }
    }

    void parse(std::size_t begin, std::size_t end)
    {
        switch (m_plan.dtype) {
        case DType::Float32:
            parseNumbers(begin, end, m_column.as<float>(), parseFloat);
            break;
        case DType::Float64:
            parseNumbers(begin, end, m_column.as<double>(), parseDouble);
            break;
        case DType::Int32:
        case DType::Int64:
            parseNumbers(begin, end, m_column.as<std::int64_t>(), parseInteger);
            break;
        default:
            parseStrings(begin, end);
            break;
        }
    }

private:
    template <typename T, typename Parse>
    void parseNumbers(std::size_t begin, std::size_t end, std::vector<T>& values, Parse parseOne)
    {
        const CellTable& table = m_context.table;
        for (std::size_t row = begin; row < end; ++row) {
            const CellSpan& span = table.cell(row, m_plan.index);
            const std::string_view text = table.raw(span);
            T value{};
            if (!m_tokensFirst && readPlain(text, value)) [[likely]] {
                values[row] = value;
            } else {
                values[row] = parseOddNumber<T>(row, span, text, parseOne);
            }
        }
    }

    static bool readPlain(std::string_view text, float& value) { return parsePlain(text, value); }
    static bool readPlain(std::string_view text, double& value) { return parsePlain(text, value); }
    bool readPlain(std::string_view text, std::int64_t& value) const
    {
        return parseInteger(text, value) == NumberStatus::Ok && fits(value);
    }

    bool fits(float) const { return true; }
    bool fits(double) const { return true; }
    bool fits(std::int64_t value) const
    {
        return m_plan.dtype == DType::Int64 || (value >= std::numeric_limits<std::int32_t>::min() &&
                                                value <= std::numeric_limits<std::int32_t>::max());
    }

    template <typename T, typename Parse>
    T parseOddNumber(std::size_t row, const CellSpan& span, std::string_view text, Parse parseOne)
    {
        const std::string_view bare = trimmed(text);
        if (bare.empty() || isToken(bare)) {
            missing(row, span);
            return T{};
        }
        T value{};
        const NumberStatus status = parseOne(text, value);
        if (status == NumberStatus::NotANumber) {
            bad(row, span, RowFault::NotANumber);
            return T{};
        }
        if constexpr (std::is_same_v<T, std::int64_t>) {
            if (status == NumberStatus::OutOfRange || !fits(value)) {
                bad(row, span, RowFault::TooLarge);
                return T{};
            }
        } else if (status == NumberStatus::OutOfRange) {
            warnOutOfRange(row, text);
        }
        return value;
    }

    void parseStrings(std::size_t begin, std::size_t end)
    {
        const CellTable& table = m_context.table;
        StringColumn& strings = m_column.strings();
        for (std::size_t row = begin; row < end; ++row) {
            const CellSpan& span = table.cell(row, m_plan.index);
            const std::string_view text = table.value(span, m_context.dialect.quote, m_scratch);
            if (text.empty() || isToken(text)) {
                missing(row, span);
                strings.push_back({});
            } else if (text.size() > kMaxCellBytes) {
                bad(row, span, RowFault::FieldLength);
                strings.push_back({});
            } else if (m_context.hasHighBytes) {
                appendEncoded(row, span, text, strings);
            } else {
                strings.push_back(text);
            }
        }
    }

    void appendEncoded(std::size_t row, const CellSpan& span, std::string_view text,
                       StringColumn& strings)
    {
        if (m_context.dialect.encoding == TextEncoding::Latin1) {
            strings.push_back(utf8FromLatin1(text));
        } else if (const std::size_t at = findInvalidUtf8(text); at != std::string_view::npos) {
            bad(row, span, RowFault::InvalidUtf8,
                std::string(1, text[at])); // the reader names the byte
            strings.push_back({});
        } else {
            strings.push_back(text);
        }
    }

    bool isToken(std::string_view text) const
    {
        return std::find(m_plan.missingTokens.begin(), m_plan.missingTokens.end(), text) !=
               m_plan.missingTokens.end();
    }

    void missing(std::size_t row, const CellSpan& span)
    {
        if (m_plan.isRequired) {
            bad(row, span, RowFault::Missing);
        }
        m_column.markMissing(row, m_context.table.rowCount());
    }

    void bad(std::size_t row, const CellSpan& span, RowFault fault, std::string detail = {})
    {
        CellTable& table = m_context.table;
        if (m_context.badRows.empty()) {
            m_context.badRows.resize(table.rowCount());
        }
        if (m_context.badRows[row] != 0) {
            return;
        }
        m_context.badRows[row] = 1;
        table.addProblem({.fault = fault,
                          .recordBegin = table.rowBegins[row],
                          .at = span.begin,
                          .column = static_cast<std::uint32_t>(m_plan.index),
                          .detail = detail.empty() ? shortened(table.raw(span)) : detail});
    }

    void warnOutOfRange(std::size_t row, std::string_view text)
    {
        ParseWarnings& warnings = m_context.warnings;
        if (warnings.outOfRange++ == 0) {
            const CellTable& table = m_context.table;
            warnings.firstOutOfRange = shortened(text);
            warnings.firstOutOfRangeLine =
                countLines(table.text.substr(0, table.rowBegins[row])) + 1;
        }
    }

    const CsvColumn& m_plan;
    ParseContext& m_context;
    TableColumn& m_column;
    std::string m_scratch;
    bool m_tokensFirst = false; ///< a missing token would read as a number
};

/// Room for all rows, so that the loops write in place.
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

void dropBadRows(const ParseContext& context, TableChunk& chunk)
{
    std::vector<std::uint32_t> kept;
    std::vector<std::uint32_t> begins;
    for (std::uint32_t row = 0; row < chunk.rows; ++row) {
        if (context.badRows[row] == 0) {
            kept.push_back(row);
            begins.push_back(context.table.rowBegins[row]);
        }
    }
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
    ParseContext context{table, dialect, warnings, !isAscii(table.text), {}};
    std::vector<ColumnParser> parsers;
    parsers.reserve(columns.size());
    for (const CsvColumn& plan : columns) {
        chunk.columns.push_back({plan.name, plan.dtype, emptyValues(plan.dtype), {}});
        sizeForRows(chunk.columns.back(), chunk.rows);
        parsers.emplace_back(plan, context, chunk.columns.back());
    }
    // Tiles of rows keep cells and text in the first-level caches while the columns pass over them.
    const std::size_t tile =
        std::clamp<std::size_t>(4096 / std::max<std::size_t>(1, table.columns), 8, 1024);
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
