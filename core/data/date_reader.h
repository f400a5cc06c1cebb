// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/iso_time.h"
#include "core/spec/data.pb.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The one reader of dates and times in cells. Which notation a column has is decided by all of its
/// rows (date_evidence.h) or said by the experiment, never by a single text.
namespace cannery::data {

/// Years of two digits below it are of this century, as in X.509 certificates.
inline constexpr int kCenturyPivot = 50;

/// A date or time as a cell has it.
struct DateTime
{
    IsoTime time;            ///< the instant; without a zone, as if it were in UTC
    std::int64_t offset = 0; ///< seconds by which the written clock is ahead of UTC
    bool hasZone = false;    ///< a zone is written
    bool hasDate = true;     ///< false: a time of day alone, on 1970-01-01
    bool operator==(const DateTime&) const = default;
};

/// A text taken apart. A triple of numbers, such as 1/2/24, is a different date in each notation.
struct WrittenDate
{
    bool isTriple = false;              ///< `numbers` are not yet a date
    std::array<int, 3> numbers{};       ///< as written if isTriple, else year, month and day
    bool isShortYear = false;           ///< the year has two digits
    bool hasDate = true;                ///< false: a time of day alone
    std::string clock;                  ///< "T12:30:00.5", or empty
    std::optional<std::int64_t> offset; ///< seconds ahead of UTC, if a zone is written
};

/// Takes a text apart that is a date or time in words or numbers: 2024-05-01, 2024/5/1, 20240501,
/// 1.5.2024, 1/5/24, 1 May 2024, May 1, 2024, 01-May-24, 2024-05, May 2024, 2024Q2, 12:30, each
/// with a time (12:30, 9:30:15.25 PM) and a zone (Z, UTC, +02:00) if they have a day. Nothing for
/// any other text; whether such a day exists is not checked.
std::optional<WrittenDate> takeDateApart(std::string_view text);

/// The date that it is in a notation of texts (iso, day_first or month_first); iso reads a triple
/// with a short year as year, month and day. Nothing if it is none in this notation. Years of two
/// digits are those from 1950 to 2049.
std::optional<DateTime> dateOf(const WrittenDate& written, spec::DateNotation::Name notation);

/// Reads a cell. Nothing if it is not a date in this notation.
std::optional<DateTime> readDate(std::string_view text, spec::DateNotation::Name notation);

/// How a notation is described in a sentence: "with the day first, such as 31.5.2024".
std::string_view describe(spec::DateNotation::Name notation);

/// Whether a text, not a mere number, is a date or time in some notation.
bool looksLikeDate(std::string_view text);

/// Whether a whole number has the digits of a day from 1900 to 2100: 20240501.
bool isCompactDay(std::int64_t number);

/// A part of a date by the clock and calendar that it is written in; days are counted between
/// instants, with fractions.
double datePart(const DateTime& date, spec::DatePart::Name part, const IsoTime& origin);

} // namespace cannery::data
