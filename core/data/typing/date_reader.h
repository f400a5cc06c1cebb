// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/iso_time.h"
#include "core/data/typing/date_text.h"
#include "core/spec/data.pb.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// The one reader of dates and times in cells. Which notation a column has is decided by all of its
/// rows (date_evidence.h) or said by the experiment, never by a single text.
namespace cannery::data {

/// A date or time as a cell has it.
struct DateTime
{
    IsoTime time;            ///< the instant; without a zone, as if it were in UTC
    std::int64_t offset = 0; ///< seconds by which the written clock is ahead of UTC
    bool hasZone = false;    ///< a zone is written
    bool hasDate = true;     ///< false if it is a time of day alone, on 1970-01-01
    bool operator==(const DateTime&) const = default;
};

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
