// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/header_evidence.h"

#include "core/base/folded_case.h"
#include "storage/tabular/number_notation.h"
#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace cannery::storage {

namespace {

constexpr std::size_t kRowsLookedAt = 200;
/// Of the cells of a column of numbers, the least part that are numbers.
constexpr double kMostly = 0.9;
/// Numbers in a row that go up one by one by chance are fewer.
constexpr std::size_t kFewestCounted = 5;
constexpr std::size_t kFewestAscending = 8;

/// What a cell of numbers may hold where there is none; such a text is not a name.
bool standsForNothing(std::string_view text)
{
    static constexpr std::array<std::string_view, 14> kTexts = {
        "?",  "-",   "--",  ".",    "..",   "...",     "*",
        "na", "n/a", "nan", "null", "none", "missing", "inf"};
    const std::string lower = foldedCase(trimmed(text));
    return std::find(kTexts.begin(), kTexts.end(), lower) != kTexts.end();
}

/// "---", ":--:", "====": the line that Markdown and databases draw below a header.
bool isRule(std::string_view cell)
{
    constexpr std::size_t kShortest = 3;
    return cell.size() >= kShortest && cell.find_first_not_of("-=:+ ") == std::string_view::npos;
}

bool isLetter(char byte)
{
    return std::isalpha(static_cast<unsigned char>(byte)) != 0 ||
           static_cast<unsigned char>(byte) >= 0x80U;
}

/// Whether a text is a number, an amount or a date, by its first bytes.
bool beginsAsNumber(std::string_view text)
{
    const std::string_view bare = trimmed(text);
    const std::size_t digit = bare.find_first_of("0123456789");
    return digit <= 4 && digit != std::string_view::npos &&
           std::none_of(bare.begin(), bare.begin() + static_cast<std::ptrdiff_t>(digit),
                        [](char byte) { return std::isalpha(static_cast<unsigned char>(byte)); });
}

bool hasFraction(std::string_view text)
{
    return text.find_first_of(".,") != std::string_view::npos;
}

/// A whole number without sign, as names are.
std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    const std::string_view bare = trimmed(text);
    std::int64_t number = 0;
    const auto [end, status] = std::from_chars(bare.data(), bare.data() + bare.size(), number);
    const bool isWhole = status == std::errc() && end == bare.data() + bare.size();
    return isWhole && number >= 0 && !bare.empty() ? std::optional(number) : std::nullopt;
}

bool isYear(std::int64_t number)
{
    return number >= 1800 && number <= 2100;
}

/// The first cell of a column beside the ones below.
struct ColumnLook
{
    std::string first;
    bool isNumber = false; ///< the first one
    bool isQuoted = false;
    std::size_t below = 0;     ///< cells that are not empty, of rows unlike the first
    std::size_t numbers = 0;   ///< of them
    std::size_t amounts = 0;   ///< numbers, and texts that begin as one
    std::size_t fractions = 0; ///< numbers with a decimal mark
    std::size_t years = 0;     ///< whole numbers that can be years
    std::size_t quoted = 0;
    std::size_t repeated = 0; ///< as the first one

    bool isOfAmounts() const
    {
        return below > 0 && static_cast<double>(amounts) >= kMostly * static_cast<double>(below);
    }
    bool isOfTexts() const { return below > 2 && amounts * 10 < below; }
    bool isOfFractions() const { return below > 0 && fractions * 2 >= below; }
    /// A name above numbers.
    bool isNamed() const
    {
        return !first.empty() && !isNumber && isOfAmounts() && repeated == 0 &&
               !beginsAsNumber(first) && !standsForNothing(first) &&
               std::any_of(first.begin(), first.end(), isLetter);
    }
};

/// Whether a row is the first one once more.
bool isLikeFirst(const CellTable& table, std::size_t row)
{
    for (std::size_t column = 0; column < table.columns; ++column) {
        if (table.raw(table.cell(row, column)) != table.raw(table.cell(0, column))) {
            return false;
        }
    }
    return table.columns > 1;
}

class TableLook
{
public:
    TableLook(const CellTable& table, const CsvDialect& dialect)
        : m_rows(std::min(table.rowCount(), kRowsLookedAt)), m_columns(table.columns)
    {
        std::string scratch;
        for (std::size_t column = 0; column < m_columns.size(); ++column) {
            ColumnLook& look = m_columns[column];
            const CellSpan& span = table.cell(0, column);
            look.first = table.value(span, dialect.quote, scratch);
            look.isNumber = looksNumeric(table.raw(span), dialect.delimiter);
            look.isQuoted = span.isQuoted();
        }
        for (std::size_t row = 1; row < m_rows; ++row) {
            if (isLikeFirst(table, row)) {
                ++m_likeFirst;
                continue;
            }
            for (std::size_t column = 0; column < m_columns.size(); ++column) {
                add(table, table.cell(row, column), dialect, m_columns[column]);
            }
            m_anyCounts = m_anyCounts || counts(table, row);
        }
    }

    const std::vector<ColumnLook>& columns() const { return m_columns; }
    std::size_t rowsBelow() const { return m_rows - 1 - m_likeFirst; }
    std::size_t likeFirst() const { return m_likeFirst; }
    /// Whether the numbers of some row below go up one by one, too, where the first row has
    /// numbers.
    bool anyCounts() const { return m_anyCounts; }

private:
    bool counts(const CellTable& table, std::size_t row) const
    {
        std::optional<std::int64_t> before;
        for (std::size_t column = 0; column < m_columns.size(); ++column) {
            if (!m_columns[column].isNumber) {
                continue;
            }
            const auto number = wholeNumber(table.raw(table.cell(row, column)));
            if (!number || (before && *number != *before + 1)) {
                return false;
            }
            before = number;
        }
        return before.has_value();
    }

    void add(const CellTable& table, const CellSpan& span, const CsvDialect& dialect,
             ColumnLook& look)
    {
        const std::string_view text = table.value(span, dialect.quote, m_scratch);
        if (trimmed(text).empty() || (standsForNothing(text) && text != look.first)) {
            return;
        }
        ++look.below;
        look.quoted += span.isQuoted() ? 1 : 0;
        look.repeated += text == look.first ? 1 : 0;
        if (!beginsAsNumber(text)) {
            return;
        }
        ++look.amounts;
        if (!looksNumeric(table.raw(span), dialect.delimiter)) {
            return;
        }
        ++look.numbers;
        look.fractions += hasFraction(text) ? 1 : 0;
        const auto whole = wholeNumber(text);
        look.years += whole && isYear(*whole) ? 1 : 0;
    }

    std::size_t m_rows;
    std::size_t m_likeFirst = 0;
    bool m_anyCounts = false;
    std::vector<ColumnLook> m_columns;
    std::string m_scratch;
};

/// The numbers of a first row, as names.
struct NumberNames
{
    std::vector<double> values;
    bool areWhole = true;
    bool areYears = true;
    bool ascend = true;
    bool count = true; ///< each one more than the one before

    explicit NumberNames(const TableLook& look)
    {
        for (const ColumnLook& column : look.columns()) {
            if (column.isNumber) {
                add(column.first);
            }
        }
    }

    bool beginAtOne() const { return values.front() == 0 || values.front() == 1; }

private:
    void add(const std::string& text)
    {
        const auto whole = wholeNumber(text);
        double value = whole ? static_cast<double>(*whole) : 0;
        if (!whole) {
            const PaddedText padded(trimmed(text));
            parseDouble(padded.view(), value);
        }
        areWhole = areWhole && whole.has_value();
        areYears = areYears && whole && isYear(*whole);
        if (!values.empty()) {
            ascend = ascend && value > values.back();
            count = count && value == values.back() + 1;
        }
        values.push_back(value);
    }
};

template <typename Holds>
bool allNumbered(const TableLook& look, Holds holds)
{
    return std::all_of(look.columns().begin(), look.columns().end(),
                       [&](const ColumnLook& column) { return !column.isNumber || holds(column); });
}

/// Whether a text is a type or a unit in brackets.
bool isTypeOrUnit(std::string_view text)
{
    static constexpr std::array<std::string_view, 20> kTypes = {
        "str", "string",  "text",  "object",   "category", "char",   "varchar",
        "int", "integer", "int64", "float",    "float64",  "double", "real",
        "num", "number",  "date",  "datetime", "bool",     "boolean"};
    const std::string_view bare = trimmed(text);
    const bool isBracketed = bare.size() > 2 && ((bare.front() == '(' && bare.back() == ')') ||
                                                 (bare.front() == '[' && bare.back() == ']'));
    return isBracketed || std::find(kTypes.begin(), kTypes.end(), bare) != kTypes.end();
}

/// Why numbers in a first row are names although no text says so; empty if they are values.
std::string whyNumbersAreNames(const TableLook& look, const NumberNames& numbers)
{
    const std::vector<ColumnLook>& columns = look.columns();
    const bool repeats = std::any_of(columns.begin(), columns.end(), [](const ColumnLook& column) {
        return !column.isNumber && column.repeated > 0;
    });
    if (repeats || look.rowsBelow() < 2) {
        return {};
    }
    const std::size_t count = numbers.values.size();
    const bool overFractions =
        numbers.areWhole && allNumbered(look, [](const auto& one) { return one.isOfFractions(); });
    const bool overOtherThanYears = numbers.areYears && allNumbered(look, [](const auto& one) {
                                        return one.years * 10 < one.below;
                                    });
    const bool hasNamelessFirst = columns.front().first.empty() &&
                                  columns.front().below == look.rowsBelow() && columns.size() > 2;
    if (overOtherThanYears && (overFractions || (count > 1 && numbers.ascend))) {
        return "years above numbers that are not";
    }
    if (numbers.areWhole && numbers.count && numbers.beginAtOne() && count > 1 &&
        !look.anyCounts() &&
        ((overFractions && count > 2) || count >= kFewestCounted || hasNamelessFirst)) {
        return "numbers that count the columns";
    }
    if (allNumbered(look, [](const auto& one) { return one.isOfTexts(); })) {
        return "numbers above texts";
    }
    return numbers.ascend && count >= kFewestAscending && hasNamelessFirst
               ? "ascending numbers beside a column without a name"
               : "";
}

/// Whether numbers in a first row can be names if a text beside them is one.
bool canBeNames(const NumberNames& numbers, std::size_t named)
{
    const std::size_t count = numbers.values.size();
    if (count == 1) {
        return numbers.areYears || (numbers.areWhole && named > 1);
    }
    return numbers.areYears || (numbers.areWhole && numbers.ascend) ||
           (count > 2 && numbers.ascend);
}

/// Whether only the first row is quoted where the others have numbers, as R writes names.
bool isQuotedAlone(const TableLook& look)
{
    const std::vector<ColumnLook>& columns = look.columns();
    return std::all_of(columns.begin(), columns.end(),
                       [](const ColumnLook& one) { return one.isQuoted; }) &&
           std::any_of(columns.begin(), columns.end(),
                       [](const ColumnLook& one) { return one.isOfAmounts() && one.quoted == 0; });
}

bool isRuled(const TableLook& look)
{
    const auto isDrawn = [](const ColumnLook& column) { return isRule(column.first); };
    return std::any_of(look.columns().begin(), look.columns().end(), isDrawn) &&
           std::all_of(look.columns().begin(), look.columns().end(),
                       [&](const ColumnLook& one) { return one.first.empty() || isDrawn(one); });
}

} // namespace

bool looksNumeric(std::string_view text, char delimiter)
{
    double value = 0;
    const std::string_view bare = trimmed(text);
    const bool startsAsNumber = !bare.empty() && bare.find_first_of("0123456789") <= 2;
    if (!startsAsNumber || delimiter == ',' || bare.find(',') == std::string_view::npos) {
        return startsAsNumber && parseDouble(bare, value) != NumberStatus::NotANumber;
    }
    NotationReader decimal({.decimalMark = ','});
    const auto number = decimal.rewritten(bare);
    return number && parseDouble(*number, value) != NumberStatus::NotANumber;
}

HeaderVerdict detectHeader(const CellTable& table, const CsvDialect& dialect)
{
    if (table.rowCount() == 0) {
        return {.isHeader = true, .reason = "there is nothing to judge by"};
    }
    const TableLook look(table, dialect);
    const NumberNames numbers(look);
    const ColumnLook* named = nullptr;
    const ColumnLook* repeated = nullptr;
    const ColumnLook* number = nullptr;
    std::size_t namedCount = 0;
    std::set<std::string> seen;
    bool hasDuplicates = false;
    for (const ColumnLook& column : look.columns()) {
        namedCount += column.isNamed() ? 1 : 0;
        named = named == nullptr && column.isNamed() ? &column : named;
        number = number == nullptr && column.isNumber ? &column : number;
        const bool isText = !column.first.empty() && !column.isNumber;
        repeated = isText && column.repeated > 0 ? &column : repeated;
        hasDuplicates = hasDuplicates || (isText && !seen.insert(column.first).second);
    }
    if (isQuotedAlone(look)) {
        return {true, true, "the first line is quoted, and the numbers below are not"};
    }
    if (number != nullptr) {
        if (named != nullptr && canBeNames(numbers, namedCount)) {
            return {true, true, fmt::format("\"{}\" is above a column of numbers", named->first)};
        }
        const std::string why = whyNumbersAreNames(look, numbers);
        return why.empty() ? HeaderVerdict{false, true,
                                           fmt::format("\"{}\" in the first line is a number, not "
                                                       "a name",
                                                       number->first)}
                           : HeaderVerdict{true, true, "the first line has " + why};
    }
    if (named != nullptr) {
        return {true, true, fmt::format("\"{}\" is above a column of numbers", named->first)};
    }
    if (repeated != nullptr || hasDuplicates) {
        return {repeated == nullptr, false,
                fmt::format("the first line looks like the others: \"{}\" occurs again",
                            repeated == nullptr ? "" : repeated->first)};
    }
    return {true, look.likeFirst() > 0,
            "the texts of the first line are all different and do not occur below"};
}

bool describesColumns(const CellTable& table, const CsvDialect& dialect)
{
    constexpr std::size_t kFewestBelow = 3;
    if (table.rowCount() <= kFewestBelow) {
        return false;
    }
    const TableLook look(table, dialect);
    if (isRuled(look)) {
        return true;
    }
    std::size_t texts = 0;
    std::size_t numberColumns = 0;
    bool othersAreUnits = true;
    for (const ColumnLook& column : look.columns()) {
        const bool isOfNumbers = column.below >= kFewestBelow && column.isOfAmounts();
        const bool isText = !column.first.empty() && !beginsAsNumber(column.first) &&
                            !standsForNothing(column.first);
        if (isOfNumbers && !column.first.empty() && (!isText || column.repeated > 0)) {
            return false;
        }
        numberColumns += isOfNumbers ? 1 : 0;
        texts += isOfNumbers && isText ? 1 : 0;
        othersAreUnits =
            othersAreUnits && (isOfNumbers || column.first.empty() || isTypeOrUnit(column.first));
    }
    return texts > 1 || (texts == 1 && numberColumns == 1 && table.columns > 1 && othersAreUnits);
}

bool areNames(const std::vector<std::string>& cells, const CsvDialect& dialect)
{
    std::set<std::string_view> seen;
    return !cells.empty() && std::all_of(cells.begin(), cells.end(), [&](const std::string& cell) {
        const PaddedText padded(cell);
        return !trimmed(cell).empty() && !looksNumeric(padded.view(), dialect.delimiter) &&
               seen.insert(cell).second;
    });
}

} // namespace cannery::storage
