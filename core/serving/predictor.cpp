// SPDX-License-Identifier: Apache-2.0
#include "core/serving/predictor.h"

#include "core/features/encode_scratch.h"

#include <algorithm>

namespace cannery::serving {

Result<std::int64_t> predict(data::FeatureStream& stream, const features::FeatureEncoder& encoder,
                             train::TrainableModel& model, const PredictRequest& request,
                             const PredictionVisitor& visit)
{
    std::int64_t total = 0;
    std::vector<heads::Prediction> predictions;
    features::EncodeScratch scratch;
    features::EncodedRows batch;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> chunk, stream.next());
        if (!chunk) {
            return total;
        }
        for (std::int64_t first = 0; first < chunk->rowCount; first += request.batchSize) {
            const std::int64_t count = std::min(request.batchSize, chunk->rowCount - first);
            CANNERY_TRY(encoder.encodeInputs(*chunk, first, count, request.files, scratch, batch));
            model.predict(batch, predictions);
            CANNERY_TRY(visit({.rows = *chunk,
                               .firstRow = first,
                               .rowCount = count,
                               .predictions = predictions}));
        }
        total += chunk->rowCount;
    }
}

} // namespace cannery::serving
