// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/features/feature_encoder.h"
#include "core/train/trainable_model.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cannery::serving {

/// Predictions for some rows of a chunk: row i of `predictions` is row `firstRow + i` of `rows`.
struct PredictedRows
{
    const data::FeatureBatch& rows;
    std::int64_t firstRow = 0;
    std::int64_t rowCount = 0;
    std::span<const heads::Prediction> predictions;
};

/// Receives every batch in file order; an error ends the prediction.
using PredictionVisitor = std::function<Result<void>(const PredictedRows&)>;

struct PredictRequest
{
    std::int64_t batchSize = 256;
    std::vector<std::string> files; ///< names for messages, indexed as in the chunks
};

/// Encodes a stream of rows (without labels) and predicts them batch by batch, with memory bounded
/// by a chunk. Returns the number of rows.
Result<std::int64_t> predict(data::FeatureStream& stream, const features::FeatureEncoder& encoder,
                             train::TrainableModel& model, const PredictRequest& request,
                             const PredictionVisitor& visit);

} // namespace cannery::serving
