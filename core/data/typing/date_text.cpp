// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/date_text.h"

#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace cannery::data {

namespace {

constexpr std::size_t kLongestDate = 48;

bool isDateDigit(char character)
{
    return character >= '0' && character <= '9';
}

/// Bytes of UTF-8 beyond ASCII are letters, too.
bool isDateLetter(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (static_cast<unsigned char>(character) & 0x80U) != 0;
}

char lower(char character)
{
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                                : character;
}

/// Whether it is a name, or its beginning of at least three letters.
bool abbreviates(std::string_view text, std::string_view name)
{
    return text.size() >= 3 && text.size() <= name.size() &&
           std::equal(text.begin(), text.end(), name.begin(),
                      [](char a, char b) { return lower(a) == b; });
}

/// From 1, or 0: not a month. English, and German where it differs.
int monthNamed(std::string_view text)
{
    constexpr std::array<std::string_view, 12> kMonths = {
        "january", "february", "march",     "april",   "may",      "june",
        "july",    "august",   "september", "october", "november", "december"};
    constexpr std::array<std::pair<std::string_view, int>, 9> kGerman = {{{"januar", 1},
                                                                          {"februar", 2},
                                                                          {"märz", 3},
                                                                          {"mrz", 3},
                                                                          {"mai", 5},
                                                                          {"juni", 6},
                                                                          {"juli", 7},
                                                                          {"oktober", 10},
                                                                          {"dezember", 12}}};
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
        if (abbreviates(text, kMonths[i])) {
            return static_cast<int>(i) + 1;
        }
    }
    for (const auto& [name, month] : kGerman) {
        if (abbreviates(text, name)) {
            return month;
        }
    }
    return 0;
}

bool isWeekday(std::string_view text)
{
    constexpr std::array<std::string_view, 7> kDays = {
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
    return std::any_of(kDays.begin(), kDays.end(), [&](std::string_view day) {
        return (text.size() == 3 || text.size() == day.size()) && abbreviates(text, day);
    });
}

/// Takes a text apart from its beginning.
class DateTextReader
{
public:
    explicit DateTextReader(std::string_view text) : m_rest(text) {}

    std::optional<WrittenDate> read()
    {
        skipWeekday();
        if (isClockNext()) {
            m_date.hasDate = false;
            m_date.numbers = {1970, 1, 1};
            return readClock() && m_rest.empty() ? std::optional(m_date) : std::nullopt;
        }
        if (!(isLetterNext() ? readMonthFirst() : readNumberFirst())) {
            return std::nullopt;
        }
        if (!m_rest.empty() && !(m_hasDay && skipToClock() && readClock() && readZone())) {
            return std::nullopt;
        }
        return m_rest.empty() ? std::optional(m_date) : std::nullopt;
    }

private:
    bool isLetterNext() const { return !m_rest.empty() && isDateLetter(m_rest.front()); }
    std::size_t digitsNext() const
    {
        const auto* end = std::find_if_not(m_rest.begin(), m_rest.end(), isDateDigit);
        return static_cast<std::size_t>(end - m_rest.begin());
    }

    bool take(char wanted)
    {
        const bool isThere = !m_rest.empty() && m_rest.front() == wanted;
        m_rest.remove_prefix(isThere ? 1 : 0);
        return isThere;
    }

    /// Any number of these; whether there was one.
    bool takeAll(std::string_view wanted)
    {
        const std::size_t end = std::min(m_rest.find_first_not_of(wanted), m_rest.size());
        m_rest.remove_prefix(end);
        return end > 0;
    }

    std::string_view takeWord()
    {
        const auto* end = std::find_if_not(m_rest.begin(), m_rest.end(), isDateLetter);
        const std::string_view word =
            m_rest.substr(0, static_cast<std::size_t>(end - m_rest.begin()));
        m_rest.remove_prefix(word.size());
        return word;
    }

    int takeDigits(std::size_t count)
    {
        int number = 0;
        std::from_chars(m_rest.data(), m_rest.data() + count, number);
        m_rest.remove_prefix(count);
        return number;
    }

    /// A number of one or two digits.
    bool takeShort(int& number)
    {
        const std::size_t digits = digitsNext();
        if (digits != 1 && digits != 2) {
            return false;
        }
        number = takeDigits(digits);
        return true;
    }

    /// A year of two or four digits.
    bool takeYear(int& year)
    {
        const std::size_t digits = digitsNext();
        if (digits != 2 && digits != 4) {
            return false;
        }
        year = takeDigits(digits);
        m_date.isShortYear = digits == 2;
        return true;
    }

    void skipWeekday()
    {
        const std::string_view before = m_rest;
        if (!isWeekday(takeWord()) || !takeAll(".,  ") || m_rest.empty()) {
            m_rest = before;
        }
    }

    bool isClockNext() const
    {
        const std::size_t digits = digitsNext();
        return (digits == 1 || digits == 2) && digits < m_rest.size() && m_rest[digits] == ':';
    }

    bool set(int year, int month, int day)
    {
        m_date.numbers = {m_date.isShortYear ? fullYear(year) : year, month, day};
        return true;
    }

    bool readNumberFirst()
    {
        const std::size_t digits = digitsNext();
        switch (digits) {
        case 1:
        case 2:
            return readShortFirst();
        case 4:
            return readYearFirst();
        case 6:
        case 8:
        case 12:
        case 14:
            return readCompact(digits);
        default:
            return false;
        }
    }

    /// 202405, 20240501, 202405011230, 20240501123015.
    bool readCompact(std::size_t digits)
    {
        const int year = takeDigits(4);
        const int month = takeDigits(2);
        m_hasDay = digits >= 8;
        const int day = m_hasDay ? takeDigits(2) : 1;
        if (digits > 8) {
            m_date.clock = fmt::format("T{}:{}:{}", m_rest.substr(0, 2), m_rest.substr(2, 2),
                                       digits == 14 ? m_rest.substr(4, 2) : "00");
            m_rest.remove_prefix(digits - 8);
            m_hasDay = false; // no second time may follow
        }
        // Eight digits can be any number; a year near ours makes it a date.
        return year >= 1900 && year <= 2100 && set(year, month, day);
    }

    /// 2024, 2024-05, 2024/5/1, 2024-May-01, 2024Q2, 2024M05.
    bool readYearFirst()
    {
        const int year = takeDigits(4);
        if (m_rest.empty()) {
            return set(year, 1, 1);
        }
        const char separator = m_rest.front();
        const bool isSeparated = takeAll(" ") || take('-') || take('/') || take('.');
        if (isLetterNext()) {
            const std::string_view word = takeWord();
            return readNamedOrCounted(year, word, separator);
        }
        int month = 0;
        if (!isSeparated || separator == ' ' || !takeShort(month)) {
            return false;
        }
        if (m_rest.empty()) {
            return separator != '.' && set(year, month, 1);
        }
        int day = 0;
        m_hasDay = take(separator) && takeShort(day);
        return m_hasDay && set(year, month, day);
    }

    /// Behind a year: Q2, M05, May-01.
    bool readNamedOrCounted(int year, std::string_view word, char separator)
    {
        int number = 0;
        const char letter = word.size() == 1 ? lower(word.front()) : ' ';
        if (letter == 'q') {
            return digitsNext() == 1 && takeShort(number) && number >= 1 && number <= 4 &&
                   m_rest.empty() && set(year, number * 3 - 2, 1);
        }
        if (letter == 'm') {
            return takeShort(number) && m_rest.empty() && set(year, number, 1);
        }
        const int month = monthNamed(word);
        if (month == 0 || m_rest.empty()) {
            return month != 0 && set(year, month, 1);
        }
        m_hasDay = (takeAll(" ") || take(separator)) && takeShort(number);
        return m_hasDay && set(year, month, number);
    }

    /// 1/5/2024, 01.05.24, 05/2024, 1 May 2024, 1st May 2024, 01-May-24.
    bool readShortFirst()
    {
        const std::size_t firstDigits = digitsNext();
        const int first = takeDigits(firstDigits);
        const bool isOrdinal = skipOrdinal();
        const std::string_view before = m_rest;
        const bool isSpaced = take('.') ? takeAll(" ") : takeAll(" ");
        m_rest = isSpaced ? m_rest : before;
        const char separator = m_rest.empty() ? ' ' : m_rest.front();
        const bool hasSeparator = isSpaced || take('-') || take('/') || take('.');
        if (isLetterNext()) {
            return readDayOfNamedMonth(first);
        }
        // "1st 5" or "1 5" is not how dates are written.
        if (isOrdinal || isSpaced || !hasSeparator) {
            return false;
        }
        const std::size_t secondDigits = digitsNext();
        if (secondDigits == 4) {
            const int year = takeDigits(4);
            // "05/2024", but not "5.2024", which is a number.
            return separator != '.' && m_rest.empty() && set(year, first, 1);
        }
        int second = 0;
        int third = 0;
        if (!takeShort(second) || !take(separator) || !takeYear(third)) {
            return false;
        }
        // 1.2.24 is rather a version.
        if (separator == '.' && m_date.isShortYear && firstDigits + secondDigits < 4) {
            return false;
        }
        m_date.isTriple = true;
        m_date.numbers = {first, second, third};
        m_hasDay = true;
        return true;
    }

    bool readDayOfNamedMonth(int day)
    {
        const int month = monthNamed(takeWord());
        int year = 0;
        if (month == 0 || !takeAll(" -/.,'") || !takeYear(year)) {
            return false;
        }
        m_hasDay = true;
        return set(year, month, day);
    }

    bool skipOrdinal()
    {
        const std::string_view before = m_rest;
        const std::string_view word = takeWord();
        const std::string ending{word.size() == 2 ? lower(word[0]) : ' ',
                                 word.size() == 2 ? lower(word[1]) : ' '};
        if (ending == "st" || ending == "nd" || ending == "rd" || ending == "th") {
            return true;
        }
        m_rest = before;
        return false;
    }

    /// May 1, 2024, May-01-24, May 2024, May-24, Q2 2024, May 1 12:30:15 2024.
    bool readMonthFirst()
    {
        const std::string_view word = takeWord();
        int number = 0;
        int year = 0;
        if (word.size() == 1 && lower(word.front()) == 'q') {
            return digitsNext() == 1 && takeShort(number) && number >= 1 && number <= 4 &&
                   takeAll(" -/") && digitsNext() == 4 && takeYear(year) && m_rest.empty() &&
                   set(year, number * 3 - 2, 1);
        }
        const int month = monthNamed(word);
        const bool isJoined = !m_rest.empty() && (m_rest.front() == '-' || m_rest.front() == '\'');
        if (month == 0 || !takeAll(" -/.,'")) {
            return false;
        }
        const std::size_t digits = digitsNext();
        if (digits == 4 || (digits == 2 && digits == m_rest.size())) {
            return (digits == 4 || isJoined) && takeYear(year) && m_rest.empty() &&
                   set(year, month, 1);
        }
        if (!takeShort(number)) {
            return false;
        }
        skipOrdinal();
        const bool isApart = takeAll(" -/.,'");
        if (isApart && isClockNext()) {
            return readClock() && readYearBehindClock(year) && set(year, month, number);
        }
        m_hasDay = isApart && takeYear(year);
        return m_hasDay && set(year, month, number);
    }

    /// As C's asctime() and Twitter write it: May  1 12:30:15 2024, May 01 12:30:15 +0000 2024.
    bool readYearBehindClock(int& year)
    {
        const std::size_t last = m_rest.rfind(' ');
        if (last == std::string_view::npos || m_rest.size() != last + 5) {
            return false;
        }
        const std::string_view behind = m_rest.substr(last + 1);
        m_rest = m_rest.substr(0, last);
        if (!readZone()) {
            return false;
        }
        m_rest = behind;
        return digitsNext() == 4 && takeYear(year);
    }

    bool skipToClock()
    {
        const bool isMarked = take('T') || take('t') || take(':');
        return isMarked || takeAll(" ,");
    }

    /// 9:30, 09:30:15.250, 9:30 PM, 9 PM.
    bool readClock()
    {
        int hour = 0;
        int minute = 0;
        int second = 0;
        std::string_view fraction;
        if (!takeShort(hour)) {
            return false;
        }
        const bool hasMinutes = take(':');
        if (hasMinutes && (digitsNext() != 2 || !takeShort(minute))) {
            return false;
        }
        if (hasMinutes && take(':')) {
            if (digitsNext() != 2 || !takeShort(second)) {
                return false;
            }
            if (take('.') || take(',')) {
                fraction = m_rest.substr(0, digitsNext());
                m_rest.remove_prefix(fraction.size());
            }
        }
        const std::optional<bool> isAfternoon = takeHalfOfDay();
        if (isAfternoon) {
            if (hour > 12) {
                return false;
            }
            hour = hour % 12 + (*isAfternoon ? 12 : 0);
        }
        m_date.clock = fmt::format("T{:02}:{:02}:{:02}{}{}", hour, minute, second,
                                   fraction.empty() ? "" : ".", fraction);
        return hasMinutes || isAfternoon;
    }

    /// AM, pm or a.m.; nothing if it is none of them.
    std::optional<bool> takeHalfOfDay()
    {
        const std::string_view before = m_rest;
        takeAll(" ");
        const char half = m_rest.empty() ? ' ' : lower(m_rest.front());
        if (half == 'a' || half == 'p') {
            m_rest.remove_prefix(1);
            const bool hasPoint = take('.');
            if (take('m') || take('M')) {
                if (hasPoint) {
                    take('.');
                }
                return half == 'p';
            }
        }
        m_rest = before;
        return std::nullopt;
    }

    /// Z, UTC, GMT, +02, +0200, +02:00, UTC+2.
    bool readZone()
    {
        takeAll(" ");
        if (m_rest.empty()) {
            return true;
        }
        if (isLetterNext()) {
            const std::string_view word = takeWord();
            if (!abbreviates(word, "utc") && !abbreviates(word, "gmt") && word != "Z" &&
                word != "z") {
                return false;
            }
            m_date.offset = 0;
            if (m_rest.empty()) {
                return true;
            }
        }
        const bool isEast = take('+');
        if (!isEast && !take('-')) {
            return false;
        }
        const std::size_t digits = digitsNext();
        int hours = 0;
        int minutes = 0;
        if (digits == 4) {
            hours = takeDigits(2);
            minutes = takeDigits(2);
        } else if (!takeShort(hours) || (take(':') && !takeShort(minutes))) {
            return false;
        }
        const std::int64_t offset = hours * 3600 + minutes * 60;
        m_date.offset = isEast ? offset : -offset;
        return hours <= 23 && minutes <= 59;
    }

    std::string_view m_rest;
    WrittenDate m_date;
    bool m_hasDay = false; ///< and may be followed by a time
};

} // namespace

int fullYear(int twoDigits)
{
    return twoDigits + (twoDigits < kCenturyPivot ? 2000 : 1900);
}

std::optional<WrittenDate> takeDateApart(std::string_view text)
{
    text = storage::trimmed(text);
    if (text.size() < 4 || text.size() > kLongestDate ||
        std::none_of(text.begin(), text.end(), isDateDigit)) {
        return std::nullopt;
    }
    return DateTextReader(text).read();
}

} // namespace cannery::data
