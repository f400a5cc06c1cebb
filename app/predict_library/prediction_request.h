// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/predict_library/cannery_predict.h"
#include "app/predict_library/shared_model.h"
#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/heads/prediction.h"
#include "core/serving/block_predictor.h"
#include "core/serving/row_predictor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cannery::app {

/// The rows that a program asks a model about, and their predictions. One thread at a time.
class PredictionRequest
{
public:
    static Result<std::unique_ptr<PredictionRequest>> create(std::shared_ptr<SharedModel> model);

    /// The row that is filled in.
    serving::RowCells& row() { return *m_predictor; }

    /// Predicts that row. Allocates nothing once a row was as large.
    Result<void> predict();
    void addRow();
    /// Predicts the rows that were added, which are then gone.
    Result<void> predictRows();

    std::size_t rowCount() const { return m_rowCount; }
    /// The values of an output, row after row. Errors: "predict.nothing_predicted",
    /// "predict.output_type".
    Result<std::span<const float>> floats(std::size_t output) const;
    Result<std::span<const std::int64_t>> integers(std::size_t output) const;
    Result<std::span<const cannery_text>> texts(std::size_t output);

private:
    explicit PredictionRequest(std::shared_ptr<SharedModel> model) : m_model(std::move(model)) {}
    Result<const heads::Prediction*> find(std::size_t output, bool isWanted(DType),
                                          std::string_view wanted) const;
    Result<void> predictAdded();
    void forget();

    std::shared_ptr<SharedModel> m_model; ///< first: the others refer to it
    std::unique_ptr<serving::RowPredictor> m_predictor;
    std::unique_ptr<serving::BlockPredictor> m_blocks; ///< null until rows are added
    data::FeatureBatch m_rows;
    std::vector<heads::Prediction> m_joined;          ///< of all rows
    std::span<const heads::Prediction> m_predictions; ///< of the last call
    std::vector<std::vector<cannery_text>>
        m_texts; ///< of the last call by output, made when asked for
    std::size_t m_rowCount = 0;
};

} // namespace cannery::app
