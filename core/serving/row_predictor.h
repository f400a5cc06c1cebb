// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/feature_encoder.h"
#include "core/heads/prediction.h"
#include "core/plan/model.h"
#include "core/serving/row_cells.h"

#include <cstdint>
#include <memory>
#include <span>

namespace cannery::serving {

/// Predicts single rows inside a program: open a model once, look up the slots of its features,
/// then set the cells of a row and predict, in a few microseconds and without allocating once its
/// buffers have grown.
///
///     CANNERY_TRY_ASSIGN(train::OpenedModel model, train::openModel({.modelDir = "runs/census"}));
///     CANNERY_TRY_ASSIGN(auto predictor, RowPredictor::create(model.encoder,
///                                                                    model.model->model()));
///     CANNERY_TRY_ASSIGN(const FeatureSlot age, predictor->feature("age"));
///     CANNERY_TRY(predictor->setNumber(age, 42));
///     CANNERY_TRY_ASSIGN(const auto outputs, predictor->predict());
///
/// Gives the same bits as BlockPredictor for the same row. One thread each; several over one model
/// may predict at the same time. The encoder and the model must outlive it, and the model must not
/// train meanwhile.
class RowPredictor : public RowCells
{
public:
    /// Errors: of RowCells.
    static Result<std::unique_ptr<RowPredictor>> create(const features::FeatureEncoder& encoder,
                                                        plan::Model& model);
    ~RowPredictor();
    RowPredictor(const RowPredictor&) = delete;
    RowPredictor& operator=(const RowPredictor&) = delete;

    /// Every output of the model's head for the row, in TensorFlow's order; valid until the next
    /// call. Errors: those of encoding the row.
    Result<std::span<const heads::Prediction>> predict();
    /// The same outputs for no row: what they are called and how many values they have.
    Result<std::span<const heads::Prediction>> outputs();

private:
    struct State;
    Result<std::span<const heads::Prediction>> predict(std::int64_t rows);
    RowPredictor(RowCells cells, std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace cannery::serving
