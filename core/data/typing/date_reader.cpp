// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/date_reader.h"

#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <tuple>
#include <utility>

namespace cannery::data {

namespace {

constexpr std::int64_t kSecondsADay = 86'400;
/// From 30 December 1899, the day 0 of spreadsheets, to 1970.
constexpr double kExcelDaysTo1970 = 25'569;

bool isDecimalDigit(char character)
{
    return character >= '0' && character <= '9';
}

/// The zone at the end of a time in ISO 8601.
std::optional<std::int64_t> isoOffset(std::string_view text)
{
    // The sign of a zone comes after the time; before it, "-" separates year, month and day.
    const std::size_t clock = text.find_first_of("Tt ");
    if (clock == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view time = text.substr(clock + 1);
    if (time.ends_with('Z') || time.ends_with('z')) {
        return 0;
    }
    // A sign in the time itself is that of its zone.
    const std::size_t sign = time.find_first_of("+-");
    if (sign == std::string_view::npos) {
        return std::nullopt;
    }
    int hours = 0;
    int minutes = 0;
    const std::string_view zone = time.substr(sign + 1);
    std::from_chars(zone.data(), zone.data() + 2, hours);
    // The minutes of a zone may follow with or without a colon.
    if (zone.size() > 3) {
        std::from_chars(zone.data() + zone.size() - 2, zone.data() + zone.size(), minutes);
    }
    const std::int64_t offset = hours * 3600 + minutes * 60;
    return time[sign] == '+' ? offset : -offset;
}

/// Four digits, or eight, are a year or a day also in ISO 8601.
std::optional<DateTime> readIso(std::string_view text)
{
    std::optional<IsoTime> time = parseIsoTime(text);
    if (!time) {
        return std::nullopt;
    }
    // The time is in UTC already. The zone is kept for parts such as the hour, which are local.
    const std::optional<std::int64_t> offset = isoOffset(text);
    return DateTime{
        .time = *std::move(time), .offset = offset.value_or(0), .hasZone = offset.has_value()};
}

std::string withoutZeros(std::string digits)
{
    digits.erase(digits.find_last_not_of('0') + 1);
    // Trailing zeros add nothing, and equal times must be equal.
    return digits;
}

/// A number of seconds, exact if it is written in digits.
std::optional<DateTime> readSeconds(std::string_view text)
{
    DateTime date;
    const char* const end = text.data() + text.size();
    // std::from_chars takes no plus sign.
    const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [stop, failure] = std::from_chars(begin, end, date.time.seconds);
    // A whole number, the usual case.
    if (failure == std::errc() && stop == end) {
        return date;
    }
    const bool hasFraction = failure == std::errc() && *stop == '.' && stop + 1 != end &&
                             std::all_of(stop + 1, end, isDecimalDigit);
    // A fraction counts upwards from the second; before 1970 it would have to be turned around.
    if (hasFraction) {
        date.time.fraction = withoutZeros(std::string(stop + 1, end));
        if (text.starts_with('-') && !date.time.fraction.empty()) {
            // The fraction counts forwards: -1.25 s is 0.75 s after -2 s.
            --date.time.seconds;
            for (char& digit : date.time.fraction) {
                digit = static_cast<char>('0' + '9' - digit);
            }
            ++date.time.fraction.back(); // its digit was not 0, so it is not 9 now
        }
        return date;
    }
    double seconds = 0;
    // Numbers with an exponent come this way.
    if (storage::parseDouble(storage::PaddedText(text).view(), seconds) !=
            storage::NumberStatus::Ok ||
        // Written so that NaN is refused as well; below 1e15 a double has room for the fraction.
        !(std::fabs(seconds) < 1e15)) {
        return std::nullopt;
    }
    date.time.seconds = static_cast<std::int64_t>(std::floor(seconds));
    return date;
}

std::optional<DateTime> readMilliseconds(std::string_view text)
{
    std::optional<DateTime> date = readSeconds(text);
    if (!date) {
        return std::nullopt;
    }
    std::int64_t thousandths = date->time.seconds % 1000;
    // The remainder of a negative number is negative; a fraction of a second is not.
    // The fraction of a second counts forwards, also before 1970.
    thousandths += thousandths < 0 ? 1000 : 0;
    date->time.seconds = (date->time.seconds - thousandths) / 1000;
    date->time.fraction = withoutZeros(fmt::format("{:03}{}", thousandths, date->time.fraction));
    return date;
}

std::optional<DateTime> readExcelDays(std::string_view text)
{
    double days = 0;
    if (storage::parseDouble(storage::PaddedText(text).view(), days) != storage::NumberStatus::Ok ||
        !(std::fabs(days) < 3e6)) {
        return std::nullopt;
    }
    DateTime date;
    // Rounded, as times of day are fractions of days, which doubles do not hold exactly.
    date.time.seconds = std::llround((days - kExcelDaysTo1970) * double(kSecondsADay));
    return date;
}

} // namespace

std::optional<DateTime> dateOf(const WrittenDate& written, spec::DateNotation::Name notation)
{
    auto [year, month, day] = written.numbers;
    if (written.isTriple) {
        const auto [first, second, third] = written.numbers;
        switch (notation) {
        case spec::DateNotation::day_first:
            std::tie(day, month, year) = std::tuple(first, second, third);
            break;
        case spec::DateNotation::month_first:
            std::tie(month, day, year) = std::tuple(first, second, third);
            break;
        default:
            // In ISO's order the year comes first. Three numbers that end with a long year have
            // another order.
            if (!written.isShortYear) {
                return std::nullopt;
            }
            break;
        }
        // After the order is known: the year's place decides which number is short.
        year = written.isShortYear ? fullYear(year) : year;
    }
    // What these bounds refuse could not be written in four and two digits.
    if (year > 9999 || month > 12 || day > 31) {
        return std::nullopt;
    }
    // Which days and times exist is known there.
    std::optional<IsoTime> time =
        parseIsoTime(fmt::format("{:04}-{:02}-{:02}{}", year, month, day, written.clock));
    if (!time) {
        return std::nullopt;
    }
    const std::int64_t offset = written.offset.value_or(0);
    // Kept in UTC, so that times of different zones compare.
    time->seconds -= offset;
    return DateTime{.time = *std::move(time),
                    .offset = offset,
                    .hasZone = written.offset.has_value(),
                    .hasDate = written.hasDate};
}

std::optional<DateTime> readDate(std::string_view text, spec::DateNotation::Name notation)
{
    text = storage::trimmed(text);
    switch (notation) {
    case spec::DateNotation::unix_seconds:
        return readSeconds(text);
    case spec::DateNotation::unix_milliseconds:
        return readMilliseconds(text);
    case spec::DateNotation::excel_days:
        return readExcelDays(text);
    case spec::DateNotation::iso:
    case spec::DateNotation::day_first:
    case spec::DateNotation::month_first:
        break;
    }
    // First, in every notation: columns that are exported again often mix in dates in ISO 8601.
    if (std::optional<DateTime> iso = readIso(text)) {
        return iso;
    }
    const std::optional<WrittenDate> written = takeDateApart(text);
    return written ? dateOf(*written, notation) : std::nullopt;
}

std::string_view describe(spec::DateNotation::Name notation)
{
    switch (notation) {
    case spec::DateNotation::iso:
        return "in ISO 8601, such as 2024-05-01 or 2024-05-01T12:30";
    case spec::DateNotation::day_first:
        return "with the day first, such as 31.5.2024 or 31/05/24 12:30";
    case spec::DateNotation::month_first:
        return "with the month first, such as 5/31/2024 or 05-31-24 12:30 PM";
    case spec::DateNotation::unix_seconds:
        return "as a number of seconds since 1970";
    case spec::DateNotation::unix_milliseconds:
        return "as a number of milliseconds since 1970";
    case spec::DateNotation::excel_days:
        return "as a number of days since 30 December 1899";
    }
    return "";
}

bool looksLikeDate(std::string_view text)
{
    text = storage::trimmed(text);
    const bool isNumber = std::all_of(text.begin(), text.end(), isDecimalDigit);
    // Eight digits may be a day.
    const bool isLong = text.size() >= 8;
    // Short numbers are more likely counts than years.
    if (isNumber && !isLong) {
        return false;
    }
    const std::optional<WrittenDate> written = takeDateApart(text);
    using Notation = spec::DateNotation;
    return (written &&
            (dateOf(*written, Notation::day_first) || dateOf(*written, Notation::month_first) ||
             dateOf(*written, Notation::iso))) ||
           (!isNumber && parseIsoTime(text).has_value());
}

bool isCompactDay(std::int64_t number)
{
    return number >= 19000101 && number <= 21001231 &&
           parseIsoTime(std::to_string(number)).has_value();
}

double datePart(const DateTime& date, spec::DatePart::Name part, const IsoTime& origin)
{
    using namespace std::chrono;
    // Parts are those of the clock where the time was written, so the offset is added again.
    // The clock on the wall, as the text shows it.
    const sys_seconds local{seconds(date.time.seconds + date.offset)};
    const sys_days day = floor<days>(local);
    const year_month_day calendar(day);
    switch (part) {
    case spec::DatePart::year:
        return static_cast<int>(calendar.year());
    case spec::DatePart::month:
        return static_cast<unsigned>(calendar.month());
    case spec::DatePart::day:
        return static_cast<unsigned>(calendar.day());
    case spec::DatePart::weekday:
        // Monday is 0, as in Python's datetime.
        return weekday(day).iso_encoding() - 1;
    case spec::DatePart::hour:
        return static_cast<double>(duration_cast<hours>(local - day).count());
    case spec::DatePart::days_since:
        break;
    }
    const auto fractionOf = [](const IsoTime& time) {
        double fraction = 0;
        const std::string text = "0." + time.fraction + "0";
        std::from_chars(text.data(), text.data() + text.size(), fraction);
        return fraction;
    };
    // Seconds are subtracted as integers, since large doubles would lose the fraction.
    return (static_cast<double>(date.time.seconds - origin.seconds) + fractionOf(date.time) -
            fractionOf(origin)) /
           static_cast<double>(kSecondsADay);
}

} // namespace cannery::data
