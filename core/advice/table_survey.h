// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/date_survey.h"
#include "core/advice/piece_features.h"
#include "core/advice/sentinel_tokens.h"
#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/data/statistics.h"

#include <string>
#include <vector>

namespace cannery::advice {

/// What cells mean beside their type.
struct CellFacts
{
    std::vector<DateFacts> dates;
    std::vector<PieceFacts> pieces;
};

/// `dateOrder`: "day_first", "month_first" or "iso" where the rows leave it open, or empty. Errors:
/// those of reading.
Result<CellFacts> surveyCells(const data::DataSource& source,
                              const data::TableStatistics& statistics, const std::string& label,
                              const std::string& dateOrder);

} // namespace cannery::advice
