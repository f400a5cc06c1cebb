// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/features/feature_encoder.h"
#include "core/plan/model.h"
#include "core/serving/predicted_rows.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cannery::serving {

struct BlockPredictorOptions
{
    int threads = 1;              ///< including the caller
    std::int64_t blockRows = 256; ///< rows that go through all layers together
};

/// Predictions of a table, block by block: block i has rows [i * blockRows, (i + 1) * blockRows).
struct PredictedTable
{
    std::int64_t blockRows = 0;
    std::vector<std::vector<heads::Prediction>> blocks;
};

/// Predicts tables of raw features in memory. Each thread takes a block of rows through encoding,
/// the layers and the head while the numbers are in its cache. Every row gives the same bits for
/// any number of threads and at any position in a table. Allocates nothing once a table was as
/// large. One controlling thread at a time; the encoder and the model must outlive it, and the
/// model must not train meanwhile.
class BlockPredictor
{
public:
    /// Receives every block, several at the same time on different threads and in any order. An
    /// error ends the prediction.
    using Visitor = std::function<Result<void>(const PredictedRows& rows, std::int64_t block)>;

    static Result<std::unique_ptr<BlockPredictor>> create(const features::FeatureEncoder& encoder,
                                                          plan::Model& model,
                                                          const BlockPredictorOptions& options);
    ~BlockPredictor();
    BlockPredictor(const BlockPredictor&) = delete;
    BlockPredictor& operator=(const BlockPredictor&) = delete;

    std::int64_t blockRows() const;
    std::int64_t blockCount(std::int64_t rows) const;

    /// `files`: names for messages, indexed as in the batch. Of several errors, reports that of the
    /// first failing row.
    Result<void> predict(const data::FeatureBatch& batch, std::span<const std::string> files,
                         const Visitor& visit);
    /// Keeps all predictions; the memory of a returned table is reused.
    Result<void> predict(const data::FeatureBatch& batch, std::span<const std::string> files,
                         PredictedTable& table);

private:
    struct State;
    explicit BlockPredictor(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace cannery::serving
