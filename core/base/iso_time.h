// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cannery {

/// A point in time, exactly as written: whole seconds since 1970-01-01 in UTC and the digits of the
/// fraction without trailing zeros. The order is that of time.
struct IsoTime
{
    std::int64_t seconds = 0;
    std::string fraction;

    bool operator==(const IsoTime&) const = default;
    bool operator<(const IsoTime& other) const
    {
        return seconds != other.seconds ? seconds < other.seconds : fraction < other.fraction;
    }
    bool operator>(const IsoTime& other) const { return other < *this; }
    bool operator<=(const IsoTime& other) const { return !(other < *this); }
    bool operator>=(const IsoTime& other) const { return !(*this < other); }
};

/// A date or date-time in ISO 8601: 2024, 2024-05, 2024-05-01 or 20240501, the full forms also with
/// a time after a T or a space (12, 12:30, 12:30:59.25 or 123059) and a zone (Z, +02, +02:00); what
/// is left out is the earliest, and a time without a zone is in UTC. Surrounding spaces are
/// allowed. Nothing for any other text, or for a day or time that does not exist.
std::optional<IsoTime> parseIsoTime(std::string_view text);

/// Seconds since 1970-01-01 in UTC as a text that parseIsoTime() reads: "2024-05-01", or
/// "2024-05-01T12:30:00" if the time of day is not midnight. For the years 0 to 9999.
std::string isoTimeText(std::int64_t seconds);

} // namespace cannery
