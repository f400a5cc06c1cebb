// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_conditions.h"

#include "core/base/check.h"
#include "core/base/folded_case.h"
#include "core/data/typing/date_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace cannery::data {

namespace {

using storage::TableChunk;
using storage::TableColumn;
using Matches = std::vector<std::uint8_t>;

template <typename Number>
std::optional<Number> numberIn(const std::string& text)
{
    Number number{};
    // std::from_chars takes no plus sign.
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(begin, end, number);
    // The whole text must be the number.
    return failure == std::errc() && stop == end && begin != end ? std::optional(number)
                                                                 : std::nullopt;
}

char folded(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Like std::string_view::compare, ignoring the case of A to Z.
/// Folded while comparing: a copy of every cell would take longer.
int compareFolded(std::string_view text, std::string_view foldedValue)
{
    const std::size_t common = std::min(text.size(), foldedValue.size());
    for (std::size_t i = 0; i < common; ++i) {
        const auto left = static_cast<unsigned char>(folded(text[i]));
        const auto right = static_cast<unsigned char>(foldedValue[i]);
        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    return text.size() == foldedValue.size() ? 0 : text.size() < foldedValue.size() ? -1 : 1;
}

const TableColumn& columnOf(const TableChunk& chunk, const std::string& name)
{
    const TableColumn* column = chunk.find(name);
    CANNERY_CHECK(column != nullptr);
    return *column;
}

/// All of the parts, or any of them.
class Combination final : public RowFilter::Condition
{
public:
    Combination(std::vector<RowCondition> parts, bool wantsAll)
        : m_parts(std::move(parts)), m_wantsAll(wantsAll)
    {}
    // All rows of a chunk are matched by one condition before the next.
    void match(const TableChunk& chunk, Matches& matches) const override
    {
        // Whole chunks at a time rather than row by row: loops over bytes, without branches.
        m_parts.front()->match(chunk, matches);
        Matches others(matches.size());
        for (std::size_t i = 1; i < m_parts.size(); ++i) {
            m_parts[i]->match(chunk, others);
            for (std::size_t row = 0; row < matches.size(); ++row) {
                matches[row] = m_wantsAll ? matches[row] & others[row] : matches[row] | others[row];
            }
        }
    }

private:
    std::vector<RowCondition> m_parts;
    bool m_wantsAll;
};

class NoneOf final : public RowFilter::Condition
{
public:
    explicit NoneOf(RowCondition part) : m_part(std::move(part)) {}
    void match(const TableChunk& chunk, Matches& matches) const override
    {
        m_part->match(chunk, matches);
        for (std::uint8_t& one : matches) {
            one ^= 1U;
        }
    }

private:
    RowCondition m_part;
};

class IsMissing final : public RowFilter::Condition
{
public:
    explicit IsMissing(std::string column) : m_column(std::move(column)) {}
    void match(const TableChunk& chunk, Matches& matches) const override
    {
        const TableColumn& column = columnOf(chunk, m_column);
        for (std::size_t row = 0; row < matches.size(); ++row) {
            matches[row] = column.isValid(row) ? 0 : 1;
        }
    }

private:
    std::string m_column;
};

/// Whether the comparison is true for any of the values.
class Compares final : public RowFilter::Condition
{
public:
    Compares(const ColumnSchema& column, filter::Sign sign, const std::vector<std::string>& values)
        : m_column(column.name), m_sign(sign)
    {
        // A column of dates is compared by time, whatever its notation.
        if (column.kind == ColumnKind::Date && column.dateNotation) {
            readDates(*column.dateNotation, values);
        }
        for (const std::string& value : values) {
            m_texts.push_back(foldedCase(value));
            // NaN for a text that is not a number. Numbers are only compared with values that the
            // parser has checked.
            m_numbers.push_back(numberIn<double>(value).value_or(std::nan("")));
            m_integers.push_back(numberIn<std::int64_t>(value));
        }
    }

    void match(const TableChunk& chunk, Matches& matches) const override
    {
        const TableColumn& column = columnOf(chunk, m_column);
        std::visit([&](const auto& values) { matchAll(values, matches); }, column.values);
        // No comparison with a missing value is true, not even "is not equal".
        for (std::size_t row = 0; row < matches.size(); ++row) {
            matches[row] &= column.isValid(row) ? 1U : 0U;
        }
    }

private:
    template <typename Test>
    void matchEach(Matches& matches, const Test& test) const
    {
        for (std::size_t row = 0; row < matches.size(); ++row) {
            std::uint8_t any = 0;
            for (std::size_t i = 0; i < m_texts.size() && any == 0; ++i) {
                any = test(row, i) ? 1 : 0;
            }
            matches[row] = any;
        }
    }

    /// Dates are compared if every value is one, in the column's notation or in ISO 8601.
    void readDates(spec::DateNotation::Name notation, const std::vector<std::string>& values)
    {
        for (const std::string& value : values) {
            std::optional<DateTime> date = readDate(value, notation);
            // A user may write ISO 8601 although the table does not.
            date = date ? date : readDate(value, spec::DateNotation::iso);
            if (!date) {
                // One text among them makes all of them texts: half a comparison of dates would be
                // misleading.
                m_dates.clear();
                return;
            }
            m_dates.push_back(*date);
        }
        m_notation = notation;
    }

    void matchAll(const StringColumn& values, Matches& matches) const
    {
        if (!m_dates.empty()) {
            for (std::size_t row = 0; row < matches.size(); ++row) {
                const std::optional<DateTime> date = readDate(values[row], m_notation);
                // A cell that is not a date is equal to none, and neither before nor after it.
                matches[row] =
                    date && std::any_of(m_dates.begin(), m_dates.end(),
                                        [&](const DateTime& value) {
                                            return filter::holds(m_sign, date->time, value.time);
                                        })
                        ? 1
                        : 0;
            }
            return;
        }
        matchEach(matches, [&](std::size_t row, std::size_t i) {
            return filter::holds(m_sign, compareFolded(values[row], m_texts[i]), 0);
        });
    }

    /// Exact beyond 2^53.
    void matchAll(const std::vector<std::int64_t>& values, Matches& matches) const
    {
        matchEach(matches, [&](std::size_t row, std::size_t i) {
            // A double would take two large integers for the same.
            return m_integers[i]
                       ? filter::holds(m_sign, values[row], *m_integers[i])
                       : filter::holds(m_sign, static_cast<double>(values[row]), m_numbers[i]);
        });
    }

    template <typename Number>
    void matchAll(const std::vector<Number>& values, Matches& matches) const
    {
        matchEach(matches, [&](std::size_t row, std::size_t i) {
            const auto value = static_cast<double>(values[row]);
            // NaN stands for a missing number.
            return !std::isnan(value) && filter::holds(m_sign, value, m_numbers[i]);
        });
    }

    std::string m_column;
    filter::Sign m_sign;
    std::vector<DateTime> m_dates; ///< of the values, if the column holds dates
    spec::DateNotation::Name m_notation = spec::DateNotation::iso;
    std::vector<std::string> m_texts; ///< folded
    std::vector<double> m_numbers;
    std::vector<std::optional<std::int64_t>> m_integers;
};

class Contains final : public RowFilter::Condition
{
public:
    Contains(std::string column, const std::string& part)
        : m_column(std::move(column)), m_part(foldedCase(part))
    {}
    void match(const TableChunk& chunk, Matches& matches) const override
    {
        const TableColumn& column = columnOf(chunk, m_column);
        const StringColumn& texts = column.strings();
        for (std::size_t row = 0; row < matches.size(); ++row) {
            matches[row] = column.isValid(row) && isIn(texts[row]) ? 1 : 0;
        }
    }

private:
    bool isIn(std::string_view text) const
    {
        const auto same = [](char left, char right) { return folded(left) == right; };
        return std::search(text.begin(), text.end(), m_part.begin(), m_part.end(), same) !=
                   text.end() ||
               // Every text contains the empty one, and std::search finds it at the end of an empty
               // text.
               m_part.empty();
    }

    std::string m_column;
    std::string m_part; ///< folded
};

} // namespace

bool isRowNumber(const std::string& text)
{
    const std::optional<double> number = numberIn<double>(text);
    return number && !std::isnan(*number);
}

RowCondition allOf(std::vector<RowCondition> parts)
{
    return parts.size() == 1 ? std::move(parts.front())
                             : std::make_unique<Combination>(std::move(parts), true);
}

RowCondition anyOf(std::vector<RowCondition> parts)
{
    return parts.size() == 1 ? std::move(parts.front())
                             : std::make_unique<Combination>(std::move(parts), false);
}

RowCondition noneOf(RowCondition part)
{
    return std::make_unique<NoneOf>(std::move(part));
}

RowCondition isMissing(const std::string& column)
{
    return std::make_unique<IsMissing>(column);
}

RowCondition compares(const ColumnSchema& column, filter::Sign sign, const std::string& value)
{
    return std::make_unique<Compares>(column, sign, std::vector<std::string>{value});
}

RowCondition isOneOf(const ColumnSchema& column, const std::vector<std::string>& values)
{
    return std::make_unique<Compares>(column, filter::Sign::Equal, values);
}

RowCondition contains(const std::string& column, const std::string& part)
{
    return std::make_unique<Contains>(column, part);
}

} // namespace cannery::data
