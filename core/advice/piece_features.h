// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/data/statistics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::advice {

struct StartingExperiment;

/// The values in the cells of a column that have several each, or the words of its texts.
struct PieceFacts
{
    std::string column;
    std::string separator;
    bool areWords = false;
    std::uint64_t cells = 0;
    std::uint64_t different = 0;          ///< pieces
    std::vector<data::ValueCount> pieces; ///< that recur, by the cells that hold them
};

/// Finds the columns and counts their pieces in one pass. `statistics`: of all columns. Errors:
/// those of reading.
Result<std::vector<PieceFacts>> surveyPieces(const data::DataSource& source,
                                             const data::TableStatistics& statistics,
                                             const std::string& label);

/// The facts of a column, or nullptr.
const PieceFacts* findPieces(const std::vector<PieceFacts>& pieces, const std::string& column);

/// A feature of the pieces of each cell, as a vocabulary, under this name, for a starting
/// experiment.
void addPieces(const PieceFacts& pieces, const std::string& name, StartingExperiment& result);

} // namespace cannery::advice
