// SPDX-License-Identifier: Apache-2.0
#include "core/serving/row_predictor.h"

#include "core/features/encode_scratch.h"
#include "core/plan/forward_pass.h"
#include "core/plan/inference.h"
#include "core/serving/block_predictor.h"

#include <utility>
#include <vector>

namespace cannery::serving {

struct RowPredictor::State
{
    explicit State(const features::FeatureEncoder& ofModel) : encoder(ofModel) {}

    features::FeatureEncoder encoder;
    features::EncodeScratch scratch;
    features::EncodedRows encoded;
    std::unique_ptr<plan::ForwardPass> pass;
    std::vector<heads::Prediction> predictions;
};

RowPredictor::RowPredictor(RowCells cells, std::unique_ptr<State> state)
    : RowCells(std::move(cells)), m_state(std::move(state))
{}
RowPredictor::~RowPredictor() = default;

Result<std::unique_ptr<RowPredictor>> RowPredictor::create(const features::FeatureEncoder& encoder,
                                                           plan::Model& model)
{
    CANNERY_TRY_ASSIGN(RowCells cells, RowCells::create(encoder));
    auto state = std::make_unique<State>(encoder);
    // The same size as BlockPredictor's blocks, so that both sum in the same order.
    CANNERY_TRY_ASSIGN(state->pass,
                       model.inference().createForwardPass(BlockPredictorOptions().blockRows));
    return std::unique_ptr<RowPredictor>(new RowPredictor(std::move(cells), std::move(state)));
}

Result<std::span<const heads::Prediction>> RowPredictor::predict(std::int64_t rows)
{
    State& state = *m_state;
    CANNERY_TRY(state.encoder.encodeInputs(row(), 0, rows, {}, state.scratch, state.encoded));
    state.pass->predict(state.encoded, state.predictions);
    return std::span<const heads::Prediction>(state.predictions);
}

Result<std::span<const heads::Prediction>> RowPredictor::predict()
{
    return predict(1);
}

Result<std::span<const heads::Prediction>> RowPredictor::outputs()
{
    return predict(0);
}

} // namespace cannery::serving
