// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>

namespace cannery::benchmarks {

/// Predictions of a trained model in this process, from raw rows (texts and numbers as they stand
/// in a table) to the head's outputs.
struct PredictPass
{
    double oneRowMicroseconds = 0; ///< the median of single rows by libcannery_predict
    double oneRowTail = 0;         ///< 99 of 100 are faster, in microseconds
    double rowsPerSecond = 0;      ///< of a table in memory, many rows at once
    std::int64_t rows = 0;         ///< predicted in all
};

/// Opens the latest checkpoint of a model_dir and predicts the rows of a CSV file, for about
/// `seconds` each way.
Result<PredictPass> measurePredictions(const std::string& modelDir, const std::string& csvFile,
                                       int threads, double seconds);

} // namespace cannery::benchmarks
