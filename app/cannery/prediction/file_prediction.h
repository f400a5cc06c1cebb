// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "app/cannery/tables/table_choice.h"
#include "core/base/result.h"
#include "core/serving/prediction_writer.h"
#include "core/train/opened_model.h"

#include <cstdint>
#include <string>

namespace cannery::app {

/// What to predict, and where to write it.
struct PredictionJob
{
    train::OpenedModel& model;
    std::string input;
    const TableChoice& choice; ///< among the tables of the input
    std::string output;
    bool replaces = false;
    serving::PredictionFormat format = serving::PredictionFormat::Csv;
    bool isLikeInput = false; ///< JSON lines for JSON, and CSV in the dialect of a text table
    bool isSpreadsheetSafe = false;
    Console& console;
};

/// Rows of an input, and how many of them have no prediction.
struct PredictedCount
{
    std::int64_t rows = 0;
    std::int64_t unpredicted = 0;
    std::string firstReason; ///< of the first row without a prediction
};

/// Rows without a prediction that predictFile() names on stderr, one by one.
inline constexpr std::int64_t kMostNamed = 10;

/// Predicts the rows of a file or of standard input ("-"), with bounded memory (JSON is held as a
/// whole). The output has a line for each, in their order; one that cannot be read or encoded has
/// no prediction. Columns that the file lacks are missing in every row. Errors, after which nothing
/// is written: those of the files, and those that no row is the cause of.
Result<PredictedCount> predictFile(PredictionJob& job);

} // namespace cannery::app
