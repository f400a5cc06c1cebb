// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/typing/date_reader.h"

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

namespace cannery::data {

/// Numbers that may be times or days, by the range that is plausible for each.
struct DateNumbers
{
    void observe(double number);
    /// What all of `count` numbers may be, or nothing.
    std::optional<spec::DateNotation::Name> notation(std::uint64_t count) const;

    std::uint64_t seconds = 0; ///< since 1970
    std::uint64_t milliseconds = 0;
    std::uint64_t excelDays = 0;
};

/// What the cells of one column have shown about how its dates are written. Whether the day or the
/// month comes first, and which century years of two digits are of, is decided by all of them or
/// left open: no cell alone decides.
class DateEvidence
{
public:
    /// A cell that is not missing.
    void observe(std::string_view text);

    std::uint64_t values() const { return m_values; }
    /// Texts such as N/A that stand for a missing one, not among the missing tokens.
    std::uint64_t maybeMissing() const { return m_maybeMissing; }
    /// Texts that are dates in some notation; plain numbers are not counted.
    std::uint64_t dates() const { return m_dates; }
    /// Dates whose zone is written, and times without one.
    std::uint64_t withZone() const { return m_withZone; }
    std::uint64_t withoutZone() const { return m_withoutZone; }
    /// The first text that is neither a date nor a number that could be one, or empty.
    const std::string& firstOther() const { return m_firstOther; }
    /// Dates, and none of them could be another date in another notation.
    bool isPlain() const { return m_dates > 0 && m_triples == 0 && m_shortYears.none(); }

    /// The notation in which the dates of the column are read; iso if there are none. Errors:
    /// data.date_order, data.date_year_place, data.date_orders, data.date_century: the cells leave
    /// it open.
    Result<spec::DateNotation::Name> notation(const std::string& column) const;

private:
    /// The numbers that were in each place of a triple such as 1/2/24.
    struct Places
    {
        std::bitset<100> first;
        std::bitset<100> second;
        std::bitset<100> third; ///< of years with two digits
    };

    bool observeNumber(std::string_view text);
    void observeTriple(const WrittenDate& written, std::string_view text);
    Result<spec::DateNotation::Name> orderOfTriples(const std::string& column) const;
    Result<void> checkCentury(spec::DateNotation::Name order, const std::string& column) const;

    std::uint64_t m_values = 0;
    std::uint64_t m_dates = 0;
    std::uint64_t m_maybeMissing = 0;
    std::uint64_t m_withZone = 0;
    std::uint64_t m_withoutZone = 0;

    std::uint64_t m_triples = 0;
    std::uint64_t m_shortTriples = 0;
    std::uint64_t m_onlyDayFirst = 0;
    std::uint64_t m_onlyMonthFirst = 0;
    std::uint64_t m_eitherFirst = 0;   ///< and not the same date either way
    std::uint64_t m_yearFirst = 0;     ///< that can be year, month and day
    std::uint64_t m_onlyYearFirst = 0; ///< and nothing else
    std::string m_firstDayFirst;
    std::string m_firstMonthFirst;
    std::string m_firstEither;
    std::string m_firstYearFirst;
    Places m_places;
    std::bitset<100> m_shortYears; ///< beside the name of a month

    DateNumbers m_numbers;

    std::string m_firstOther;
};

} // namespace cannery::data
