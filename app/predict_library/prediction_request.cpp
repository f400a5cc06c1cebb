// SPDX-License-Identifier: Apache-2.0
#include "app/predict_library/prediction_request.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cannery::app {

namespace {

constexpr ErrorKind kNoPrediction{
    "predict.nothing_predicted",
    "There is no output {} of a prediction: predict first; the model has {} outputs."};
constexpr ErrorKind kOutputType{"predict.output_type", "The output '{}' is of type {}, not {}."};

bool isFloat(DType dtype)
{
    return dtype == DType::Float32;
}

bool isText(DType dtype)
{
    return dtype == DType::String;
}

/// The rows of a block, put behind those of earlier ones.
void append(std::span<const heads::Prediction> block, std::vector<heads::Prediction>& joined)
{
    joined.resize(block.size());
    for (std::size_t i = 0; i < block.size(); ++i) {
        heads::Prediction& all = joined[i];
        all.key = block[i].key;
        all.dtype = block[i].dtype;
        all.width = block[i].width;
        all.floats.insert(all.floats.end(), block[i].floats.begin(), block[i].floats.end());
        all.integers.insert(all.integers.end(), block[i].integers.begin(), block[i].integers.end());
        for (std::size_t at = 0; at < block[i].strings.size(); ++at) {
            all.strings.push_back(block[i].strings[at]);
        }
    }
}

} // namespace

Result<std::unique_ptr<PredictionRequest>>
PredictionRequest::create(std::shared_ptr<SharedModel> model)
{
    auto request = std::unique_ptr<PredictionRequest>(new PredictionRequest(std::move(model)));
    CANNERY_TRY_ASSIGN(request->m_predictor, request->m_model->rowPredictor());
    request->m_texts.resize(request->m_model->outputs().size());
    return request;
}

void PredictionRequest::forget()
{
    m_predictions = {};
    m_rowCount = 0;
    for (std::vector<cannery_text>& texts : m_texts) {
        texts.clear();
    }
}

Result<void> PredictionRequest::predict()
{
    // First: after a failure there are no predictions of an earlier row.
    forget();
    CANNERY_TRY_ASSIGN(m_predictions, m_predictor->predict());
    m_rowCount = 1;
    return {};
}

void PredictionRequest::addRow()
{
    m_predictor->appendTo(m_rows);
    // These rows have no file: they are known by their number among those added.
    m_rows.fileIndex.push_back(0);
    m_rows.line.push_back(m_rows.rowCount);
}

Result<void> PredictionRequest::predictRows()
{
    forget();
    // The rows are removed even if the prediction fails, or they would be in every later call.
    const Result<void> done = predictAdded();
    const std::int64_t count = m_rows.rowCount;
    serving::RowCells::removeAll(m_rows);
    CANNERY_TRY(done);
    m_predictions = m_joined;
    m_rowCount = static_cast<std::size_t>(count);
    return {};
}

Result<void> PredictionRequest::predictAdded()
{
    // Made with the first use: most programs predict row by row.
    if (m_blocks == nullptr) {
        CANNERY_TRY_ASSIGN(m_blocks, m_model->blockPredictor());
    }
    // Cleared, not replaced: their memory is used again.
    for (heads::Prediction& all : m_joined) {
        all.floats.clear();
        all.integers.clear();
        all.strings.clear();
    }
    if (m_rows.rowCount == 0) {
        CANNERY_TRY_ASSIGN(const auto none, m_predictor->outputs());
        append(none, m_joined);
        return {};
    }
    // One thread: the blocks come in order.
    return m_blocks->predict(
        m_rows, {}, [this](const serving::PredictedRows& rows, std::int64_t) -> Result<void> {
            append(rows.predictions, m_joined);
            return {};
        });
}

Result<const heads::Prediction*> PredictionRequest::find(std::size_t output, bool isWanted(DType),
                                                         std::string_view wanted) const
{
    if (output >= m_predictions.size()) {
        return fail(ErrorCode::OutOfRange, kNoPrediction, output, m_model->outputs().size());
    }
    const heads::Prediction& found = m_predictions[output];
    if (!isWanted(found.dtype)) {
        return fail(ErrorCode::InvalidArgument, kOutputType, found.key, name(found.dtype), wanted);
    }
    return &found;
}

Result<std::span<const float>> PredictionRequest::floats(std::size_t output) const
{
    CANNERY_TRY_ASSIGN(const heads::Prediction* found, find(output, isFloat, "float32"));
    return std::span<const float>(found->floats);
}

Result<std::span<const std::int64_t>> PredictionRequest::integers(std::size_t output) const
{
    CANNERY_TRY_ASSIGN(const heads::Prediction* found, find(output, isInteger, "an integer"));
    return std::span<const std::int64_t>(found->integers);
}

Result<std::span<const cannery_text>> PredictionRequest::texts(std::size_t output)
{
    CANNERY_TRY_ASSIGN(const heads::Prediction* found, find(output, isText, "string"));
    std::vector<cannery_text>& texts = m_texts[output];
    // Made at the first request for these texts; afterwards there is nothing to do.
    for (std::size_t i = texts.size(); i < found->strings.size(); ++i) {
        const std::string_view text = found->strings[i];
        texts.push_back({.data = text.data(), .size = text.size()});
    }
    return std::span<const cannery_text>(texts);
}

} // namespace cannery::app
