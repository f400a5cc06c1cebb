// SPDX-License-Identifier: Apache-2.0
#include "core/advice/table_survey.h"

namespace cannery::advice {

Result<CellFacts> surveyCells(const data::DataSource& source,
                              const data::TableStatistics& statistics, const std::string& label,
                              const std::string& dateOrder)
{
    spec::DateNotation::Name order = spec::DateNotation::iso;
    const bool isGiven = spec::DateNotation::Name_Parse(dateOrder, &order);
    CellFacts cells;
    CANNERY_TRY_ASSIGN(cells.dates,
                       surveyDates(source, isGiven ? std::optional(order) : std::nullopt, label));
    CANNERY_TRY_ASSIGN(cells.pieces, surveyPieces(source, statistics, label));
    return cells;
}

} // namespace cannery::advice
