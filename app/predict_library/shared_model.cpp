// SPDX-License-Identifier: Apache-2.0
#include "app/predict_library/shared_model.h"

#include "core/base/catalog.h"
#include "core/serving/prediction_model.h"

#include <algorithm>
#include <utility>

namespace cannery::app {

namespace {

constexpr ErrorKind kNoSuchOutput{"predict.no_such_output", "The model has no output '{}'.{}"};
constexpr ErrorKind kEveryStep{
    "predict.every_step",
    "{} predicts every step of a row (return_sequences), but a request holds one prediction for "
    "the row. Use 'cannery predict'."};

} // namespace

Result<std::shared_ptr<SharedModel>> SharedModel::open(const std::string& path,
                                                       const std::string& checkpoint, bool explains)
{
    CANNERY_TRY_ASSIGN(
        train::OpenedModel opened,
        serving::openPredictionModel({.path = path, .checkpoint = checkpoint, .threads = 1}));
    if (!opened.lowered.sequenceMask.empty()) {
        return fail(ErrorCode::Unimplemented, kEveryStep, path);
    }
    // Before any predictor is made: forward passes give more from now on.
    if (explains) {
        CANNERY_TRY(opened.model->explainPredictions());
    }
    auto model = std::shared_ptr<SharedModel>(new SharedModel(std::move(opened)));
    CANNERY_TRY_ASSIGN(const auto predictor, model->rowPredictor());
    for (const data::FeatureValues& feature : predictor->row().features) {
        const std::int64_t count = feature.sparse ? 0 : feature.shape.elementCount();
        model->m_inputs.push_back({.name = feature.name,
                                   .dtype = feature.dtype,
                                   .count = static_cast<std::size_t>(count)});
    }
    model->m_cells = *predictor;
    CANNERY_TRY_ASSIGN(const auto outputs, predictor->outputs());
    for (const heads::Prediction& output : outputs) {
        model->m_outputs.push_back({.name = output.key,
                                    .dtype = output.dtype,
                                    .count = static_cast<std::size_t>(output.width)});
    }
    return model;
}

Result<std::size_t> SharedModel::findInput(std::string_view name) const
{
    CANNERY_TRY_ASSIGN(const serving::FeatureSlot slot, m_cells->feature(name));
    return slot.index;
}

Result<std::size_t> SharedModel::findOutput(std::string_view name) const
{
    const auto found = std::ranges::find(m_outputs, name, &Port::name);
    if (found != m_outputs.end()) {
        return static_cast<std::size_t>(found - m_outputs.begin());
    }
    std::vector<std::string> names;
    for (const Port& output : m_outputs) {
        names.push_back(output.name);
    }
    return fail(ErrorCode::NotFound, kNoSuchOutput, name, suggestion(name, names));
}

Result<std::unique_ptr<serving::RowPredictor>> SharedModel::rowPredictor()
{
    const std::lock_guard lock(m_making);
    return serving::RowPredictor::create(m_opened.encoder, m_opened.model->model());
}

Result<std::unique_ptr<serving::BlockPredictor>> SharedModel::blockPredictor()
{
    const std::lock_guard lock(m_making);
    return serving::BlockPredictor::create(m_opened.encoder, m_opened.model->model(), {});
}

} // namespace cannery::app
