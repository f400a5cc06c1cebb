// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/data/statistics.h"
#include "core/spec/data.pb.h"

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cannery::advice {

/// What all rows of a column of dates have shown.
struct DateFacts
{
    std::string column;
    std::optional<spec::DateNotation::Name> notation;
    /// Why the notation is not known, with the cure that this command has; then nothing else is.
    std::string doubt;

    std::uint64_t count = 0;             ///< dates
    std::uint64_t missing = 0;           ///< empty cells and missing tokens
    std::uint64_t others = 0;            ///< texts that are not dates
    std::vector<std::string> otherTexts; ///< different ones, at most kMostOtherTexts + 1
    bool mixesZones = false;             ///< some times have a zone, and some have not
    bool areNumbers = false;             ///< whole numbers such as 20240501
    bool isTimeAlone = false;            ///< times of day without a date
    bool isInOrder = false;      ///< the rows come in the order of their times, or the reverse
    std::vector<double> seconds; ///< since 1970, by hundredths: 101
    std::uint64_t distinct = 0;  ///< different times, counted up to a few thousand
    std::bitset<13> months;      ///< that occur
    std::bitset<32> monthDays;
    std::bitset<7> weekdays;
    std::bitset<24> hours;
    /// The first and the last time of each class of the label, if it has few.
    std::map<std::string, std::pair<double, double>> classes;

    static constexpr std::size_t kMostOtherTexts = 4;

    double first() const { return seconds.front(); }
    double last() const { return seconds.back(); }
    double days() const { return (last() - first()) / 86'400; }
};

/// Reads all rows of the columns that hold dates. `order`: decides where the rows leave open
/// whether the day or the month comes first. `label`: whose classes are followed; may be empty.
/// Errors: those of reading.
Result<std::vector<DateFacts>> surveyDates(const data::DataSource& source,
                                           const std::optional<spec::DateNotation::Name>& order,
                                           const std::string& label);

} // namespace cannery::advice
