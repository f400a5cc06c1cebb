// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/date_evidence.h"

#include "core/data/typing/affix_kind.h"
#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace cannery::data {

namespace {

using Notation = spec::DateNotation;

constexpr ErrorKind kOrder{
    "data.date_order",
    "Column {0} leaves open whether the day or the month comes first: \"{1}\" can be read both "
    "ways, and no row decides. Set date_notation of the column to day_first or to month_first."};
constexpr ErrorKind kYearFirst{
    "data.date_year_place",
    "Column {0} leaves open whether \"{1}\" begins with the year or ends with it. Set "
    "date_notation of the column to iso if the year comes first, or else to day_first or "
    "month_first."};
constexpr ErrorKind kOrders{
    "data.date_orders",
    "Column {0} mixes dates with the day first (\"{1}\") and with the month first (\"{2}\"), so "
    "others can be read both ways. Correct the one or the other, or set date_notation of the "
    "column "
    "to day_first or month_first and bad_rows to SKIP, which leaves out the rows that do not fit."};
constexpr ErrorKind kCentury{
    "data.date_century",
    "The years of column {0} have two digits and leave the century open: {1} would be {2}, and {3} "
    "would be {4}. Write years with four digits."};

constexpr std::size_t kDateShown = 40;
/// Numbers are times from 1973 to 2128, or days from 1954 to 2119.
constexpr double kFirstSecond = 1e8;
constexpr double kLastSecond = 5e9;
constexpr double kFirstExcelDay = 20'000;
constexpr double kLastExcelDay = 80'000;
/// With a smaller gap the years of two digits fill a century.
constexpr int kSmallestGap = 10;

/// The lowest and highest years of each gap on the circle of a hundred years.
struct Gap
{
    int before = 0; ///< the last year before it
    int after = 0;  ///< the first one behind it, 100 more if it is beyond 99
    int width() const { return after - before; }
    bool contains(int year) const { return before < year && year <= after; }
};

std::vector<Gap> gapsOf(const std::bitset<100>& years)
{
    std::vector<int> sorted;
    for (int year = 0; year < 100; ++year) {
        if (years.test(static_cast<std::size_t>(year))) {
            sorted.push_back(year);
        }
    }
    std::vector<Gap> gaps;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        // From the last year around the circle to the first one.
        const bool isLast = i + 1 == sorted.size();
        // Behind the last year the circle goes on with the first, a century later.
        gaps.push_back({sorted[i], isLast ? sorted.front() + 100 : sorted[i + 1]});
    }
    return gaps;
}

void noteFirst(std::string& first, std::string_view text)
{
    // One example is enough for a sentence.
    if (first.empty()) {
        first = text.substr(0, kDateShown);
    }
}

/// The one value of a set of several rows is the day if the other place has all twelve months.
bool isOneDayOfEveryMonth(const std::bitset<100>& days, const std::bitset<100>& months)
{
    return days.count() == 1 && days.test(1) && months.count() == 12;
}

} // namespace

/// A number may be in several of the ranges.
void DateNumbers::observe(double number)
{
    seconds += number >= kFirstSecond && number < kLastSecond ? 1 : 0;
    milliseconds += number >= kFirstSecond * 1000 && number < kLastSecond * 1000 ? 1 : 0;
    excelDays += number >= kFirstExcelDay && number < kLastExcelDay ? 1 : 0;
}

std::optional<Notation::Name> DateNumbers::notation(std::uint64_t count) const
{
    // Seconds come first, as they are the most common.
    return count == 0              ? std::nullopt
           : seconds == count      ? std::optional(Notation::unix_seconds)
           : milliseconds == count ? std::optional(Notation::unix_milliseconds)
           : excelDays == count    ? std::optional(Notation::excel_days)
                                   : std::nullopt;
}

void DateEvidence::observe(std::string_view text)
{
    text = storage::trimmed(text);
    ++m_values;
    if (observeNumber(text)) {
        return;
    }
    const std::optional<WrittenDate> written = takeDateApart(text);
    // Dates with the year first, or with the month as a word: no row of these leaves the order
    // open.
    const bool isSettled = written && !written->isTriple && dateOf(*written, Notation::iso);
    if (isSettled || (!written && parseIsoTime(text))) {
        ++m_dates;
        if (written && written->isShortYear) {
            // ISO's order has the year in front.
            m_shortYears.set(static_cast<std::size_t>(written->numbers[0] % 100));
        }
    } else if (written && written->isTriple) {
        observeTriple(*written, text);
    } else {
        noteFirst(m_firstOther, text);
        // Most columns have a few cells that mean "missing".
        m_maybeMissing += meansMissing(text) ? 1 : 0;
        return;
    }
    // A column may mix times with and without a zone.
    if (written && written->offset) {
        ++m_withZone;
    } else if (written && !written->clock.empty()) {
        ++m_withoutZone;
    }
}

bool DateEvidence::observeNumber(std::string_view text)
{
    double number = 0;
    // Only these characters can be a number here; words such as "nan" are none.
    const bool isNumber =
        !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
        storage::parseDouble(storage::PaddedText(text).view(), number) == storage::NumberStatus::Ok;
    if (!isNumber) {
        return false;
    }
    const std::optional<WrittenDate> written = takeDateApart(text);
    if (written && dateOf(*written, Notation::iso)) {
        ++m_dates; // 2024, 202405 or 20240501
        return true;
    }
    m_numbers.observe(number);
    return true;
}

void DateEvidence::observeTriple(const WrittenDate& written, std::string_view text)
{
    const std::optional<DateTime> dayFirst = dateOf(written, Notation::day_first);
    const std::optional<DateTime> monthFirst = dateOf(written, Notation::month_first);
    const std::optional<DateTime> yearFirst = dateOf(written, Notation::iso);
    if (!dayFirst && !monthFirst && !yearFirst) {
        noteFirst(m_firstOther, text);
        return;
    }
    ++m_dates;
    ++m_triples;
    // All readings are counted: a later row may decide.
    m_yearFirst += yearFirst ? 1 : 0;
    m_places.first.set(static_cast<std::size_t>(written.numbers[0]));
    m_places.second.set(static_cast<std::size_t>(written.numbers[1]));
    // A long year has its own place, and leaves no doubt.
    if (written.isShortYear) {
        ++m_shortTriples;
        m_places.third.set(static_cast<std::size_t>(written.numbers[2]));
    }
    if (dayFirst && monthFirst) {
        // 5/5/2024 is the same day either way, and decides nothing.
        const bool isSame = *dayFirst == *monthFirst;
        m_eitherFirst += isSame ? 0 : 1;
        noteFirst(m_firstEither, isSame ? std::string_view() : text);
    } else if (dayFirst) {
        ++m_onlyDayFirst;
        noteFirst(m_firstDayFirst, text);
    } else if (monthFirst) {
        ++m_onlyMonthFirst;
        noteFirst(m_firstMonthFirst, text);
    } else {
        ++m_onlyYearFirst;
        noteFirst(m_firstYearFirst, text);
    }
}

Result<Notation::Name> DateEvidence::orderOfTriples(const std::string& column) const
{
    // Every row must fit, and a year of two digits must be possible in the first place.
    const bool canBeYearFirst = m_yearFirst == m_triples && m_shortTriples == m_triples;
    if (canBeYearFirst && m_onlyYearFirst > 0) {
        return Notation::iso;
    }
    // Some rows fit only one order, and others only the other.
    if (m_onlyDayFirst > 0 && m_onlyMonthFirst > 0) {
        return fail(ErrorCode::InvalidArgument, kOrders, column, m_firstDayFirst,
                    m_firstMonthFirst);
    }
    // Days differ more than years do.
    if ((canBeYearFirst && m_places.third.count() > m_places.first.count()) ||
        m_onlyYearFirst > 0) {
        const std::string& example = !m_firstYearFirst.empty()  ? m_firstYearFirst
                                     : !m_firstDayFirst.empty() ? m_firstDayFirst
                                                                : m_firstEither;
        return fail(ErrorCode::InvalidArgument, kYearFirst, column, example);
    }
    // A single row that fits only one order decides for all.
    if (m_onlyDayFirst > 0) {
        return Notation::day_first;
    }
    if (m_onlyMonthFirst > 0) {
        return Notation::month_first;
    }
    // If all days are the same either way, the order does not matter.
    if (m_eitherFirst == 0 || isOneDayOfEveryMonth(m_places.first, m_places.second)) {
        return Notation::day_first;
    }
    if (isOneDayOfEveryMonth(m_places.second, m_places.first)) {
        return Notation::month_first;
    }
    return fail(ErrorCode::InvalidArgument, kOrder, column, m_firstEither);
}

Result<void> DateEvidence::checkCentury(Notation::Name order, const std::string& column) const
{
    std::bitset<100> years = m_shortYears;
    // The place of the year depends on the order.
    if (m_shortTriples > 0) {
        years |= order == Notation::iso ? m_places.first : m_places.third;
    }
    const std::vector<Gap> gaps = gapsOf(years);
    // Years of four digits are sure.
    if (gaps.empty()) {
        return {};
    }
    const auto widest = std::max_element(
        gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.width() < b.width(); });
    const auto cut = std::find_if(gaps.begin(), gaps.end(), [](const Gap& gap) {
        return gap.contains(kCenturyPivot) || gap.contains(kCenturyPivot + 100);
    });
    // Years are put into centuries at the pivot. That is safe if it lies in a gap, wide enough and
    // the widest: then no year of the table is near the change of centuries.
    if (cut->width() == widest->width() && widest->width() >= kSmallestGap) {
        return {};
    }
    return fail(ErrorCode::InvalidArgument, kCentury, column, fmt::format("{:02}", cut->before),
                2000 + cut->before, fmt::format("{:02}", cut->after % 100), 1900 + cut->after);
}

Result<Notation::Name> DateEvidence::notation(const std::string& column) const
{
    // Numbers are dates only if nothing else is in the column, and all of them are in one range.
    if (m_values > 0 && m_dates == 0) {
        return m_numbers.notation(m_values).value_or(Notation::iso);
    }
    Notation::Name order = Notation::iso;
    if (m_triples > 0) {
        CANNERY_TRY_ASSIGN(order, orderOfTriples(column));
    }
    CANNERY_TRY(checkCentury(order, column));
    return order;
}

} // namespace cannery::data
