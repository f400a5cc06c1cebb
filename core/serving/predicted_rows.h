// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/pipeline/feature_batch.h"
#include "core/heads/head.h"

#include <cstdint>
#include <span>

namespace cannery::serving {

/// Predictions for some rows of a chunk: row i of `predictions` is row `firstRow + i` of `rows`.
struct PredictedRows
{
    const data::FeatureBatch& rows;
    std::int64_t firstRow = 0;
    std::int64_t rowCount = 0;
    std::span<const heads::Prediction> predictions;
};

} // namespace cannery::serving
