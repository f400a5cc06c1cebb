// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::data {

/// Years of two digits below it are of this century, as in X.509 certificates.
inline constexpr int kCenturyPivot = 50;

/// Of a year of two digits.
int fullYear(int twoDigits);

/// A text taken apart. A triple of numbers, such as 1/2/24, is a different date in each notation.
struct WrittenDate
{
    bool isTriple = false;              ///< `numbers` are not yet a date
    std::array<int, 3> numbers{};       ///< as written if isTriple, else year, month and day
    bool isShortYear = false;           ///< the year has two digits
    bool hasDate = true;                ///< false if it is a time of day alone
    std::string clock;                  ///< "T12:30:00.5", or empty
    std::optional<std::int64_t> offset; ///< seconds ahead of UTC, if a zone is written
};

/// Takes a text apart that is a date or time in words or numbers: 2024-05-01, 2024/5/1, 20240501,
/// 1.5.2024, 1/5/24, 1 May 2024, May 1, 2024, 01-May-24, 2024-05, May 2024, 2024Q2, 12:30, each
/// with a time (12:30, 9:30:15.25 PM) and a zone (Z, UTC, +02:00) if they have a day. Nothing for
/// any other text; whether such a day exists is not checked.
std::optional<WrittenDate> takeDateApart(std::string_view text);

} // namespace cannery::data
