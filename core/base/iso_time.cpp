// SPDX-License-Identifier: Apache-2.0
#include "core/base/iso_time.h"

#include <fmt/core.h>

#include <chrono>

namespace cannery {

namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

bool isIsoDigit(char character)
{
    return character >= '0' && character <= '9';
}

/// Takes a text apart from its beginning.
class IsoTimeReader
{
public:
    explicit IsoTimeReader(std::string_view text) : m_rest(text) {}

    std::optional<IsoTime> read()
    {
        if (!readDate()) {
            return std::nullopt;
        }
        const bool hasTime = !m_rest.empty();
        // A time can follow a whole date only.
        if (hasTime && !(m_isWholeDate && (take('T') || take('t') || take(' ')) && readTime() &&
                         readZone() && m_rest.empty())) {
            return std::nullopt;
        }
        return std::move(m_time);
    }

private:
    bool take(char wanted)
    {
        if (m_rest.empty() || m_rest.front() != wanted) {
            return false;
        }
        m_rest.remove_prefix(1);
        return true;
    }

    /// Exactly that many digits, as a number up to `most`.
    bool takeNumber(std::size_t digits, int most, int& number)
    {
        if (m_rest.size() < digits) {
            return false;
        }
        // Not std::from_chars, which takes any number of digits.
        number = 0;
        for (const char character : m_rest.substr(0, digits)) {
            if (!isIsoDigit(character)) {
                return false;
            }
            number = number * 10 + (character - '0');
        }
        m_rest.remove_prefix(digits);
        return number <= most;
    }

    bool readDate()
    {
        int year = 0;
        int month = 1;
        int day = 1;
        if (!takeNumber(4, 9999, year)) {
            return false;
        }
        // Without hyphens there must be month and day: six digits would be ambiguous.
        m_isBasic = !m_rest.empty() && isIsoDigit(m_rest.front());
        if (m_isBasic) {
            m_isWholeDate = takeNumber(2, 12, month) && takeNumber(2, 31, day);
            if (!m_isWholeDate) {
                return false;
            }
        } else if (take('-')) {
            if (!takeNumber(2, 12, month)) {
                return false;
            }
            if (take('-')) {
                m_isWholeDate = takeNumber(2, 31, day);
                if (!m_isWholeDate) {
                    return false;
                }
            }
        }
        // Days that do not exist, such as 30 February, are found out here.
        const std::chrono::year_month_day date(std::chrono::year(year),
                                               std::chrono::month(static_cast<unsigned>(month)),
                                               std::chrono::day(static_cast<unsigned>(day)));
        if (!date.ok()) {
            return false;
        }
        m_time.seconds = std::chrono::sys_days(date).time_since_epoch().count() * kDay;
        return true;
    }

    /// Whether another part of a time follows: after a colon, or at once in the basic form.
    bool takesNextPart()
    {
        return m_isBasic ? !m_rest.empty() && isIsoDigit(m_rest.front()) : take(':');
    }

    bool readTime()
    {
        int hour = 0;
        int minute = 0;
        int second = 0;
        if (!takeNumber(2, 24, hour)) {
            return false;
        }
        if (takesNextPart()) {
            if (!takeNumber(2, 59, minute)) {
                return false;
            }
            // Seconds are optional, and 60 is a leap second.
            if (takesNextPart() && !(takeNumber(2, 60, second) && readFraction())) {
                return false;
            }
        }
        // 24:00 is the end of the day.
        if (hour == 24 && (minute != 0 || second != 0 || !m_time.fraction.empty())) {
            return false;
        }
        m_time.seconds += hour * kHour + minute * kMinute + second;
        return true;
    }

    bool readFraction()
    {
        if (!take('.') && !take(',')) {
            // A comma is allowed by the standard as well.
            return true;
        }
        std::size_t digits = 0;
        while (digits < m_rest.size() && isIsoDigit(m_rest[digits])) {
            ++digits;
        }
        const std::string_view all = m_rest.substr(0, digits);
        // Trailing zeros add nothing, and equal times must be equal.
        m_time.fraction = all.substr(0, all.find_last_not_of('0') + 1);
        m_rest.remove_prefix(digits);
        return digits > 0;
    }

    bool readZone()
    {
        // No zone means UTC.
        if (m_rest.empty() || take('Z') || take('z')) {
            return true;
        }
        const bool isEast = take('+');
        if (!isEast && !take('-')) {
            return false;
        }
        int hours = 0;
        int minutes = 0;
        if (!takeNumber(2, 23, hours)) {
            return false;
        }
        // Minutes may follow the hours with or without a colon.
        const bool hasMinutes = take(':') || !m_rest.empty();
        if (hasMinutes && !takeNumber(2, 59, minutes)) {
            return false;
        }
        const std::int64_t offset = hours * kHour + minutes * kMinute;
        // Kept in UTC.
        m_time.seconds -= isEast ? offset : -offset;
        return true;
    }

    std::string_view m_rest;
    IsoTime m_time;
    bool m_isBasic = false;     ///< 20240501T1230: without hyphens and colons
    bool m_isWholeDate = false; ///< down to the day
};

} // namespace

std::optional<IsoTime> parseIsoTime(std::string_view text)
{
    constexpr std::string_view kSpaces = " \t";
    const std::size_t begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    return IsoTimeReader(text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1)).read();
}

std::string isoTimeText(std::int64_t seconds)
{
    using namespace std::chrono;
    const sys_seconds time{std::chrono::seconds(seconds)};
    const sys_days day = floor<days>(time);
    const year_month_day date(day);
    const hh_mm_ss clock(time - day);
    std::string text =
        fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    if (time != day) {
        text += fmt::format("T{:02}:{:02}:{:02}", clock.hours().count(), clock.minutes().count(),
                            clock.seconds().count());
    }
    return text;
}

} // namespace cannery
