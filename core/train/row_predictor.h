// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/feature_encoder.h"
#include "core/heads/prediction.h"
#include "core/plan/model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::train {

/// One of the raw features that a model reads; returned by RowPredictor::feature().
struct FeatureSlot
{
    std::size_t index = 0;
};

/// Predicts single rows inside a program: open a model once, look up the slots of its features,
/// then set the cells of a row and predict, in a few microseconds and without allocating once its
/// buffers have grown.
///
///     CANNERY_TRY_ASSIGN(train::OpenedModel model, train::openModel({.modelDir = "runs/census"}));
///     CANNERY_TRY_ASSIGN(auto predictor, train::RowPredictor::create(model.encoder,
///                                                                    model.model->model()));
///     CANNERY_TRY_ASSIGN(const train::FeatureSlot age, predictor->feature("age"));
///     CANNERY_TRY(predictor->setNumber(age, 42));
///     CANNERY_TRY_ASSIGN(const auto outputs, predictor->predict());
///
/// Cells keep their values from row to row until they are set again or cleared. A missing cell
/// (never set, cleared, the empty text or a missing token of the column) means what it means in the
/// training table: the column's default, else no category, else the default of its numeric column,
/// else an error. Gives the same bits as BlockPredictor for the same row. One thread each; several
/// over one model may predict at the same time. The encoder and the model must outlive it, and the
/// model must not train meanwhile.
class RowPredictor
{
public:
    /// Errors: "features.cannot_emit" if columns contradict each other about a feature.
    static Result<std::unique_ptr<RowPredictor>> create(const features::FeatureEncoder& encoder,
                                                        plan::Model& model);
    ~RowPredictor();
    RowPredictor(const RowPredictor&) = delete;
    RowPredictor& operator=(const RowPredictor&) = delete;

    /// The features that the model reads.
    const std::vector<std::string>& features() const;
    /// Error: "predict.no_feature".
    Result<FeatureSlot> feature(std::string_view name) const;

    /// Sets a feature of one number; a feature of texts takes integers as their decimal text.
    /// Error: "predict.cell" for a fraction, NaN or infinity where integers are expected, and for
    /// features of several values.
    Result<void> setNumber(FeatureSlot slot, double number);
    /// Sets a cell as a table would hold it: a text, or a number as text. Error: "predict.cell".
    Result<void> setText(FeatureSlot slot, std::string_view text);
    /// Sets all numbers of a feature of several (a stack, or a split cell of numbers).
    Result<void> setNumbers(FeatureSlot slot, std::span<const double> numbers);
    /// Sets all texts of a split cell.
    Result<void> setTexts(FeatureSlot slot, std::span<const std::string_view> texts);
    /// Makes the cell missing.
    void clear(FeatureSlot slot);
    void clearAll();

    /// Every output of the model's head for the row, in TensorFlow's order; valid until the next
    /// call. Errors: those of encoding the row.
    Result<std::span<const heads::Prediction>> predict();

private:
    struct State;
    explicit RowPredictor(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace cannery::train
