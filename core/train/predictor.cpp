#include "core/train/predictor.h"

#include "core/features/encoded_dataset.h"

#include <algorithm>
#include <limits>

namespace cannery::train {

Result<std::int64_t> predict(data::FeatureStream& stream, const features::FeatureEncoder& encoder,
                             Trainable& model, const PredictRequest& request,
                             const PredictionVisitor& visit)
{
    std::int64_t total = 0;
    std::vector<heads::Prediction> predictions;
    features::EncodedRows encoded;
    features::EncodedRows batch;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> chunk, stream.next());
        if (!chunk) {
            return total;
        }
        CANNERY_TRY(encoder.encode(*chunk, features::Labels::None, request.files, encoded));
        features::EncodedDataset rows(encoder.layout(),
                                      {.memoryLimit = std::numeric_limits<std::uint64_t>::max()});
        CANNERY_TRY(rows.append(encoded));
        for (std::int64_t first = 0; first < chunk->rowCount; first += request.batchSize) {
            const std::int64_t count = std::min(request.batchSize, chunk->rowCount - first);
            CANNERY_TRY(rows.gatherRange(first, count, batch));
            model.predict(batch, predictions);
            CANNERY_TRY(visit({.rows = *chunk,
                               .firstRow = first,
                               .rowCount = count,
                               .predictions = predictions}));
        }
        total += chunk->rowCount;
    }
}

} // namespace cannery::train
